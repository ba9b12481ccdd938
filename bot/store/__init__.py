"""What is remembered: documents, claims, queues, on SQLite or DynamoDB."""
