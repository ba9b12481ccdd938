"""What is asked: the intent, the task, and questions with a form of their own."""
