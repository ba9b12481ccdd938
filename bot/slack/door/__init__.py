"""The way in: signature, payload, queue, worker."""
