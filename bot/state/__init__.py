"""What is remembered between requests: claims, threads and waiting jobs."""
