"""A model placed on devices: degrees, hosts, fixed plans."""
