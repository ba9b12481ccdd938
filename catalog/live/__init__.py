"""Prices and offers asked of AWS itself. The only place, with `catalog.collect`, for boto3."""
