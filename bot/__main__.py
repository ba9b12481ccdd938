"""`python -m bot`: the same as the `ec2-pick` command."""

import sys

from bot.cli.main import main

sys.exit(main())
