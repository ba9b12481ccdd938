"""From a person's words to a workload and an intent, and back."""
