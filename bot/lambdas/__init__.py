"""The functions of `serverless.yml`. Each module is what one sandbox loads."""
