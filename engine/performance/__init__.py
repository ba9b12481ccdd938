"""How fast a plan is: step times from bytes, FLOPs, links and host cost, then queues on top."""
