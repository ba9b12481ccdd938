"""What an older thread or card names may be gone from the catalog by now."""

from typing import TYPE_CHECKING

from bot.core.errors import RequestError
from catalog.names import resolve_model
from engine.core.workload import Workload

if TYPE_CHECKING:
    from catalog.catalog import Catalog


def known_before(previous: Workload | None, catalog: "Catalog") -> Workload | None:
    """Return what a thread is about; None where the catalog no longer has what it names."""
    return None if previous is None or _gone(previous, catalog) else previous


def check_still_known(workload: Workload, catalog: "Catalog") -> None:
    """Check that a workload which goes on from an older one can still be sized.

    Raises:
        RequestError: its model or region is gone.
    """
    gone = _gone(workload, catalog)
    if gone:
        is_region = gone in (workload.region, *(workload.regions or ()))
        raise RequestError(
            "unknown_region" if is_region else "unknown_model",
            f"This thread is about `{gone}`, which is not in the catalog any more. "
            "Say what to size in its place.",
            words=gone,
            example="inference llama-3.1-8b latency<100ms",
        )


def _gone(workload: Workload, catalog: "Catalog") -> str:
    models = (workload.model, *(workload.models or ()))
    regions = (workload.region, *(workload.regions or ()))
    missing = [one for one in models if one and resolve_model(catalog, one) is None]
    missing += [one for one in regions if one and one not in catalog.regions]
    return missing[0] if missing else ""
