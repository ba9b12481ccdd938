"""How likely a spot pick is taken back, on the card."""

from dataclasses import replace

from engine.core.result import Pick, Recommendation

CODE = "spot_can_be_interrupted"


def with_interruptions(result: Recommendation) -> Recommendation:
    """Return the recommendation with AWS's own interruption class beside each spot pick."""
    if result.workload.market != "spot":
        return result
    picks = {pick.instance.instance_type: _with_band(pick) for pick in result.picks}

    def same(pick: Pick | None) -> Pick | None:
        return None if pick is None else picks.get(pick.instance.instance_type, pick)

    return replace(
        result, picks=tuple(picks.values()), best=same(result.best), asked=same(result.asked)
    )


def _with_band(pick: Pick) -> Pick:
    from catalog.prices.interruptions import interruptions

    found = interruptions(pick.instance.instance_type, pick.region)
    if found is None or CODE not in pick.codes:
        return pick
    at = pick.codes.index(CODE)
    words = (
        f"{pick.caveats[at]}; {found.band} of this type were in a month "
        f"(AWS Spot Advisor, {found.as_of})"
    )
    return replace(pick, caveats=(*pick.caveats[:at], words, *pick.caveats[at + 1 :]))
