"""What a card says about where its prices come from, and what AWS said about buying a pick."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from catalog.facts.schema import Quote
from catalog.prices.live.capacity import QuotaQuery, ZonesQuery
from catalog.prices.live.desk import DeskAnswer
from catalog.prices.live.spot import SpotQuery
from engine.core.result import Pick, Recommendation
from engine.pick.reasons import quantity

REASONS_SHOWN: Final = 2
ZONES_SHOWN: Final = 6


def is_live(quote: Quote) -> bool:
    """Return whether AWS said this just now (also that there is no price)."""
    return quote.source != "snapshot" and not quote.cached


def with_live_words(result: Recommendation, told: DeskAnswer) -> Recommendation:
    """Return the recommendation with the warnings and caveats that live answers give rise to."""
    picks = tuple(_with_caveats(pick, told, head=pick is result.picks[0]) for pick in result.picks)
    changed = {pick.instance.instance_type: pick for pick in picks}
    said = _live_warnings(result, told)
    warned = len(result.warnings)
    return replace(
        result,
        picks=picks,
        best=_live_pick(result.best, changed),
        asked=_live_pick(result.asked, changed),
        warnings=(*result.warnings, *said.values()),
        codes=tuple(dict.fromkeys((*result.codes[:warned], *said, *result.codes[warned:]))),
    )


def _live_pick(pick: Pick | None, changed: dict[str, Pick]) -> Pick | None:
    return None if pick is None else changed.get(pick.instance.instance_type, pick)


def _live_warnings(result: Recommendation, told: DeskAnswer) -> dict[str, str]:
    quotes = [pick.quote for pick in (*result.picks, *result.closest)]
    older = [quote for quote in quotes if not is_live(quote)]
    market = result.workload.market or "on_demand"
    failures = [why for ask, why in told.failed.items() if ask.market == market]
    if failures and (older or not quotes):
        some_live = len(older) < len(quotes)
        return {"live_unavailable": unavailable(failures, older, named=some_live)}
    asked = {key[2] for key in told.quotes if key[0] == market}
    if not asked:
        return {}
    return {
        "live_partial": f"Prices of the {len(asked)} leading types are AWS's own of now; "
        "the others are compared at the embedded price list."
    }


def unavailable(failures: Iterable[str], older: Sequence[Quote], *, named: bool = False) -> str:
    """Return why prices are not live, and of when the ones used instead are.

    `named` says of which types, where others are live.
    """
    reasons = list(dict.fromkeys(failures))
    why = "; ".join(reasons[:REASONS_SHOWN])
    names = list(dict.fromkeys(quote.instance_type for quote in older))
    of = f" for {', '.join(names)}" if named else ""
    dates = sorted({quote.as_of for quote in older if quote.as_of})
    if not dates:
        return f"Live prices unavailable{of}: {why}."
    span = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
    return f"Live prices unavailable{of}: {why}; prices of {span}."


def _with_caveats(pick: Pick, told: DeskAnswer, *, head: bool) -> Pick:
    found = dict(zip(pick.codes, pick.caveats, strict=False))
    quota = _quota_words(pick, told)
    if quota:
        found["quota"] = quota
    if head:
        found |= _offer_words(pick, told)
    return replace(pick, codes=tuple(found), caveats=tuple(found.values()))


def _quota_words(pick: Pick, told: DeskAnswer) -> str:
    instance = pick.instance
    spot = pick.quote.market == "spot"
    code = instance.quota_code_spot if spot else instance.quota_code_on_demand
    quota = None if code is None else told.quotas.get(QuotaQuery(pick.region, code))
    if quota is None:
        return ""
    needed = instance.vcpus * pick.instances
    short = quota.short_by(needed)
    has = f"your quota {code} ({quota.name}) is {quota.vcpus:g} vCPUs, this needs {needed}"
    return f"{has}: {short:g} short, request more first" if short else f"{has}: enough if unused"


def _offer_words(pick: Pick, told: DeskAnswer) -> dict[str, str]:
    name, found = pick.instance.instance_type, {}
    zones = told.zones.get(ZonesQuery(pick.region, name))
    if zones is not None and zones.ids:
        found["zones"] = "offered in " + ", ".join(zones.ids[:ZONES_SHOWN])
    elif zones is not None:
        found["zones"] = f"EC2 lists {name} in no zone of {pick.region} for this account"
    spread = told.spreads.get(SpotQuery(pick.region, name))
    if spread is not None:
        found["spot_history"] = (
            f"spot over {spread.days:g} days: median {quantity(spread.p50, 'USD/h')}, "
            f"90 % of the time at most {quantity(spread.p90, 'USD/h')}"
        )
    for scores in told.placement.values():
        if scores.zones:
            found["spot_placement"] = (
                f"spot placement score {scores.scores[0]} of 10 in {scores.zones[0]} "
                "for the leading types together"
            )
    return found
