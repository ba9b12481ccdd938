"""What somebody would dare to run: images, evidence, and who may be first."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.evidence import PAGE, page
from bot.answers.world import load_world
from catalog.load import load_catalog
from engine.ask import ask
from engine.core.workload import Workload
from engine.pick.candidates import candidates, is_named
from engine.pick.rank import DARED_PREMIUM, dared_first
from engine.pick.standing import standing
from tests.catalog.small_data import DATA_DIR
from tests.engine.beyond import question

CATALOG = load_catalog()
SERVED = Workload(model="llama-3.1-8b")
KNOWN = [  # workload, type, runs, in reserve, what is known of its native format
    (SERVED, "g6.xlarge", True, False, "measured"),
    (SERVED, "g5g.xlarge", False, True, "nothing"),
    (SERVED, "inf2.8xlarge", True, True, "measured"),
    (SERVED, "g6f.large", True, False, "nothing"),
    (SERVED, "c8g.8xlarge", True, False, "documented"),
    (Workload(model="qwen3-30b-a3b"), "c8g.8xlarge", True, True, "nothing"),
    (Workload(model="bge-large-en-v1.5"), "g4dn.xlarge", True, False, "documented"),
    (Workload(model="bge-large-en-v1.5"), "g5g.xlarge", False, True, "nothing"),
    (Workload(model="llama-3-8b", task="finetune"), "g5g.xlarge", False, True, "nothing"),
    (Workload(model="llama-3-8b", task="finetune"), "g6.xlarge", True, False, "measured"),
]


@pytest.mark.parametrize(("said", "name", "runs", "reserved", "known"), KNOWN)
def test_what_is_known_of_a_kind_on_a_kind_of_hardware(said, name, runs, reserved, known):
    found = standing(CATALOG.instances[name], question(said, CATALOG))
    assert found.runs == runs
    assert (found.reserve is not None) == reserved
    assert found.known("bf16") == known


@pytest.mark.parametrize("words", [{"gpu": "T4G"}, {"allow": ("g5g",)}, {"instance": "g5g.xlarge"}])
def test_hardware_without_an_image_is_judged_where_it_was_named(words):
    named = replace(SERVED, **words)
    bare = CATALOG.instances["g5g.xlarge"]
    _, rejected = candidates(question(SERVED, CATALOG))
    said = {rejection.instance_type: rejection.detail for rejection in rejected}
    assert "arm64" in said["g5g.xlarge"]
    assert is_named(bare, question(named, CATALOG))


OFFERS = st.lists(st.tuples(st.floats(0.1, 10.0), st.integers(0, 2)), min_size=1, max_size=6)


@given(OFFERS)
def test_what_is_less_known_leads_only_where_nothing_known_is_near_its_price(offers):
    first = dared_first(offers, key=lambda o: o, usd=lambda o: o[0], unproven=lambda o: o[1])
    least = min(offers)
    better = [o for o in offers if o[1] < first[1] and o[0] <= DARED_PREMIUM * least[0]]
    assert not better
    assert first[0] <= DARED_PREMIUM * least[0]


def test_over_the_catalog_no_first_pick_is_one_that_nobody_would_dare():
    """No image, an older release, or unmeasured while something measured is near in price."""
    world = load_world()
    for model in world.catalog.models.values():
        result = ask(Workload(model=model.id), world.catalog, world.coefficients)
        first = result.picks[0] if result.picks else None
        if first is not None:
            assert not {"no_public_image", "pinned_release"} & set(first.codes), model.id


def test_the_page_of_what_runs_where_is_current():
    assert (DATA_DIR.parents[1] / PAGE).read_text(encoding="utf-8") == page(CATALOG)


def test_what_overflows_in_fp16_is_not_put_where_there_is_no_bf16():
    """Engines refuse Gemma 3 in fp16, which is all that a card before Ampere computes in."""
    world = load_world()
    result = ask(Workload(model="gemma-3-4b"), world.catalog, world.coefficients)
    refused = {r.instance_type: r.detail for r in result.rejected}
    assert "overflows in fp16" in refused["g4dn.xlarge"]
    assert result.picks
