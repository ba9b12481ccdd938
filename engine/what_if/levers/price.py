"""At which price a type becomes the best, or stops being it."""

from engine.core.option import Option
from engine.core.question import Question
from engine.pick.rank import PRICE_OBJECTIVES, ranked
from engine.pick.reasons import quantity
from engine.pick.recommend import evaluator
from engine.placement.worked import Worked
from engine.what_if.hypothetical import priced_at
from engine.what_if.levers.case import Case, Flip, bisected

PRICE_BOUNDS = (0.01, 100.0)  # times the price of what it has to beat


def price_flip(case: Case, *, is_best: bool) -> Flip:
    """Return the price below which the group wins (up to which the best stays), or that none is."""
    objective = case.question.workload.objective or "cost"
    if objective not in PRICE_OBJECTIVES:
        text = f"no price does: the ranking is by {objective}, and price has no part in it"
        return Flip(lever="price", found=False, text=text)
    rival = case.rival()
    if rival is None or rival.usd_per_hour is None:
        return Flip(lever="price", found=False, text="nothing priced to beat")
    solved = [
        (price / (option.quote.usd_per_hour or price), option, price)
        for option in case.options
        if (price := tie_price(case.question, option, rival)) is not None
    ]
    if not solved:
        low, high = (quantity(b * rival.usd_per_hour, "USD/h") for b in PRICE_BOUNDS)
        text = f"no price between {low} and {high} does"
        return Flip(lever="price", found=False, text=text, unit="USD/h")
    _, option, price = max(solved, key=lambda one: (one[0], one[1].instance.instance_type))
    return _price_found(option, rival, price, is_best=is_best)


def _price_found(option: Option, rival: Option, price: float, *, is_best: bool) -> Flip:
    name, today = option.instance.instance_type, option.quote.usd_per_hour
    at = quantity(price, "USD/h")
    if today is None:
        change = f"it has no price today ({option.quote.why_unpriced or 'none known'})"
    else:
        change = f"today {quantity(today, 'USD/h')}, {100 * (price / today - 1):+.0f} %"
    verb = "stays the pick up to" if is_best else "wins below"
    text = (
        f"{name} {verb} {at} an instance ({change}): there it ties with "
        f"{rival.instances}x {rival.instance.instance_type}"
    )
    return Flip(
        lever="price",
        found=True,
        text=text,
        instance_type=name,
        value=price,
        today=today,
        unit="USD/h",
    )


def tie_price(question: Question, option: Option, rival: Option) -> float | None:
    """Return the hourly price of one instance at which the option ties with the rival.

    None where no price within the bounds puts it first, or every one does.
    """
    if rival.usd_per_hour is None:
        return None
    at_par = rival.usd_per_hour / option.instances
    low, high = (bound * at_par for bound in PRICE_BOUNDS)

    def wins(price: float) -> bool:
        world, instance = priced_at(question, option.instance, price)
        found = evaluator(world, Worked()).evaluate(instance)
        if not isinstance(found, Option) or not found.meets_limits:
            return False
        return ranked([found, rival], question)[0] is found

    if not wins(low) or wins(high):
        return None
    return bisected(wins, low, high)
