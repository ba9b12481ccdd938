"""The guided form: a Slack modal that asks for a workload and shows the pick as it is filled in."""
