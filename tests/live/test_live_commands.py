"""The commands with AWS, without it, and with an AWS that fails."""

import json
import subprocess
import sys
import threading

import pytest

from bot.cli.main import main
from catalog.load import load_catalog
from tests.fakes.aws_endpoint import Fault, environment
from tests.fakes.price_list import row

PLAIN_SIGNS = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE")


@pytest.fixture(autouse=True)
def state(monkeypatch, tmp_path):
    monkeypatch.setenv("EC2_PICK_STATE", f"sqlite:///{tmp_path}/state.db")


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    """Look-ups may take as long as a busy machine needs; what the budget does has its own tests."""
    monkeypatch.setattr("bot.aws.live_session.BUDGET_S", 30.0)


@pytest.fixture
def run(capsys):
    def ran(*argv):
        code = main(argv)
        out, err = capsys.readouterr()
        return code, out, err

    return ran


def priced(run, *flags, name="p5.48xlarge"):
    code, out, err = run("prices", name, "--region", "us-east-1", "--json", *flags)
    return code, json.loads(out)[0], err


def test_a_live_price_with_its_source_and_day(aws, run):
    code, quote, err = priced(run)
    assert (code, quote["usd_per_hour"], quote["source"], quote["cached"]) == (
        0,
        55.04,
        "pricing_api",
        False,
    )
    assert err == ""
    assert aws.count("GetProducts") == 1


def test_a_second_answer_is_cached_and_keeps_its_source(aws, run):
    first = priced(run)[1]
    second = priced(run)[1]
    assert second == first | {"cached": True}
    assert aws.count("GetProducts") == 1


def test_live_insists_on_aws(aws, run):
    priced(run)
    aws.price("p5.48xlarge", "50.0000000000")
    assert priced(run)[1]["usd_per_hour"] == 55.04
    assert priced(run, "--live")[1]["usd_per_hour"] == 50.0
    assert priced(run)[1]["usd_per_hour"] == 50.0


def test_offline_asks_nobody(aws, run):
    assert priced(run, "--offline")[1]["source"] == "snapshot"
    assert aws.calls == []


FAULTS = [
    ("throttled", [Fault("ThrottlingException")] * 3, "throttles"),
    ("denied", [Fault("AccessDeniedException")], "pricing:GetProducts"),
    ("server fault", [Fault("InternalErrorException", 500)] * 3, "InternalErrorException"),
    ("dropped", [Fault(dropped=True)] * 3, "cannot be reached"),
]


@pytest.mark.parametrize(("why", "faults", "words"), FAULTS)
def test_a_failing_source_never_blocks_an_answer(aws, run, why, faults, words):
    aws.fails("GetProducts", *faults)
    code, quote, err = priced(run, "--live")
    assert (code, quote["source"]) == (0, "snapshot"), why
    assert words in err
    assert f"prices of {quote['as_of']}" in err


def test_the_last_good_price_stands_in_with_its_day(aws, run):
    first = priced(run)[1]
    aws.fails("GetProducts", *[Fault("ThrottlingException")] * 3)
    code, quote, err = priced(run, "--live")
    assert (code, quote) == (0, first | {"cached": True})
    assert "unavailable" in err


def test_require_live_exits_4_where_aws_fails(aws, run):
    assert priced(run, "--require-live")[0] == 0
    aws.fails("GetProducts", Fault("AccessDeniedException"))
    code, quote, err = priced(run, "--require-live")
    assert (code, quote["cached"]) == (4, True)
    assert "no live price was obtained for p5.48xlarge" in err


def test_a_gap_in_the_list_leaves_the_embedded_price(aws, run):
    aws.products = []
    code, quote, err = priced(run)
    assert (code, quote["source"], quote["usd_per_hour"]) == (0, "snapshot", 55.04)
    assert "not sold on demand in us-east-1, where it had a price" in err


def test_not_sold_is_an_answer(aws, run):
    aws.products = [p for p in aws.products if p["type"] == "p5e.48xlarge"]
    code, out, _ = run(
        "prices", "p5e.48xlarge", "--region", "us-east-2", "--require-live", "--json"
    )
    assert code == 0
    assert json.loads(out)[0]["usd_per_hour"] is None
    assert "capacity blocks" in json.loads(out)[0]["why_unpriced"]


def test_refresh_fills_the_cache(aws, run):
    code, out, err = run("prices", "refresh", "p5.48xlarge", "g6e.xlarge", "--region", "us-east-1")
    assert (code, err) == (0, "")
    assert out == "2 of 2 prices refreshed in us-east-1\n"
    aws.fails("*", *[Fault("AccessDeniedException")] * 9)
    assert priced(run)[1]["cached"] is True


def test_refresh_with_nothing_to_show_exits_4(aws, run):
    aws.fails("GetProducts", Fault("AccessDeniedException"))
    code, out, err = run("prices", "refresh", "p5.48xlarge")
    assert code == 4
    assert out.startswith("0 of 1")
    assert "pricing:GetProducts" in err


@pytest.mark.parametrize(
    "argv", [("refresh", "p9.nope"), ("p9.nope",), ("p5.48xlarge", "--region", "x")]
)
def test_unknown_names_are_the_requests_fault(run, argv):
    code, _, err = (
        run("prices", *argv, "--offline") if argv[0] != "refresh" else run("prices", *argv)
    )
    assert code == 2
    assert err


def answered(run, *argv):
    code, out, err = run(*argv, "--json")
    return code, json.loads(out), err


def whole_list(aws):
    """Let the list hold every accelerated type at its embedded price."""
    catalog = load_catalog()
    for name, instance in catalog.instances.items():
        usd = catalog.prices.quote(instance, "us-east-1").usd_per_hour
        if instance.accelerators and usd is not None:
            aws.products.append(row(name, f"{usd:.10f}", f"WHOLELIST-{name}"))


def test_a_pick_is_ranked_by_live_prices(aws, run):
    request = "inference 7B latency<100ms"
    before = answered(run, request, "--offline")[1]["picks"][0]
    assert before["instance_type"] == "g6e.xlarge"
    aws.price("g6e.xlarge", "2.9990000000")  # dearer by 60 %
    code, after, _ = answered(run, request)
    first = after["picks"][0]
    assert code == 0
    assert first["instance_type"] != "g6e.xlarge"
    assert first["price"]["usd_per_hour"] < 2.999
    beaten = next(r for r in after["rejected"] if r["instance_type"] == "g6e.xlarge")
    assert beaten["numbers"][0]["value"] == 2.999


def test_a_card_says_what_is_live_and_what_aws_said(aws, run):
    whole_list(aws)
    aws.quotas = {"L-DB2E81BA": 0.0}
    aws.offerings = {"g6e.xlarge": ["use1-az4", "use1-az2"]}
    _, answer, _ = answered(run, "inference 7B latency<100ms")
    pick = answer["picks"][0]
    assert pick["price"]["source"] == "pricing_api"
    assert any("0 vCPUs, this needs 4: 4 short" in line for line in pick["caveats"])
    assert "offered in use1-az2, use1-az4" in pick["caveats"]
    assert "live_partial" in answer["codes"]


def test_without_aws_the_card_says_so_and_answers(aws, run):
    aws.fails("*", *[Fault("AccessDeniedException")] * 99)
    code, answer, _ = answered(run, "inference 7B latency<100ms", "--live")
    assert code == 0
    assert answer["picks"][0]["price"]["source"] == "snapshot"
    warning = next(w for w in answer["warnings"] if w.startswith("Live prices unavailable"))
    assert "prices of 20" in warning
    assert run("inference 7B latency<100ms", "--require-live")[0] == 4


def test_spot_is_ranked_by_spot_prices(aws, run):
    aws.spot = [
        {
            "instanceType": name,
            "productDescription": "Linux/UNIX",
            "spotPrice": usd,
            "timestamp": "2026-11-19T00:00:00Z",
            "availabilityZone": "us-east-1a",
            "availabilityZoneId": "use1-az1",
        }
        for name, usd in (("g6e.xlarge", "0.2000"), ("g6.xlarge", "0.7000"))
    ]
    aws.scores = [{"region": "us-east-1", "availabilityZoneId": "use1-az4", "score": 9}]
    _, answer, _ = answered(run, "inference 7B latency<100ms on spot")
    pick = answer["picks"][0]
    assert (pick["instance_type"], pick["price"]["usd_per_hour"]) == ("g6e.xlarge", 0.2)
    assert pick["price"]["source"] == "spot_history"
    assert any("score 9 of 10 in use1-az4" in line for line in pick["caveats"])


def test_flags_that_contradict_are_refused(run):
    with pytest.raises(SystemExit) as refused:
        run("inference 7B", "--offline", "--live")
    assert refused.value.code == 2


def test_a_pricing_region_without_an_endpoint_is_refused(aws, run, monkeypatch):
    monkeypatch.setenv("EC2_PICK_PRICING_REGION", "eu-west-1")
    with pytest.raises(SystemExit) as refused:
        run("inference 7B")
    assert refused.value.code == 2
    assert aws.calls == []


def loaded_by(*argv, environ):
    script = (
        "import sys, io\nsys.stdout = io.StringIO()\nfrom bot.cli.main import main\n"
        f"main({list(argv)!r})\nsys.stdout = sys.__stdout__\n"
        "print(*[name for name in ('boto3', 'botocore', 'sqlite3') if name in sys.modules])"
    )
    run = subprocess.run(
        [sys.executable, "-c", script], env=environ, capture_output=True, text=True, check=True
    )
    return run.stdout.split()


@pytest.mark.parametrize("argv", [("inference 7B latency<100ms",), ("prices", "p5.48xlarge")])
def test_without_credentials_nothing_of_aws_is_imported(tmp_path, argv):
    environ = {"HOME": str(tmp_path), "PYTHONPATH": ".", "PATH": "/usr/bin:/bin"}
    assert loaded_by(*argv, environ=environ) == []
    folder = tmp_path / ".aws"
    folder.mkdir()
    (folder / "config").write_text("[default]\nregion = eu-west-1\n")  # a region is no credential
    assert loaded_by(*argv, environ=environ) == []
    signed = environ | {"AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "x"}
    assert loaded_by(*argv, "--offline", environ=signed) == []


def test_an_aws_that_hangs_costs_the_budget_once(aws, run, monkeypatch):
    """The answer comes while AWS still holds every request."""
    monkeypatch.setattr("bot.aws.live_session.BUDGET_S", 0.3)
    held = threading.Event()
    aws.fails("*", *[Fault(held=held)] * 99)
    try:
        code, answer, _ = answered(run, "inference 7B latency<100ms", "--live")
        assert not held.is_set()
    finally:
        held.set()
    assert code == 0
    assert answer["picks"][0]["price"]["source"] == "snapshot"
    assert any("did not answer in time" in warning for warning in answer["warnings"])


def test_a_test_server_without_these_services_is_survived(aws_url, run, monkeypatch):
    for name, value in environment(aws_url).items():
        monkeypatch.setenv(name, value)
    code, quote, err = priced(run, "--live")
    assert (code, quote["source"]) == (0, "snapshot")
    assert "pricing answered" in err
    code, quote, _ = priced(run, "--live", "--market", "spot", name="g6e.xlarge")
    assert code == 0
    assert quote["usd_per_hour"] is None or quote["usd_per_hour"] > 0.05


def test_a_capacity_block_is_asked_for_as_it_was_said(aws, run):
    aws.blocks = [
        {
            "instanceType": "p5.48xlarge",
            "availabilityZone": "us-east-2a",
            "instanceCount": 1,
            "startDate": "2026-12-01T11:30:00Z",
            "endDate": "2026-12-15T11:30:00Z",
            "upfrontFee": "10080.0",  # 336 h at $30
            "currencyCode": "USD",
        }
    ]
    request = (
        "train 8B on a capacity block for 2 weeks from 2099-01-05 in us-east-2 instance=p5.48xlarge"
    )
    _, answer, _ = answered(run, request)
    priced_ones = {pick["instance_type"]: pick["price"] for pick in answer["picks"]}
    assert priced_ones["p5.48xlarge"]["usd_per_hour"] == pytest.approx(30.0)
    assert priced_ones["p5.48xlarge"]["source"] == "capacity_block"
    asked = [form for name, form in aws.calls if name == "DescribeCapacityBlockOfferings"]
    assert {form["CapacityDurationHours"] for form in asked} == {"336"}
    assert all(form["StartDateRange"].startswith("2099-01-05") for form in asked)


def test_a_local_zone_is_priced_by_the_list_and_nothing_else_is_asked_there(aws, run):
    code, out, _ = run("prices", "p5.48xlarge", "--region", "us-east-1-atl-1", "--live", "--json")
    assert (code, json.loads(out)[0]["usd_per_hour"]) == (0, 55.04)
    spot = ("--market", "spot", "--json", "--live")
    code, out, _ = run("prices", "p5.48xlarge", "--region", "us-east-1-atl-1", *spot)
    assert (code, json.loads(out)[0]["source"]) == (0, "snapshot")
    assert {name for name, _ in aws.calls} == {"GetProducts"}
