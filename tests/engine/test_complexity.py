"""The cost-versus-complexity map counts steps that picks name, one point a family."""

from docs.render.complexity import STEPS, complexity_map, steps_of
from engine.pick.caveats import caveats
from engine.pick.recommend import as_said, evaluate
from tests.engine.beyond import asked

KNOWN = {
    "g6.xlarge": {"raise the account's quota"},
    "inf2.8xlarge": {
        "compile the model for every shape",
        "fix batch and sequence length, bucket the prompts",
        "raise the account's quota",
    },
}


def every_option():
    found = evaluate(as_said(asked()))
    return [*found.meeting, *found.missing]


def test_steps_are_counted_from_what_the_pick_says():
    options = {option.instance.instance_type: option for option in every_option()}
    for name, steps in KNOWN.items():
        assert set(steps_of(options[name], asked())) >= steps
    for option in options.values():
        codes = set(caveats(option, asked())[0])
        named = {words for code, words in STEPS.items() if code in codes}
        assert named <= set(steps_of(option, asked()))


def test_a_family_is_one_point_at_its_cheapest_type():
    points = {point.family: point for point in complexity_map(every_option(), asked())}
    assert points["g6"].instance_type == "g6.xlarge"
    assert points["inf2"].complexity > points["g6"].complexity
    prices = [point.usd_per_hour for point in points.values()]
    assert prices == sorted(prices)
