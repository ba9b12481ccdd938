"""Thread, turn, reply: which answer comes next, what is kept of the thread."""
