"""What to do with a pick: phased plans, figures and counts only. Words are made in bot."""
