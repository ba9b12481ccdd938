"""The workload itself: Deployment, Job or training job, and the rules it is held to."""
