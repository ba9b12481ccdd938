# 2 x p5.48xlarge in us-east-2
# For: Pre-training of llama-3.1-8b, 15B tokens, sequences of 4,096
# Price: $110.08/h Capacity Block, Capacity Block rate of 2026-07-20, snapshot
# terraform init, then terraform apply
# NOTE: Fill in the id of your Capacity Block and give its zone's subnet; then scale up.
# NOTE: Install the NVIDIA device plugin: EKS does not.
# NOTE: EFA plugin: helm upgrade --install aws-efa-k8s-device-plugin eks/aws-efa-k8s-device-plugin --version 0.5.30 -n kube-system -f efa-plugin-values.yaml
terraform {
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 6.0"
    }
  }
}

provider "aws" {
  region = "us-east-2"
}

variable "cluster_name" {
  type    = string
  default = "ec2-pick" # the name of your cluster
}

variable "node_role_arn" {
  type        = string
  description = "IAM role of the nodes"
}

variable "subnet_ids" {
  type        = list(string)
  description = "One private subnet: the machines share its zone"
  validation {
    condition     = length(var.subnet_ids) == 1
    error_message = "Give exactly one subnet."
  }
}

variable "security_group_ids" {
  type        = list(string)
  description = "The cluster's own security group (or nodes cannot join), and one whose members may talk to each other, in and out (EFA)"
}

resource "aws_launch_template" "nodes" {
  name_prefix = "p5-48xlarge-llama-3-1-8b-"
  instance_type = "p5.48xlarge"

  instance_market_options {
    market_type = "capacity-block"
  }

  capacity_reservation_specification {
    capacity_reservation_target {
      capacity_reservation_id = "cr-0123456789abcdef0"
    }
  }

  network_interfaces {
    network_card_index          = 0
    device_index                = 0
    interface_type              = "interface"
    associate_public_ip_address = false
    delete_on_termination       = true
    security_groups             = var.security_group_ids
  }

  network_interfaces {
    network_card_index          = 0
    device_index                = 1
    interface_type              = "efa-only"
    associate_public_ip_address = false
    delete_on_termination       = true
    security_groups             = var.security_group_ids
  }

  network_interfaces {
    network_card_index          = 1
    device_index                = 0
    interface_type              = "efa-only"
    associate_public_ip_address = false
    delete_on_termination       = true
    security_groups             = var.security_group_ids
  }

  network_interfaces {
    network_card_index          = 2
    device_index                = 0
    interface_type              = "efa-only"
    associate_public_ip_address = false
    delete_on_termination       = true
    security_groups             = var.security_group_ids
  }

  network_interfaces {
    network_card_index          = 3
    device_index                = 0
    interface_type              = "efa-only"
    associate_public_ip_address = false
    delete_on_termination       = true
    security_groups             = var.security_group_ids
  }

  network_interfaces {
    network_card_index          = 4
    device_index                = 0
    interface_type              = "efa-only"
    associate_public_ip_address = false
    delete_on_termination       = true
    security_groups             = var.security_group_ids
  }

  network_interfaces {
    network_card_index          = 5
    device_index                = 0
    interface_type              = "efa-only"
    associate_public_ip_address = false
    delete_on_termination       = true
    security_groups             = var.security_group_ids
  }

  network_interfaces {
    network_card_index          = 6
    device_index                = 0
    interface_type              = "efa-only"
    associate_public_ip_address = false
    delete_on_termination       = true
    security_groups             = var.security_group_ids
  }

  network_interfaces {
    network_card_index          = 7
    device_index                = 0
    interface_type              = "efa-only"
    associate_public_ip_address = false
    delete_on_termination       = true
    security_groups             = var.security_group_ids
  }

  network_interfaces {
    network_card_index          = 8
    device_index                = 0
    interface_type              = "efa-only"
    associate_public_ip_address = false
    delete_on_termination       = true
    security_groups             = var.security_group_ids
  }

  network_interfaces {
    network_card_index          = 9
    device_index                = 0
    interface_type              = "efa-only"
    associate_public_ip_address = false
    delete_on_termination       = true
    security_groups             = var.security_group_ids
  }

  network_interfaces {
    network_card_index          = 10
    device_index                = 0
    interface_type              = "efa-only"
    associate_public_ip_address = false
    delete_on_termination       = true
    security_groups             = var.security_group_ids
  }

  network_interfaces {
    network_card_index          = 11
    device_index                = 0
    interface_type              = "efa-only"
    associate_public_ip_address = false
    delete_on_termination       = true
    security_groups             = var.security_group_ids
  }

  network_interfaces {
    network_card_index          = 12
    device_index                = 0
    interface_type              = "efa-only"
    associate_public_ip_address = false
    delete_on_termination       = true
    security_groups             = var.security_group_ids
  }

  network_interfaces {
    network_card_index          = 13
    device_index                = 0
    interface_type              = "efa-only"
    associate_public_ip_address = false
    delete_on_termination       = true
    security_groups             = var.security_group_ids
  }

  network_interfaces {
    network_card_index          = 14
    device_index                = 0
    interface_type              = "efa-only"
    associate_public_ip_address = false
    delete_on_termination       = true
    security_groups             = var.security_group_ids
  }

  network_interfaces {
    network_card_index          = 15
    device_index                = 0
    interface_type              = "efa-only"
    associate_public_ip_address = false
    delete_on_termination       = true
    security_groups             = var.security_group_ids
  }

  network_interfaces {
    network_card_index          = 16
    device_index                = 0
    interface_type              = "efa-only"
    associate_public_ip_address = false
    delete_on_termination       = true
    security_groups             = var.security_group_ids
  }

  network_interfaces {
    network_card_index          = 17
    device_index                = 0
    interface_type              = "efa-only"
    associate_public_ip_address = false
    delete_on_termination       = true
    security_groups             = var.security_group_ids
  }

  network_interfaces {
    network_card_index          = 18
    device_index                = 0
    interface_type              = "efa-only"
    associate_public_ip_address = false
    delete_on_termination       = true
    security_groups             = var.security_group_ids
  }

  network_interfaces {
    network_card_index          = 19
    device_index                = 0
    interface_type              = "efa-only"
    associate_public_ip_address = false
    delete_on_termination       = true
    security_groups             = var.security_group_ids
  }

  network_interfaces {
    network_card_index          = 20
    device_index                = 0
    interface_type              = "efa-only"
    associate_public_ip_address = false
    delete_on_termination       = true
    security_groups             = var.security_group_ids
  }

  network_interfaces {
    network_card_index          = 21
    device_index                = 0
    interface_type              = "efa-only"
    associate_public_ip_address = false
    delete_on_termination       = true
    security_groups             = var.security_group_ids
  }

  network_interfaces {
    network_card_index          = 22
    device_index                = 0
    interface_type              = "efa-only"
    associate_public_ip_address = false
    delete_on_termination       = true
    security_groups             = var.security_group_ids
  }

  network_interfaces {
    network_card_index          = 23
    device_index                = 0
    interface_type              = "efa-only"
    associate_public_ip_address = false
    delete_on_termination       = true
    security_groups             = var.security_group_ids
  }

  network_interfaces {
    network_card_index          = 24
    device_index                = 0
    interface_type              = "efa-only"
    associate_public_ip_address = false
    delete_on_termination       = true
    security_groups             = var.security_group_ids
  }

  network_interfaces {
    network_card_index          = 25
    device_index                = 0
    interface_type              = "efa-only"
    associate_public_ip_address = false
    delete_on_termination       = true
    security_groups             = var.security_group_ids
  }

  network_interfaces {
    network_card_index          = 26
    device_index                = 0
    interface_type              = "efa-only"
    associate_public_ip_address = false
    delete_on_termination       = true
    security_groups             = var.security_group_ids
  }

  network_interfaces {
    network_card_index          = 27
    device_index                = 0
    interface_type              = "efa-only"
    associate_public_ip_address = false
    delete_on_termination       = true
    security_groups             = var.security_group_ids
  }

  network_interfaces {
    network_card_index          = 28
    device_index                = 0
    interface_type              = "efa-only"
    associate_public_ip_address = false
    delete_on_termination       = true
    security_groups             = var.security_group_ids
  }

  network_interfaces {
    network_card_index          = 29
    device_index                = 0
    interface_type              = "efa-only"
    associate_public_ip_address = false
    delete_on_termination       = true
    security_groups             = var.security_group_ids
  }

  network_interfaces {
    network_card_index          = 30
    device_index                = 0
    interface_type              = "efa-only"
    associate_public_ip_address = false
    delete_on_termination       = true
    security_groups             = var.security_group_ids
  }

  network_interfaces {
    network_card_index          = 31
    device_index                = 0
    interface_type              = "efa-only"
    associate_public_ip_address = false
    delete_on_termination       = true
    security_groups             = var.security_group_ids
  }

  block_device_mappings {
    device_name = "/dev/xvda"
    ebs {
      volume_size           = 100
      volume_type           = "gp3"
      encrypted             = true
      delete_on_termination = true
    }
  }

  metadata_options {
    http_tokens                 = "required"
    http_put_response_hop_limit = 1
  }

  # Images, pods and downloads live on the local NVMe disks; they are gone when the node is.
  user_data = base64encode(join("\n", [
    "MIME-Version: 1.0",
    "Content-Type: multipart/mixed; boundary=\"node\"",
    "",
    "--node",
    "Content-Type: application/node.eks.aws",
    "",
    "apiVersion: node.eks.aws/v1alpha1",
    "kind: NodeConfig",
    "spec:",
    "  instance:",
    "    localStorage:",
    "      strategy: RAID0",
    "--node--",
    "",
  ]))
}

resource "aws_eks_node_group" "nodes" {
  cluster_name    = var.cluster_name
  node_group_name = "p5-48xlarge-llama-3-1-8b"
  node_role_arn   = var.node_role_arn
  subnet_ids      = var.subnet_ids
  ami_type        = "AL2023_x86_64_NVIDIA"
  capacity_type   = "CAPACITY_BLOCK"

  launch_template {
    id      = aws_launch_template.nodes.id
    version = aws_launch_template.nodes.latest_version
  }

  scaling_config {
    min_size     = 0
    desired_size = 0 # raise it once the block has started
    max_size     = 2
  }

  labels = {
    "ec2-pick/role" = "training"
    "ec2-pick/model" = "llama-3.1-8b"
    "nvidia.com/gpu.present" = "true"
  }

  taint {
    key    = "nvidia.com/gpu"
    value  = "true"
    effect = "NO_SCHEDULE"
  }

  lifecycle {
    ignore_changes = [scaling_config[0].desired_size]
  }
}

# Cluster Autoscaler reads these where the group has no node to look at.
resource "aws_autoscaling_group_tag" "scale_from_zero" {
  for_each = {
    "k8s.io/cluster-autoscaler/node-template/label/ec2-pick/role" = "training"
    "k8s.io/cluster-autoscaler/node-template/label/ec2-pick/model" = "llama-3.1-8b"
    "k8s.io/cluster-autoscaler/node-template/label/nvidia.com/gpu.present" = "true"
    "k8s.io/cluster-autoscaler/node-template/taint/nvidia.com/gpu" = "true:NoSchedule"
    "k8s.io/cluster-autoscaler/node-template/resources/nvidia.com/gpu" = "8"
  }
  autoscaling_group_name = aws_eks_node_group.nodes.resources[0].autoscaling_groups[0].name

  tag {
    key                 = each.key
    value               = each.value
    propagate_at_launch = false
  }
}
