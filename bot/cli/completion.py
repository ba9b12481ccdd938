"""`ec2-pick completion SHELL`: the script with which a shell completes commands and flags."""

import argparse
import sys
from collections.abc import Iterable, Sequence
from typing import Final

from bot.cli.ask import MANIFEST_KINDS, arguments

# By what a shell's own rules call the file: https://www.gnu.org/software/bash/manual (complete -F),
# zsh's compdef, fish's complete.
SHELLS: Final = ("bash", "zsh", "fish")


def completion(argv: Sequence[str], commands: Iterable[str]) -> int:
    """Print the completion of one shell: `source <(ec2-pick completion bash)`."""
    parser = argparse.ArgumentParser(prog="ec2-pick completion", allow_abbrev=False)
    parser.add_argument("shell", choices=SHELLS)
    options = parser.parse_args(argv)
    sys.stdout.write(completion_script(options.shell, commands))
    return 0


def completion_script(shell: str, commands: Iterable[str]) -> str:
    """Return the completion script of a shell: commands first, flags after a dash."""
    from bot.core.render import plan_environment

    template = plan_environment().get_template(f"completion/{shell}.j2")
    return template.render(commands=sorted(commands), flags=_flags(), kinds=sorted(MANIFEST_KINDS))


def _flags() -> list[str]:
    """Return the long flags of a request, as its own parser writes them in its usage."""
    words = (word.strip("[]") for word in arguments().format_usage().split())
    return sorted({word for word in words if word.startswith("--")})
