"""The eksctl file and the rules it is held to."""
