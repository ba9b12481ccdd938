# 1 x g6e.xlarge in us-east-1
# For: 7B model, bf16, 512 in / 128 out, 1 request at a time
# Price: $1.861/h on-demand, AWS list price of 2026-07-20, snapshot
# terraform init, then terraform apply
# NOTE: Give the subnet in the zone of cr-0123456789abcdef0.
# NOTE: Install the NVIDIA device plugin: EKS does not.
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

resource "aws_launch_template" "nodes" {
  name_prefix = "g6e-xlarge-"

  capacity_reservation_specification {
    capacity_reservation_target {
      capacity_reservation_id = "cr-0123456789abcdef0"
    }
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
  node_group_name = "g6e-xlarge"
  node_role_arn   = var.node_role_arn
  subnet_ids      = var.subnet_ids
  ami_type        = "AL2023_x86_64_NVIDIA"
  capacity_type   = "ON_DEMAND"
  instance_types = [
    "g6e.xlarge",
  ]

  launch_template {
    id      = aws_launch_template.nodes.id
    version = aws_launch_template.nodes.latest_version
  }

  scaling_config {
    min_size     = 1
    desired_size = 1
    max_size     = 1
  }

  labels = {
    "ec2-pick/role" = "inference"
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
    "k8s.io/cluster-autoscaler/node-template/label/nvidia.com/gpu.present" = "true"
    "k8s.io/cluster-autoscaler/node-template/taint/nvidia.com/gpu" = "true:NoSchedule"
    "k8s.io/cluster-autoscaler/node-template/resources/nvidia.com/gpu" = "1"
  }
  autoscaling_group_name = aws_eks_node_group.nodes.resources[0].autoscaling_groups[0].name

  tag {
    key                 = each.key
    value               = each.value
    propagate_at_launch = false
  }
}
