"""What the workload of an answer needs of its cluster beside the pick's own nodes.

The cluster file, the scaling and the workload are written apart; what they have to agree on is
worked out here once: storage drivers and their rights, and the nodes that scaling may ask for.
"""

from bot.core.manifest import ManifestError
from bot.manifests.beside.autoscaling import most_nodes
from bot.manifests.eksctl.system_nodes import system_type
from bot.manifests.node_file import ClusterNeeds
from bot.manifests.workload.kubernetes import workload_view
from catalog.catalog import Catalog
from engine.core.result import Pick, Recommendation


def needs_of(result: Recommendation, pick: Pick, catalog: Catalog) -> ClusterNeeds:
    """Return what the pick's cluster needs; only nodes for the rest where nothing is deployed."""
    system = system_type(pick.region, catalog)
    try:
        view = workload_view(result, pick, catalog)
    except ManifestError:
        return ClusterNeeds(system_type=system)
    return ClusterNeeds(
        system_type=system,
        claims=view.pod.claims,
        most_nodes=most_nodes(result, pick, catalog),
    )
