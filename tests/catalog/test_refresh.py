"""A refresh against an EC2 API over HTTP: complete, atomic, not fooled into publishing less."""

import pytest
from moto.server import ThreadedMotoServer

from catalog.collect import refresh as refreshing
from catalog.collect.describe import Answers, commercial_regions
from catalog.collect.refresh import refresh
from catalog.load import DATA_DIR
from tests.catalog.small_data import read, write, write_small_data

SOURCE = "EC2 DescribeInstanceTypes and DescribeInstanceTypeOfferings, as served by moto 5.2.5"


@pytest.fixture(scope="module")
def endpoint():
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def ec2(endpoint, monkeypatch):
    """boto3 talks to the fake EC2 only."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


@pytest.fixture
def folder(tmp_path):
    for name in ("families.csv", "instances.csv"):
        (tmp_path / name).write_bytes((DATA_DIR / name).read_bytes())
    return tmp_path


@pytest.mark.usefixtures("ec2")
@pytest.mark.slow
def test_refresh_lists_what_the_api_lists(folder):
    report = refresh(folder, ["us-east-1", "eu-west-3"], source=SOURCE, as_of="2026-10-27")
    assert report.published
    assert report.types == 1395
    assert report.regions == ("eu-west-3", "us-east-1")
    assert report.bad_rows == report.unreachable == {}
    assert report.added == report.removed == report.unknown_families == ()
    # The embedded snapshot was made by this very code, so nothing may change.
    assert (folder / "instances.csv").read_text() == (DATA_DIR / "instances.csv").read_text()
    assert not list(folder.glob("*.tmp"))


@pytest.mark.slow
@pytest.mark.usefixtures("ec2")
def test_the_embedded_snapshot_is_what_all_regions_list(folder):
    (folder / "instances.csv").unlink()
    refresh(folder, source=SOURCE, as_of="2026-10-27")
    assert (folder / "instances.csv").read_text() == (DATA_DIR / "instances.csv").read_text()


@pytest.mark.usefixtures("ec2")
def test_only_commercial_regions_are_asked():
    regions = commercial_regions()
    assert regions[0] == "us-east-1"
    assert len(regions) == len(set(regions)) == 34
    assert not any(code.startswith(("us-gov-", "cn-")) for code in regions)


DESCRIBED = {
    "InstanceType": "c7i.large",
    "CurrentGeneration": True,
    "SupportedUsageClasses": ["on-demand", "spot"],
    "BareMetal": False,
    "Hypervisor": "nitro",
    "ProcessorInfo": {"SupportedArchitectures": ["x86_64"]},
    "VCpuInfo": {"DefaultVCpus": 2, "DefaultCores": 1},
    "MemoryInfo": {"SizeInMiB": 4096},
    "NetworkInfo": {"NetworkPerformance": "Up to 12.5 Gigabit", "NetworkCards": []},
    "BurstablePerformanceSupported": False,
}


def described(*names, **changes):
    return {name: DESCRIBED | {"InstanceType": name} | changes for name in names}


@pytest.fixture
def answered(monkeypatch):
    """Make the API answer as told."""

    def answer(**said):
        monkeypatch.setattr(refreshing, "asked", lambda _: Answers(**said))

    return answer


@pytest.fixture
def small(tmp_path):
    write_small_data(tmp_path)
    return tmp_path


NAMES = ("c7i.large", "g5.xlarge", "g6f.large", "p5e.48xlarge")


def listed(folder):
    return [row["instance_type"] for row in read(folder / "instances.csv")[1]]


def test_one_bad_row_is_reported_and_the_rest_published(small, answered):
    types = described(*NAMES, "c7i.xlarge") | described("c7i.2xlarge", MemoryInfo={})
    types |= described("c7i.4xlarge", VCpuInfo={"DefaultVCpus": 0, "DefaultCores": 1})
    answered(types=types, offerings={"us-east-1": list(types)})
    report = refresh(small, ["us-east-1"])
    assert report.published
    assert set(report.bad_rows) == {"c7i.2xlarge", "c7i.4xlarge"}
    assert "SizeInMiB" in report.bad_rows["c7i.2xlarge"]
    assert report.added == ("c7i.xlarge",)
    assert listed(small) == sorted([*NAMES, "c7i.xlarge"])


def test_an_unknown_family_waits_for_its_row(small, answered):
    answered(types=described(*NAMES, "z99.large"), offerings={"us-east-1": [*NAMES, "z99.large"]})
    report = refresh(small, ["us-east-1"])
    assert report.unknown_families == ("z99",)
    assert "left out family z99: add it to families.csv" in str(report)
    assert str(report).startswith("4 instance types from 1 regions (0 added, 0 removed)")
    assert listed(small) == sorted(NAMES)


def test_far_fewer_types_are_not_published(small, answered):
    before = (small / "instances.csv").read_text()
    answered(types=described("c7i.large"), offerings={"us-east-1": ["c7i.large"]})
    report = refresh(small, ["us-east-1"])
    assert not report.published
    assert "1 usable types where the file has 4" in report.refused
    assert (small / "instances.csv").read_text() == before


def test_force_publishes_fewer(small, answered):
    answered(types=described("c7i.large"), offerings={"us-east-1": ["c7i.large"]})
    report = refresh(small, ["us-east-1"], force=True)
    assert report.published
    assert report.removed == ("g5.xlarge", "g6f.large", "p5e.48xlarge")
    assert listed(small) == ["c7i.large"]


def test_a_region_that_refuses_keeps_its_offerings(small, answered):
    header, rows = read(small / "instances.csv")
    rows[0]["regions"] = "eu-central-1; us-east-1"
    write(small / "instances.csv", header, rows)
    answered(
        types=described(*NAMES),
        offerings={"us-east-1": ["g5.xlarge"]},
        unreachable={"eu-central-1": "AuthFailure"},
    )
    report = refresh(small, ["us-east-1", "eu-central-1"])
    regions = {row["instance_type"]: row["regions"] for row in read(small / "instances.csv")[1]}
    assert report.unreachable == {"eu-central-1": "AuthFailure"}
    assert regions["c7i.large"] == "eu-central-1"  # no longer in us-east-1, unknown elsewhere
    assert "us-east-1" in regions["g5.xlarge"]


def test_no_endpoint_is_a_report_not_a_crash(small, monkeypatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    before = (small / "instances.csv").read_text()
    report = refresh(small, ["us-east-1"])
    assert set(report.unreachable) == {"us-east-1"}
    assert not report.published
    assert (small / "instances.csv").read_text() == before
