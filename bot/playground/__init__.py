"""Slack played on one machine: a page to type and click in, over the real signed HTTP."""
