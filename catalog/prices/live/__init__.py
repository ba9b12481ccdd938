"""Live prices, quotas and availability from AWS."""
