"""Facts of a machine that were asked for: what it is, boots from, is limited by, needs to start."""
