"""Answers under today's prices."""
