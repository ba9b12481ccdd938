"""The Terraform file of a node group."""
