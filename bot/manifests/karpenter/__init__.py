"""The Karpenter file and the rules it is held to."""
