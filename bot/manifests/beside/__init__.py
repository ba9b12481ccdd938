"""What stands beside the workload: scaling, monitoring, quota, sharing, migration."""
