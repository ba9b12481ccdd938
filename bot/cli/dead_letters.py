"""`ec2-pick dead-letters`: the questions that got no answer, and how they are taken up again."""

import argparse
import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from bot.core.figures import plain_line
from bot.store.location import StateLocationError, dynamodb_table, state_path
from bot.store.store import DeadLetter

if TYPE_CHECKING:
    from bot.store.sqlite import SqliteQueue

ON_AWS: Final = (
    "ec2-pick: the state is on AWS, whose queue takes its own dead letters up again: see "
    "“Dead letters” in docs/deploy.md\n"
)
SHOWN: Final = 80  # signs of a text: what else was said is in the file


def dead_letters(argv: Sequence[str]) -> int:
    """List what was given up, or put it back into the queue; exit 2 where nothing is of that name.

    `EC2_PICK_STATE` says where it is kept.
    """
    parser = argparse.ArgumentParser(prog="ec2-pick dead-letters", allow_abbrev=False)
    parser.add_argument(
        "--retry", nargs="+", metavar="REFERENCE", help="take these up again, or all"
    )
    options = parser.parse_args(argv)
    if dynamodb_table(os.environ) is not None:
        sys.stderr.write(ON_AWS)
        return 2
    from bot.store.sqlite import Database, SqliteQueue

    try:
        queue = SqliteQueue(Database(state_path(os.environ)))
    except (OSError, StateLocationError) as error:
        sys.stderr.write(f"ec2-pick: the state cannot be opened: {error}\n")
        return 2
    found = queue.dead_letters()
    return _take_up(queue, found, options.retry) if options.retry else _list(found)


def _list(found: Sequence[DeadLetter]) -> int:
    for one in found:
        died = datetime.fromtimestamp(one.died_at, UTC)
        said = plain_line(str(one.job.body.get("text") or one.job.key), SHOWN)
        sys.stdout.write(f"{one.job.reference}  {died:%Y-%m-%d %H:%M} UTC  {one.reason}  {said}\n")
    if not found:
        sys.stdout.write("No question is without its answer.\n")
    return 0


def _take_up(queue: "SqliteQueue", found: Sequence[DeadLetter], wanted: Sequence[str]) -> int:
    chosen = [one for one in found if one.job.reference in wanted or "all" in wanted]
    for one in chosen:
        queue.revive(one)
    sys.stdout.write(f"{len(chosen)} taken up again.\n")
    return 0 if chosen else 2
