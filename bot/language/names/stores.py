"""Where the model comes from and where checkpoints go: "from s3://bucket/prefix", "model on FSx".

Buckets and prefixes are held to what S3 and a mount option take; anything else is refused here.
"""

import re

from bot.core.errors import RequestError
from bot.core.examples import example
from bot.language.draft import Draft

# An S3 address, as long as it goes on: what is wrong with it is said, not cut off.
ADDRESS = r"s3://(?P<address>[^\s<>\"'`,;]*)"
KIND = r"(?P<kind>s3|fsx(?: for lustre)?|lustre|efs|ebs|gp3|pvc|persistent volume(?: claim)?)\b"
PLACE = rf"(?:<?{ADDRESS}>?|{KIND})"
OWNER = r"(?:(?:an?|my|our|the) )?(?:amazon )?"
CHECKPOINTS = re.compile(
    rf"\bcheckpoint(?:s|ing|ed)?\b[^,;.]{{0,20}}?\b(?:to|in|on|into) {OWNER}{PLACE}"
)
MODEL = re.compile(
    rf"\b(?:model|weights|checkpoint|artifacts?|artefacts?|cached?|stored|loaded|load|lives?|sits?"
    rf"|is|are)(?: is| are| it)? (?:in|on|from) {OWNER}{PLACE}"
    rf"|\bfrom {OWNER}{PLACE.replace('address', 'address2').replace('kind', 'kind2')}"
)
CHECKPOINTS_FIELD = re.compile(rf"\bcheckpoint_store ?[=:] ?{PLACE}")
MODEL_FIELD = re.compile(rf"\b(?:source|model_source) ?[=:] ?{PLACE}")
BARE = re.compile(rf"<?{ADDRESS}>?")
BUCKET = re.compile(r"[a-z0-9](?:[a-z0-9]|[.-](?=[a-z0-9])){1,61}[a-z0-9]")
PREFIX = re.compile(r"[A-Za-z0-9._=/+-]{0,512}")
KINDS = {
    "s3": "s3",
    "fsx": "fsx",
    "lustre": "fsx",
    "efs": "efs",
    "ebs": "ebs",
    "gp3": "ebs",
    "pvc": "pvc",
    "persistent": "pvc",
}


def read_stores(draft: Draft) -> None:
    """Say the `model_source` and, of a training job, the `checkpoint_store`.

    Raises:
        RequestError: an S3 address that no bucket can have.
    """
    for pattern, name in (
        (CHECKPOINTS_FIELD, "checkpoint_store"),
        (MODEL_FIELD, "model_source"),
        (CHECKPOINTS, "checkpoint_store"),
        (MODEL, "model_source"),
        (BARE, "model_source"),
    ):
        for match in draft.reader.matches(pattern):
            draft.say(name, _store(draft, match), *match.span())


def _store(draft: Draft, match: re.Match[str]) -> str:
    groups = match.groupdict()
    kind = groups.get("kind") or groups.get("kind2")
    if kind:
        return KINDS[kind.split()[0]]
    which = "address" if groups.get("address") is not None else "address2"
    address = draft.reader.words(*match.span(which)) if groups[which] else ""
    bucket, _, prefix = address.rstrip(".").partition("/")
    prefix = prefix.strip("/")
    if not BUCKET.fullmatch(bucket) or not PREFIX.fullmatch(prefix) or ".." in prefix:
        raise RequestError(
            "invalid_value",
            "That is no S3 address: a bucket has 3 to 63 lower-case letters, digits, dots and "
            "hyphens, its prefix letters, digits and . _ = + - /.",
            words=address[:120],
            example=example("stores"),
        )
    return f"s3://{bucket}/{prefix}" if prefix else f"s3://{bucket}"
