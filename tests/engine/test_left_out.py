"""Who wants no chip, family, type or maker is offered none of it, in part or whole."""

import pytest

from catalog.load import load_catalog
from engine.core.workload import Workload
from engine.pick.groups import left_out

CATALOG = load_catalog()
WHOLE_CHIPS = sorted(name for name in CATALOG.accelerators if "_" not in name)


def excluded(word):
    workload = Workload(exclude=(word,))
    return {
        one.instance_type
        for one in CATALOG.instances.values()
        if left_out(one, workload, CATALOG) is not None
    }


@pytest.mark.parametrize("chip", WHOLE_CHIPS)
def test_a_chip_takes_every_type_that_has_it_or_a_part_of_it(chip):
    having = {
        one.instance_type
        for one in CATALOG.instances.values()
        if one.accelerator_id and one.accelerator_id.partition("-1_")[0] == chip
    }
    assert excluded(chip) == having


@pytest.mark.parametrize("family", sorted({one.family for one in CATALOG.instances.values()}))
def test_a_family_takes_its_types_and_a_type_itself(family):
    own = {one.instance_type for one in CATALOG.instances.values() if one.family == family}
    assert own <= excluded(family)
    assert excluded(min(own)) == {min(own)}


@pytest.mark.parametrize(
    ("word", "fact"),
    [
        ("nvidia", lambda one: CATALOG.accelerators[one.accelerator_id].vendor == "nvidia"),
        ("neuron", lambda one: CATALOG.accelerators[one.accelerator_id].vendor == "aws"),
        ("us-east-1", lambda _: False),
        ("p6", lambda one: one.family.startswith(("p6-", "p6e-"))),
    ],
)
def test_a_maker_takes_its_accelerators_and_a_place_none(word, fact):
    accelerated = [one for one in CATALOG.instances.values() if one.accelerator_id]
    assert excluded(word) == {one.instance_type for one in accelerated if fact(one)}
