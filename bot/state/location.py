"""Where state is kept: the value of EC2_PICK_STATE, or the user's data folder."""

from collections.abc import Mapping
from pathlib import Path

VARIABLE = "EC2_PICK_STATE"
SQLITE_PREFIX = "sqlite:///"


class StateLocationError(ValueError):
    """EC2_PICK_STATE names no place this command can keep state in."""


def state_path(environ: Mapping[str, str]) -> Path:
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
        raise StateLocationError(
            f"{VARIABLE}={value!r} is not understood: write {SQLITE_PREFIX}path/to/state.db"
        )
    return Path(path).expanduser()


def _default_path() -> Path:
    from platformdirs import user_data_path

    return user_data_path("ec2-pick", appauthor=False) / "state.db"
