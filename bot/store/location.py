"""Where state is kept: the value of EC2_PICK_STATE, or the user's data folder."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

VARIABLE = "EC2_PICK_STATE"
QUEUE_URL = "EC2_PICK_QUEUE_URL"  # SQS, where the state is on DynamoDB
DEAD_LETTER_URL = "EC2_PICK_DEAD_LETTER_URL"
SQLITE_PREFIX = "sqlite:///"
DYNAMODB_PREFIX = "dynamodb://"
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.NamingRulesDataTypes.html
TABLE_NAME = re.compile(r"[A-Za-z0-9_.-]{3,255}")


class StateLocationError(ValueError):
    """EC2_PICK_STATE names no place this command can keep state in."""


def state_path(environ: Mapping[str, str]) -> "Path":
    """Return the SQLite file that EC2_PICK_STATE names, by default under the user's data folder.

    What follows `sqlite:///` is the path as one would type it: `sqlite:///state.db` is relative,
    `sqlite:////var/lib/ec2-pick/state.db` absolute, as SQLAlchemy reads such an address.

    Raises:
        StateLocationError: the value is not of the form `sqlite:///path`.
    """
    value = environ.get(VARIABLE, "").strip()
    if not value:
        return _default_path()
    path = value.removeprefix(SQLITE_PREFIX)
    if path == value or not path or path.startswith(":"):
        raise _location_error(value)
    from pathlib import Path  # an import that the Lambda functions do not wait for

    return Path(path).expanduser()


def dynamodb_table(environ: Mapping[str, str]) -> str | None:
    """Return the table that EC2_PICK_STATE names; None where it names no DynamoDB table.

    Raises:
        StateLocationError: what follows `dynamodb://` is no table's name.
    """
    value = environ.get(VARIABLE, "").strip()
    if not value.startswith(DYNAMODB_PREFIX):
        return None
    table = value.removeprefix(DYNAMODB_PREFIX)
    if not TABLE_NAME.fullmatch(table):
        raise _location_error(value)
    return table


def _location_error(value: str) -> StateLocationError:
    return StateLocationError(
        f"{VARIABLE}={value!r} is not understood: write {SQLITE_PREFIX}path/to/state.db"
        f" or {DYNAMODB_PREFIX}table-name"
    )


def _default_path() -> "Path":
    from platformdirs import user_data_path

    return user_data_path("ec2-pick", appauthor=False) / "state.db"
