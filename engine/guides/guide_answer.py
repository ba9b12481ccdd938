"""What a guide says of one workload, what the numbers say today, and why the two differ."""

from dataclasses import dataclass

from catalog.guides.guides import FAMILY_GROUPS, Guide, Guides
from engine.core.result import GuideAdvice, Number, Pick, Recommendation
from engine.guides.guides import GuideFacts, advice_for_all_objectives, open_choice
from engine.pick.explain import Explanation, nearest
from engine.pick.reasons import quantity

MOST_COMPARED = 2  # families of a leaf that are held against the pick


@dataclass(frozen=True, slots=True)
class _Differences:
    text: str
    numbers: tuple[Number, ...]


def guide_answer(
    result: Recommendation, guides: Guides, facts: GuideFacts, guide_id: str | None
) -> Explanation:
    """Return the path of the asked document, else of the first that speaks of this workload.

    Cited by document, section and line; with its suggestion for each objective, the pick of the
    numbers and, where the two differ, the two numbers that decide.
    """
    advice = next((a for a in result.guides if guide_id in {None, a.source}), None)
    if advice is None:
        return _open_branches(result, guides, facts, guide_id) or _silent(result, guides, guide_id)
    parts = [
        cited(advice),
        advice.note,
        _by_objective(guides, facts, advice.source),
        _numbers_say(result, advice),
    ]
    difference = _why_they_differ(result, advice)
    parts.append(difference.text)
    verdict = {True: "agrees", False: "differs", None: "no pick"}[advice.agrees]
    text = " ".join(part for part in parts if part)
    return Explanation(f"guide {advice.source}", verdict, difference.numbers, text)


def cited(advice: GuideAdvice) -> str:
    """Return what a document says with its path and where it says it."""
    path = " → ".join(advice.path)
    where = f"{advice.section}, line {advice.line}"
    families = " or ".join(advice.suggests)
    return f"Guide {advice.source} ({where}): {path} → {families}."


def overview(guide: Guide, tables: tuple[str, ...]) -> str:
    """Return what a document decides and prints, for a question that names no workload."""
    decisions = "; ".join(tree.title for tree in guide.trees)
    printed = f" Its tables: {'; '.join(tables)}." if tables else ""
    return (
        f"Guide {guide.id}: {guide.title}. It decides: {decisions}.{printed} "
        f"Held against today's facts on {guide.as_of}. {guide.precedence_why}"
    )


def _open_branches(
    result: Recommendation, guides: Guides, facts: GuideFacts, guide_id: str | None
) -> Explanation | None:
    """Return the branches of a document that the request leaves open; None where it has none."""
    guide = next((one for one in guides if one.id == guide_id), None)
    node = open_choice(guide, facts) if guide is not None else None
    if guide is None or node is None:
        return None
    branches = ", ".join(
        f"{child.label} → {' or '.join(child.leaf.families)}"
        for child in node.children
        if child.leaf is not None
    )
    where = f"{node.citation.section}, line {node.citation.line}"
    text = f"Guide {guide.id} ({where}): {node.label} → it depends: {branches}. Say which it is."
    pick = _first_pick(result)
    told = f" The numbers say {_said_of(pick)}." if pick is not None else ""
    return Explanation(f"guide {guide.id}", "depends", (), f"{text}{told}")


def _silent(result: Recommendation, guides: Guides, guide_id: str | None) -> Explanation:
    titles = {guide.id: guide.title for guide in guides}
    said = "No guide speaks of this workload."
    if guide_id in titles:
        said = f"Guide {guide_id} ({titles[guide_id]}) does not speak of this workload."
    elif guide_id is not None:
        said = f"There is no guide {guide_id}; there are {', '.join(sorted(titles))}."
    pick = _first_pick(result)
    told = f" The numbers say {_said_of(pick)}." if pick is not None else ""
    text = f"{said}{told}"
    return Explanation(f"guide {guide_id or ''}".strip(), "says nothing", (), text)


def _by_objective(guides: Guides, facts: GuideFacts, guide_id: str) -> str:
    choices = advice_for_all_objectives(guides, facts, guide_id)
    if len(choices) < 2:
        return ""
    listed = ", ".join(
        f"{key.replace('_', ' ')} → {' or '.join(families)}" for key, families in choices.items()
    )
    return f"By what matters most: {listed}."


def _numbers_say(result: Recommendation, advice: GuideAdvice) -> str:
    pick = _first_pick(result)
    if pick is None and result.closest:
        missed = result.closest[0]
        return f"The numbers say that nothing meets every limit: {_said_of(missed)} {missed.label}."
    if pick is None:
        nearest_one = result.nearest_rejection
        why = (
            f": nearest is {nearest_one.instance_type}, {nearest_one.detail}" if nearest_one else ""
        )
        return f"The numbers say that nothing fits{why}."
    agreed = " The two agree." if advice.agrees else ""
    return f"The numbers say {_said_of(pick)}.{agreed}"


def _first_pick(result: Recommendation) -> Pick | None:
    return result.picks[0] if result.picks else None


def _said_of(pick: Pick) -> str:
    machines = f"{pick.instances} × {pick.instance.instance_type}"
    if pick.cost.usd_total is not None:
        return f"{machines} for {quantity(pick.cost.usd_total, 'USD')} in total"
    if pick.cost.usd_per_hour is None:
        return f"{machines}, unpriced"
    return f"{machines} at {quantity(pick.cost.usd_per_hour, 'USD/h')}"


def _why_they_differ(result: Recommendation, advice: GuideAdvice) -> _Differences:
    """Return what the numbers hold against the document's families, with the numbers."""
    if advice.agrees or not result.picks:
        return _Differences("", ())
    named = [family for family in advice.suggests if family not in FAMILY_GROUPS]
    found = [_differences_from(result, family) for family in named[:MOST_COMPARED]]
    text = " ".join(difference.text for difference in found)
    numbers = tuple(number for difference in found for number in difference.numbers)
    return _Differences(f"Why not: {text}" if text else "", numbers)


def _differences_from(result: Recommendation, family: str) -> _Differences:
    best = result.picks[0]
    pick = next((p for p in result.picks[1:] if p.instance.family == family), None)
    if pick is not None:
        text = f"{_said_of(pick)} would do as well, against {_said_of(best)}."
        return _Differences(text, _compared_prices(pick, best))
    missed = next((p for p in result.closest if p.instance.family == family), None)
    if missed is not None:
        text = f"{_said_of(missed)} misses a limit: {missed.label}."
        return _Differences(text, _compared_prices(missed, best))
    of_family = [r for r in result.rejected if r.instance_type.split(".")[0] == family]
    rejection = nearest(of_family) or next(iter(of_family), None)
    if rejection is None:
        return _Differences(f"no type of {family} is in the catalog.", ())
    numbers = rejection.numbers or _compared_prices(best, best)
    return _Differences(f"{rejection.instance_type} {rejection.detail}.", numbers)


def _compared_prices(pick: Pick, best: Pick) -> tuple[Number, ...]:
    """Return the price of one pick beside the best one's, as far as both are known."""
    mine, its = pick.cost.usd_per_hour, best.cost.usd_per_hour
    return () if mine is None else (Number("price", mine, "USD/h", its),)
