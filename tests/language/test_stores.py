"""Where a model comes from and checkpoints go is read as said; what is no address is refused."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.errors import RequestError
from bot.language.parse import parse
from catalog.load import load_catalog

CATALOG = load_catalog()
SAFE = re.compile(r"s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/[A-Za-z0-9._=/+-]+)?")


@pytest.mark.parametrize(
    ("text", "source", "checkpoints"),
    [
        ("llama-3.1-8b from s3://my-models/Llama-3_1/v=2/", "s3://my-models/Llama-3_1/v=2", None),
        ("inference 7B source=s3://my-models", "s3://my-models", None),
        ("inference 7B from <s3://my-models/a>", "s3://my-models/a", None),
        ("inference llama-3.1-8b from s3://my-models. latency below 1 s", "s3://my-models", None),
        ("inference llama-3.1-8b from S3", "s3", None),
        ("kubernetes yaml for llama-3.1-8b, model on a PVC", "pvc", None),
        ("llama-3.1-8b inference, weights are on our FSx for Lustre", "fsx", None),
        ("llama-3.1-8b inference, the model is in EFS", "efs", None),
        ("llama-3.1-8b inference, model on EBS", "ebs", None),
        ("train llama-3.1-8b, checkpoints to s3://ck-1/run", None, "s3://ck-1/run"),
        ("train llama-3.1-8b checkpointing to fsx", None, "fsx"),
        (
            "finetune 8B lora from s3://base-1/x, checkpoints in s3://ck-1",
            "s3://base-1/x",
            "s3://ck-1",
        ),
        ("move llama-3.1-8b from g5 to inf2", None, None),
        ("inference 7B", None, None),
    ],
)
def test_what_is_said_is_read(text, source, checkpoints):
    understood = parse(text, CATALOG)
    assert understood.workload.model_source == source
    assert understood.workload.checkpoint_store == checkpoints
    assert not any("s3" in span.text for span in understood.not_understood)


@pytest.mark.parametrize(
    "address",
    [
        "My-Bucket/x",
        "a/b",
        "b_1/x",
        "ab..cd/x",
        "models/../secret",
        "models/$(id)",
        "models/a|b",
        "",
    ],
)
def test_what_is_no_bucket_is_refused(address):
    with pytest.raises(RequestError, match="no S3 address"):
        parse(f"inference 7B from s3://{address}", CATALOG)


def test_a_thread_keeps_it():
    first = parse("inference llama-3.1-8b from s3://my-models/a", CATALOG)
    later = parse("kubernetes yaml", CATALOG, first.workload)
    assert later.workload.model_source == "s3://my-models/a"


@settings(max_examples=80, deadline=None)
@given(tail=st.text(max_size=80))
def test_only_safe_addresses_come_through(tail):
    try:
        understood = parse(f"inference 7B from s3://{tail}", CATALOG)
    except RequestError:
        return
    source = understood.workload.model_source
    assert source in {None, "s3"} or SAFE.fullmatch(source)
