"""The releases that files name, from `tools.csv`: images, charts, packages, the eksctl needed."""

from collections.abc import Collection, Iterator

from catalog.reference import ToolVersion, tool_versions

ANY, ACCELERATED = "any", "accelerated"  # what every file needs of a tool, what devices do
# Prometheus as the chart of this bundle names its Service, and its port.
PROMETHEUS_URL, PROMETHEUS_PORT = "http://prometheus-operated.monitoring.svc", 9090


def image_of(tool: str) -> str:
    """Return an image with its tag: `image_of("image-vllm")`."""
    row = tool_versions()[tool]
    return f"{row.reference}:{row.version}"


def release_of(tool: str) -> str:
    """Return the version of a tool; empty where no release has what its row is about."""
    return tool_versions()[tool].version or ""


def tool_name(tool: str) -> str:
    """Return what a tool is called where it runs."""
    return tool_versions()[tool].reference


def address_of(tool: str) -> str:
    """Return where a manifest is published, its version filled in."""
    row = tool_versions()[tool]
    return row.reference.replace("{version}", row.version or "")


def helm_install(release: str, chart: str, *options: str) -> str:
    """Return the command that installs a chart, or brings it to the release of its row."""
    row = tool_versions()[chart]
    first = f"helm upgrade --install {release} {row.reference} --version {row.version}"
    return " ".join((first, *options))


def package_pins(*packages: str) -> tuple[str, ...]:
    """Return pip's requirements, each with its release."""
    rows = (tool_versions()[package] for package in packages)
    return tuple(f"{row.reference}=={row.version}" for row in rows)


def eksctl_needed(families: Collection[str], *, accelerated: bool) -> str:
    """Return the first release of eksctl that knows all of `families`.

    The newest one read where no release knows one of them: see `eksctl_lacks`.
    """
    wanted = {ANY, *families} | ({ACCELERATED} if accelerated else set())
    if set(eksctl_lacks(families)):
        return newest_eksctl()
    named = (row.version for row in _eksctl() if row.version and wanted & set(row.knows))
    return max(named, key=_ordered)


def newest_eksctl() -> str:
    """Return the newest release of eksctl whose table of types was read."""
    return max((row.version for row in _eksctl() if row.version), key=_ordered)


def eksctl_lacks(families: Collection[str]) -> Iterator[str]:
    """Yield the families that no release of eksctl has in its table of types."""
    unknown = {family for row in _eksctl() if not row.version for family in row.knows}
    yield from sorted(unknown & set(families))


def _eksctl() -> Iterator[ToolVersion]:
    return (row for row in tool_versions().values() if row.reference == "eksctl")


def _ordered(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))
