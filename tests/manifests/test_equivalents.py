"""What may stand in for a type on spot, and what may not."""

from dataclasses import replace

import pytest

from bot.manifests.equivalents import MOST_TYPES, node_types, spot_types
from tests.cards import samples
from tests.manifests.picks import CATALOG, on, together


@pytest.mark.parametrize(
    ("name", "types"),
    [
        ("g5.12xlarge", ("g5.12xlarge", "g5.24xlarge", "g6e.12xlarge")),
        ("g6.12xlarge", ("g6.12xlarge", "g6.24xlarge")),  # an A10G has no fp8: no stand-in for L4
        ("g6e.12xlarge", ("g6e.12xlarge", "g6e.24xlarge")),  # g7e's kernels are other ones
        ("p4d.24xlarge", ("p4d.24xlarge", "p4de.24xlarge")),
        ("trn1.32xlarge", ("trn1.32xlarge", "trn1n.32xlarge")),
        ("inf2.xlarge", ("inf2.xlarge",)),  # inf2.8xlarge is 2.6 times its price
        ("p5.48xlarge", ("p5.48xlarge",)),
    ],
)
def test_stand_ins(name, types):
    assert spot_types(*on(name), CATALOG) == types


def test_only_spot_diversifies():
    assert node_types(*on("g5.12xlarge"), CATALOG) == ("g5.12xlarge",)


def test_machines_that_work_together_are_of_one_type():
    price = samples.quote("g5.48xlarge", 8.0, market="spot")
    pick, workload = together("g5.48xlarge", quote=price)
    assert node_types(pick, workload, CATALOG) == ("g5.48xlarge",)


def test_an_excluded_family_stands_in_for_nothing():
    pick, workload = on("g5.12xlarge")
    assert "g6e.12xlarge" not in spot_types(pick, replace(workload, exclude=("g6e",)), CATALOG)


def test_an_image_for_one_capability_stays_on_it():
    pick, workload = on("g5.12xlarge")
    plan = replace(pick.estimate.plan, serving_engine="tei")
    pick = replace(pick, estimate=replace(pick.estimate, plan=plan))
    assert spot_types(pick, workload, CATALOG) == ("g5.12xlarge", "g5.24xlarge")


@pytest.mark.parametrize("name", sorted(CATALOG.eks))
def test_a_stand_in_has_as_many_devices_and_costs_at_most_twice(name):
    pick, workload = on(name)
    own = CATALOG.instances[name]
    types = spot_types(pick, workload, CATALOG)
    assert types[0] == name
    assert len(types) <= MOST_TYPES
    for other in types[1:]:
        stand_in = CATALOG.instances[other]
        assert (stand_in.accelerators, stand_in.arch) == (own.accelerators, own.arch)
        prices = [CATALOG.prices.quote(i, "us-east-1").usd_per_hour for i in (stand_in, own)]
        assert prices[0] <= 2 * prices[1]
