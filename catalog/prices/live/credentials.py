"""Whether AWS credentials may be there, without importing boto3 (it costs a third of a second)."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

# Any of these set means that boto3's chain has something to try before the instance metadata.
SIGNS: Final = (
    "AWS_ACCESS_KEY_ID",
    "AWS_PROFILE",
    "AWS_DEFAULT_PROFILE",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
)
FILES: Final = (
    ("AWS_SHARED_CREDENTIALS_FILE", "~/.aws/credentials"),
    ("AWS_CONFIG_FILE", "~/.aws/config"),
)
ENTRIES: Final = ("aws_access_key_id", "role_arn", "credential_process", "sso_", "login_session")


def credentials_given(environ: Mapping[str, str]) -> bool:
    """Return whether the environment holds a key itself, as on Lambda: boto3 need not look."""
    return bool(environ.get("AWS_ACCESS_KEY_ID") and environ.get("AWS_SECRET_ACCESS_KEY"))


def credentials_likely(environ: Mapping[str, str]) -> bool:
    """Return whether the environment or a file gives boto3 a place to find credentials.

    An instance's own role is not looked for: off EC2 that question waits for a time-out. On EC2
    `--live` asks all the same.
    """
    if any(environ.get(name) for name in SIGNS):
        return True
    return any(
        _holds_some(Path(environ.get(variable) or default).expanduser())
        for variable, default in FILES
    )


def _holds_some(path: Path) -> bool:
    """Return whether a file names credentials or a way to them (one may hold a region alone)."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return any(entry in text for entry in ENTRIES)


def has_credentials() -> bool:
    """Return whether boto3 finds credentials (imports boto3; may ask the instance metadata)."""
    import boto3
    from botocore.exceptions import BotoCoreError

    try:
        return boto3.Session().get_credentials() is not None
    except BotoCoreError:  # a profile that does not exist, a file that cannot be read
        return False
