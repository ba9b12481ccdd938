"""What the EC2 API says about one type, read without trusting it blindly."""

import copy

import pytest

from catalog.collect.describe import listed_instance, network_gbps

PLAIN = {
    "InstanceType": "m9x.large",
    "CurrentGeneration": True,
    "SupportedUsageClasses": ["on-demand", "spot"],
    "BareMetal": False,
    "Hypervisor": "nitro",
    "ProcessorInfo": {"SupportedArchitectures": ["x86_64"]},
    "VCpuInfo": {"DefaultVCpus": 2, "DefaultCores": 1},
    "MemoryInfo": {"SizeInMiB": 8192},
    "NetworkInfo": {
        "NetworkPerformance": "Up to 10 Gigabit",
        "NetworkCards": [{"BaselineBandwidthInGbps": 0.75}],
    },
    "BurstablePerformanceSupported": False,
}


def row(**changes):
    described = copy.deepcopy(PLAIN) | changes
    return listed_instance(
        described, ["eu-west-1", "us-east-1"], source="a test", as_of="2026-10-27"
    )


def test_a_plain_type():
    found = row()
    assert (found.vcpus, found.cores, found.host_mem_gib) == (2, 1, 8.0)
    assert (found.api_accelerator, found.accelerators) == (None, 0)
    assert found.network_gbps == 0.75
    assert found.efa_interfaces == found.local_nvme_gb == 0
    assert found.regions == ("eu-west-1", "us-east-1")


GPU = {"Name": "L4", "Count": 0, "LogicalGpuCount": 1, "GpuPartitionSize": 0.125}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"GpuInfo": {"Gpus": [GPU]}}, ("L4", 1)),  # a slice: the count of whole GPUs is 0
        ({"GpuInfo": {"Gpus": [{"Name": "H100", "Count": 8}]}}, ("H100", 8)),
        ({"GpuInfo": {"Gpus": [GPU | {"Name": "H100", "GpuPartitionSize": 1.0}]}}, ("H100", 1)),
        (
            {"NeuronInfo": {"NeuronDevices": [{"Name": "Trainium2", "Count": 16}]}},
            ("Trainium2", 16),
        ),
        (
            {"InferenceAcceleratorInfo": {"Accelerators": [{"Name": "AI100", "Count": 8}]}},
            ("AI100", 8),
        ),
        ({"MediaAcceleratorInfo": {"Accelerators": [{"Name": "U30", "Count": 2}]}}, (None, 0)),
        ({"FpgaInfo": {"Fpgas": [{"Name": "VU47P", "Count": 8}]}}, (None, 0)),
    ],
)
def test_devices(changes, expected):
    found = row(**changes)
    assert (found.api_accelerator, found.accelerators) == expected


@pytest.mark.parametrize(
    ("listed", "expected"),
    [
        (["x86_64"], "x86_64"),
        (["i386", "x86_64"], "x86_64"),
        (["arm64"], "arm64"),
        (["arm64_mac"], "arm64"),
        (["x86_64_mac"], "x86_64"),
    ],
)
def test_architecture(listed, expected):
    assert row(ProcessorInfo={"SupportedArchitectures": listed}).arch == expected


def test_an_unknown_architecture_is_an_error():
    with pytest.raises(ValueError, match="no known architecture in"):
        row(ProcessorInfo={"SupportedArchitectures": ["riscv64"]})


@pytest.mark.parametrize(
    ("wording", "cards", "expected"),
    [
        ("100 Gigabit", [100.0], 100),
        ("4x 100 Gigabit", [100.0] * 4, 400),
        ("12.5 Gigabit", [12.5], 12.5),
        ("400 Gigabit", [400.0] * 4, 400),  # the cards repeat the total
        ("3200 Gigabit", [200.0] * 8, 3200),
        ("Up to 25 Gigabit", [5.0], 5.0),
        ("Moderate", [], None),
        ("High", [None], None),
    ],
)
def test_network(wording, cards, expected):
    network = {
        "NetworkPerformance": wording,
        "NetworkCards": [{"BaselineBandwidthInGbps": each} if each else {} for each in cards],
    }
    assert network_gbps(network) == expected
