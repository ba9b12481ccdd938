"""`ec2-pick serve`: the Slack app over plain HTTP on this machine."""

import argparse
from collections.abc import Sequence


def serve_command(argv: Sequence[str]) -> int:
    """Serve until interrupted; exit 2 where the signing secret is missing."""
    parser = argparse.ArgumentParser(prog="ec2-pick serve")
    parser.add_argument("--port", type=int, default=3000)
    parser.add_argument("--host", default="127.0.0.1")
    options = parser.parse_args(argv)
    from bot.slack.serve import serve

    return serve(port=options.port, host=options.host)
