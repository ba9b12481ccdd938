"""Where a wish could be met that the priced region cannot meet."""

from catalog.geography import distance_km, nearest_regions_offering
from engine.pick.recommend import Evaluation

MOST_REGIONS = 3


def only_elsewhere(evaluated: Evaluation) -> bool:
    """Return whether nothing that was asked for is offered here, while some of it is elsewhere."""
    if evaluated.meeting or evaluated.missing:
        return False
    reasons = {rejection.reason for rejection in evaluated.rejected} - {"excluded"}
    return reasons == {"not_offered"} and bool(nearest_offering(evaluated))


def nearest_offering(evaluated: Evaluation) -> tuple[str, ...]:
    """Return the regions that have what is not offered here: each type's nearest, nearest first."""
    catalog, here = evaluated.question.catalog, evaluated.question.region
    refused = [r for r in evaluated.rejected if r.reason == "not_offered"]
    nearest = {
        region
        for rejection in refused
        for region in nearest_regions_offering(
            catalog, catalog.instances[rejection.instance_type], here, most=1
        )
    }
    home = catalog.regions[here]
    order = sorted(nearest, key=lambda code: (distance_km(home, catalog.regions[code]), code))
    return tuple(order[:MOST_REGIONS])
