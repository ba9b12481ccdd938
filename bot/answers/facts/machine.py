"""A type as AWS sells it: its sheet, the images it starts from, the quota it counts against."""

from collections.abc import Iterator
from typing import Final

from bot.answers.costs.bill import bought_words, ways_to_buy
from bot.answers.facts.subject import Subject, prices_now, subject_of, table_reply
from bot.answers.reply import Reply
from bot.answers.turn import Turn
from bot.core.figures import counted, usd, usd_per_hour
from bot.core.wording import hardware, machines, price_note
from bot.manifests.node_file import KUBERNETES_VERSION
from catalog.catalog import Catalog
from catalog.facts.schema import Accelerator, Instance
from catalog.facts.units import HOURS_PER_MONTH
from catalog.names import chip_words
from catalog.reference import MachineImage, machine_images, service_quotas
from engine.core.result import Number

CUSTOM: Final = "CUSTOM"
NO_PRICE: Final = "no price is known"
UNKNOWN: Final = "not known"
BLOCKS_COUNT: Final = "Capacity Blocks have a quota of their own, counted in instances."


def spec_turn(turn: Turn) -> Reply:
    """Return the sheet of a type: what is in it, what it costs in every way, where it is sold."""
    subject = subject_of(turn)
    instance, catalog = subject.instance, turn.world.catalog
    price = catalog.prices.quote(instance, subject.region)
    told = price.why_unpriced or NO_PRICE
    if price.usd_per_hour is not None:
        told = f"{usd_per_hour(price.usd_per_hour)} on demand"
    chips = f"{hardware(instance)}, " if instance.accelerator_id else ""
    line = (
        f"{subject.name}: {chips}{instance.vcpus:,} vCPU,"
        f" {instance.host_mem_gib:,g} GiB; {told} in {subject.region}."
    )
    return table_reply(
        turn,
        subject,
        title=f"{subject.name} as AWS sells it",
        line=line,
        columns=("what", "figure"),
        rows=[*_sheet_rows(instance, catalog), *_buying_rows(turn, subject)],
        notes=(
            f"{price_note(price)}.",
            f"Types as of {catalog.as_of}: {instance.source}.",
            instance.lifecycle or "",
        ),
        numbers=()
        if price.usd_per_hour is None
        else (Number("price", price.usd_per_hour, "USD/h"),),
    )


def _sheet_rows(instance: Instance, catalog: Catalog) -> Iterator[tuple[str, str]]:
    chip = catalog.accelerators.get(instance.accelerator_id or "")
    yield "vCPU", f"{instance.vcpus:,} ({instance.cores:,} cores, {instance.arch})"
    yield "host memory", f"{instance.host_mem_gib:,g} GiB"
    if chip is not None:
        yield from _chip_rows(instance, chip)
    yield "network", instance.network_text or UNKNOWN
    yield "EFA", f"yes, {counted(instance.efa_interfaces, 'interface')}" if instance.efa else "no"
    yield "local NVMe", f"{instance.local_nvme_gb:,} GB" if instance.local_nvme_gb else "none"
    yield "quota on demand", instance.quota_code_on_demand or UNKNOWN
    yield "quota on spot", instance.quota_code_spot or UNKNOWN
    shown = ", ".join(instance.regions[:6]) + (" …" if len(instance.regions) > 6 else "")
    yield "regions", f"{len(instance.regions)}: {shown}" if instance.regions else "none"


def _chip_rows(instance: Instance, chip: Accelerator) -> Iterator[tuple[str, str]]:
    yield "accelerators", f"{instance.accelerators}× {chip_words(chip.id)}"
    usable = f"{chip.mem_gib_usable:g} GiB usable, " if chip.mem_gib_usable else ""
    each = "" if instance.accelerators == 1 else " each"
    yield "their memory", f"{usable}{chip.mem_gb_marketed:g} GB marketed{each}"
    yield "their bandwidth", f"{chip.mem_bw_gb_s:,.0f} GB/s{each}"
    sixteen = chip.tflops_bf16 if chip.native_bf16 else chip.tflops_fp16
    yield "dense 16-bit", f"{sixteen:,.0f} TFLOPS{each}" if sixteen else UNKNOWN
    yield "link", chip.link.replace("_", " ") if instance.accelerators > 1 else "one chip"


def _buying_rows(turn: Turn, subject: Subject) -> Iterator[tuple[str, str]]:
    """Yield the price in each way to buy; what is not known or not sold says so."""
    prices = prices_now(turn, subject.instance, subject.region)
    for quote, term in ways_to_buy(prices, subject.instance, subject.region):
        price, why = quote.usd_per_hour, quote.why_unpriced or UNKNOWN
        month = "" if price is None else f", {usd(price * HOURS_PER_MONTH)} a month"
        told = why if price is None else f"{usd_per_hour(price)}{month} ({quote.as_of})"
        yield bought_words(quote, term), told


def ami_turn(turn: Turn) -> Reply:
    """Return which image a type starts from, its driver, and how to look its id up."""
    subject, catalog = subject_of(turn), turn.world.catalog
    instance = subject.instance
    images = _images_for(instance, catalog)
    eks = catalog.eks.get(subject.name)
    version = turn.understanding.details.get("k8s", KUBERNETES_VERSION)
    line = _image_line(subject, images)
    chip = catalog.accelerators.get(instance.accelerator_id or "")
    floor = chip.min_driver if chip is not None else None
    notes = [
        f"Its GPU needs driver {floor} or newer." if floor else "",
        f"{eks.note[:1].upper()}{eks.note[1:]}." if eks is not None and eks.note else "",
        *(
            f"{image.ami_type} lacks {', '.join(image.lacks)}."
            for image in images[:1]
            if image.lacks
        ),
        *(_lookup(image, version, subject.region) for image in images[:1] if image.parameter),
        *dict.fromkeys(f"As of {image.as_of}: {image.source}." for image in images),
    ]
    return table_reply(
        turn,
        subject,
        title=f"The image of {subject.name}",
        line=line,
        columns=("image", "what it is", "driver", "CUDA", "carries"),
        rows=[_image_row(image, instance) for image in images],
        notes=notes,
    )


def _images_for(instance: Instance, catalog: Catalog) -> list[MachineImage]:
    """Return the images that a type starts from, the one to take first.

    EKS names those of accelerated types; others start from the plain ones of their processor.
    """
    known, eks = machine_images(), catalog.eks.get(instance.instance_type)
    if eks is not None:
        named = [known[name] for name in eks.managed_ami_types if name != CUSTOM]
    else:
        plain = (i for i in known.values() if i.accelerator_class is None and not i.families)
        named = [image for image in plain if image.arch == instance.arch]
    return [*named, *(image for image in known.values() if instance.family in image.families)]


def _image_line(subject: Subject, images: list[MachineImage]) -> str:
    if not images:
        return f"{subject.name}: no image of AWS is known that has a driver for it; bring your own."
    first = images[0]
    if first.driver:
        cuda = f", CUDA up to {first.cuda}" if first.cuda else ""
        return f"{subject.name}: {first.ami_type}, driver {first.driver}{cuda}."
    if subject.instance.accelerators:
        return f"{subject.name}: {first.ami_type}; the version of its driver is not known here."
    return f"{subject.name}: {first.ami_type}; it has no accelerator, so no driver is needed."


def _image_row(image: MachineImage, instance: Instance) -> tuple[str, ...]:
    missing = UNKNOWN if instance.accelerators else "none"
    carries = ", ".join(image.carries)
    return image.ami_type, image.name, image.driver or missing, image.cuda or "", carries


def _lookup(image: MachineImage, version: str, region: str) -> str:
    """Return the command that prints the id of the newest image."""
    parameter = (image.parameter or "").format(version=version)
    return (
        f"Its id: aws ssm get-parameter --region {region} --query Parameter.Value --output text"
        f" --name {parameter}"
    )


def quota_turn(turn: Turn) -> Reply:
    """Return which quotas the machines count against, how much they take, and how to ask for it."""
    subject = subject_of(turn)
    instance = subject.instance
    vcpus = instance.vcpus * subject.count
    codes = {"on-demand": instance.quota_code_on_demand, "spot": instance.quota_code_spot}
    code = codes["spot" if turn.workload.market == "spot" else "on-demand"]
    known = [quota for one in codes.values() if (quota := service_quotas().get(one or ""))]
    ask = (
        "Ask for it: aws service-quotas request-service-quota-increase --service-code ec2"
        f" --quota-code {code} --desired-value {vcpus} --region {subject.region}"
    )
    return table_reply(
        turn,
        subject,
        title=f"The quota of {machines(subject.name, subject.count)}",
        line=f"{subject.count}x {subject.name} {_needs(vcpus, code)}.",
        columns=("bought", "code", "name", "new account", "needed"),
        rows=[_quota_row(bought, one, vcpus) for bought, one in codes.items()],
        notes=(
            ask if code else "",
            "It counts all machines of its kind in a region: add what runs already.",
            BLOCKS_COUNT if instance.capacity_block else "",
            *(f"As of {one.as_of}: {one.source}." for one in known),
        ),
        numbers=(Number("quota", vcpus, "vCPU"),),
        verdict="quota",
    )


def _needs(vcpus: int, code: str | None) -> str:
    if code is None:
        return f"needs {vcpus:,} vCPUs; which quota counts them is not known here"
    known = service_quotas()[code]
    starts = known.new_account_vcpus
    new = "" if starts is None else f"; new accounts start at {starts}"
    return f"needs {vcpus:,} vCPUs of quota {code} ({known.name}){new}"


def _quota_row(bought: str, code: str | None, vcpus: int) -> tuple[str, ...]:
    if code is None:
        return bought, UNKNOWN, "", "", ""
    known = service_quotas()[code]
    starts = known.new_account_vcpus
    new = UNKNOWN if starts is None else f"{starts} vCPU"
    return bought, code, known.name, new, f"{vcpus:,} vCPU"
