"""What people see: cards and manifests, as jinja2. Layout only: no decisions."""
