# 1 x g5g.xlarge in us-east-1
# For: 7B model, bf16, 512 in / 128 out, 1 request at a time
# Price: $1.861/h on-demand, AWS list price of 2026-07-20, snapshot
# terraform init, then terraform apply
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
  description = "Private subnets in the zones that offer the types"
}

resource "aws_launch_template" "nodes" {
  name_prefix = "g5g-xlarge-"

  block_device_mappings {
    device_name = "/dev/xvda"
    ebs {
      volume_size           = 110
      volume_type           = "gp3"
      throughput            = 375
      iops                  = 3000
      encrypted             = true
      delete_on_termination = true
    }
  }

  metadata_options {
    http_tokens                 = "required"
    http_put_response_hop_limit = 1
  }
}

resource "aws_eks_node_group" "nodes" {
  cluster_name    = var.cluster_name
  node_group_name = "g5g-xlarge"
  node_role_arn   = var.node_role_arn
  subnet_ids      = var.subnet_ids
  ami_type        = "AL2023_ARM_64_NVIDIA"
  capacity_type   = "ON_DEMAND"
  instance_types = [
    "g5g.xlarge",
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
