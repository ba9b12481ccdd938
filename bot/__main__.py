"""`python -m bot`: the same as the `ec2-pick` command."""

from bot.cli.main import script

script()
