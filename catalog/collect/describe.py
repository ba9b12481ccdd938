"""What the EC2 API says about instance types and where they are offered.

Regions are asked one after the other. Each type is described once: everything in the first region,
then in every other region only what is offered there and was not described yet.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from catalog.facts.source_rows import ListedInstance
from catalog.load import load_catalog

InstanceDescription = Mapping[str, Any]  # one InstanceTypes element of DescribeInstanceTypes
DESCRIBE_LIMIT = 100  # names that one DescribeInstanceTypes call may carry
MIB_PER_GIB = 1024
SPEED = re.compile(r"^(?:(\d+)x )?([\d.]+) Gigabit$")  # "100 Gigabit", "4x 100 Gigabit"
ARCHITECTURES = {"arm64": "arm64", "arm64_mac": "arm64", "x86_64": "x86_64", "x86_64_mac": "x86_64"}


@dataclass(frozen=True, slots=True)
class Answers:
    """Everything the API said: types by name, offerings by region, and what it refused."""

    types: dict[str, InstanceDescription] = field(default_factory=dict)
    offerings: dict[str, list[str]] = field(default_factory=dict)
    unreachable: dict[str, str] = field(default_factory=dict)  # region -> why


def asked(regions: Sequence[str]) -> Answers:
    """Return what the EC2 API lists in the regions (credentials and endpoint as boto3 finds them).

    A region that refuses (not enabled, not reachable) is reported, not fatal.
    """
    import boto3
    from botocore.exceptions import BotoCoreError, ClientError

    answers = Answers()
    for region in regions:
        client = boto3.client("ec2", region_name=region)
        try:
            _ask(client, region, answers)
        except (BotoCoreError, ClientError) as error:
            answers.offerings.pop(region, None)
            answers.unreachable[region] = str(error)
    return answers


def commercial_regions() -> list[str]:
    """Return the commercial regions that the account can name, the fullest first."""
    import boto3

    fullest = load_catalog().endpoints["ec2-types"].regions[0]
    session = boto3.Session()
    client = session.client("ec2", region_name=fullest)
    found = {row["RegionName"] for row in client.describe_regions(AllRegions=True)["Regions"]}
    commercial = {name for name in found if session.get_partition_for_region(name) == "aws"}
    return [fullest, *sorted(commercial - {fullest})]


def _ask(client: Any, region: str, answers: Answers) -> None:  # noqa: ANN401 - boto3 is untyped
    offered = sorted(
        offering["InstanceType"]
        for page in client.get_paginator("describe_instance_type_offerings").paginate()
        for offering in page["InstanceTypeOfferings"]
    )
    answers.offerings[region] = offered
    paginator = client.get_paginator("describe_instance_types")
    for wanted in _describe_pages(offered, answers.types):
        for page in paginator.paginate(**wanted):
            answers.types.update({row["InstanceType"]: row for row in page["InstanceTypes"]})


def _describe_pages(
    offered: Sequence[str], types: Mapping[str, InstanceDescription]
) -> Iterator[dict[str, Any]]:
    if not types:
        yield {}
        return
    missing = [name for name in offered if name not in types]
    for start in range(0, len(missing), DESCRIBE_LIMIT):
        yield {"InstanceTypes": missing[start : start + DESCRIBE_LIMIT]}


def listed_instance(
    described: InstanceDescription, regions: Sequence[str], *, source: str, as_of: str
) -> ListedInstance:
    """Return one described type, offered in the regions, as a row of instances.csv.

    Raises:
        KeyError, ValueError: when the API's answer lacks what every type must have.
    """
    cpu = described["VCpuInfo"]
    network = described["NetworkInfo"]
    name, count = _accelerators(described)
    return ListedInstance(
        instance_type=described["InstanceType"],
        arch=_architecture(described),
        vcpus=cpu["DefaultVCpus"],
        cores=cpu["DefaultCores"],
        host_mem_gib=described["MemoryInfo"]["SizeInMiB"] / MIB_PER_GIB,
        network_gbps=network_gbps(network),
        network_text=network["NetworkPerformance"],
        efa_interfaces=network.get("EfaInfo", {}).get("MaximumEfaInterfaces", 0),
        local_nvme_gb=described.get("InstanceStorageInfo", {}).get("TotalSizeInGB", 0),
        api_accelerator=name,
        accelerators=count,
        current_generation=described["CurrentGeneration"],
        bare_metal=described["BareMetal"],
        burstable=described["BurstablePerformanceSupported"],
        hypervisor=described.get("Hypervisor", ""),
        usage_classes=tuple(described["SupportedUsageClasses"]),
        regions=tuple(regions),
        source=source,
        as_of=as_of,
    )


def _architecture(described: InstanceDescription) -> Any:  # noqa: ANN401 - checked against the literal later
    listed = described["ProcessorInfo"]["SupportedArchitectures"]
    known = [ARCHITECTURES[name] for name in listed if name in ARCHITECTURES]
    if not known:
        raise ValueError(f"no known architecture in {listed}")
    return known[-1]


def network_gbps(network: Mapping[str, Any]) -> float | None:
    """Return the bandwidth a type sustains, all cards together.

    The wording is exact where it is a plain figure (the per-card figures then disagree for some
    types: they repeat the total on every card). For "Up to" wordings the cards' baseline counts.
    """
    plain = SPEED.match(network["NetworkPerformance"])
    if plain:
        return float(plain[2]) * int(plain[1] or 1)
    cards = [card.get("BaselineBandwidthInGbps") for card in network.get("NetworkCards", [])]
    return sum(cards) if cards and all(cards) else None


def _accelerators(described: InstanceDescription) -> tuple[str | None, int]:
    """Return the API's name and number of devices; a slice of a GPU counts as one device."""
    devices = (
        described.get("GpuInfo", {}).get("Gpus")
        or described.get("NeuronInfo", {}).get("NeuronDevices")
        or described.get("InferenceAcceleratorInfo", {}).get("Accelerators")
        or []
    )
    if not devices:
        return None, 0
    return devices[0]["Name"], sum(row.get("LogicalGpuCount", row["Count"]) for row in devices)
