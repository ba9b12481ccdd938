# 2 x p4de.24xlarge in us-east-1
# For: llama-3.1-405b, bf16, 2,048 in / 512 out, 32 requests at once
# Price: $54.89/h on-demand, AWS list price of 2026-07-20, snapshot
# terraform init, then terraform apply
# NOTE: Install the NVIDIA device plugin: EKS does not.
# NOTE: EFA plugin: helm upgrade --install aws-efa-k8s-device-plugin eks/aws-efa-k8s-device-plugin -n kube-system -f efa-plugin-values.yaml
terraform {
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 6.0"
    }
  }
}

provider "aws" {
  region = "us-east-1"
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
  description = "Groups of the nodes; their members may talk to each other, in and out"
}

resource "aws_placement_group" "nodes" {
  name     = "p4de-24xlarge-llama-3-1-405b"
  strategy = "cluster"
}

resource "aws_launch_template" "nodes" {
  name_prefix = "p4de-24xlarge-llama-3-1-405b-"

  placement {
    group_name = aws_placement_group.nodes.name
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
  node_group_name = "p4de-24xlarge-llama-3-1-405b"
  node_role_arn   = var.node_role_arn
  subnet_ids      = var.subnet_ids
  ami_type        = "AL2023_x86_64_NVIDIA"
  capacity_type   = "ON_DEMAND"
  instance_types = [
    "p4de.24xlarge",
  ]

  launch_template {
    id      = aws_launch_template.nodes.id
    version = aws_launch_template.nodes.latest_version
  }

  scaling_config {
    min_size     = 2
    desired_size = 2
    max_size     = 2
  }

  labels = {
    "ec2-pick/role" = "inference"
    "ec2-pick/model" = "llama-3.1-405b"
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
    "k8s.io/cluster-autoscaler/node-template/label/ec2-pick/role" = "inference"
    "k8s.io/cluster-autoscaler/node-template/label/ec2-pick/model" = "llama-3.1-405b"
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
