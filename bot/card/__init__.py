"""What a reader sees of an answer: one view model, drawn for Slack, the terminal and the ear."""
