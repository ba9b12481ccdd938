"""The manifest of the pick: what to apply to get it."""

from dataclasses import replace

from bot.errors import RequestError
from bot.manifests.eksctl import Part, eksctl_cluster
from bot.manifests.made import made_manifest
from bot.manifests.manifest import Manifest, ManifestError
from bot.reply import Reply
from bot.turns.pick import card_reply, recommendation_of
from bot.turns.planning import about
from bot.turns.turn import Turn
from engine.result import Recommendation


def deploy_turn(turn: Turn) -> Reply:
    """Return the card with the manifest of its pick, or of the type that was asked about.

    Several types are a cluster of mixed hardware: one file with a node group for each.
    """
    if turn.understanding.manifest_kind == "migration":
        from bot.turns.migrate import migrate_turn

        return migrate_turn(turn)
    named = turn.understanding.alternatives.get("instance", ())
    if named:
        return _mixed(turn, tuple(map(str, named)))
    result = recommendation_of(turn)
    reply = card_reply(turn, result)
    if not result.picks:
        return reply
    return replace(reply, manifest=_manifest(turn, result))


def _mixed(turn: Turn, names: tuple[str, ...]) -> Reply:
    if turn.understanding.manifest_kind != "eksctl":
        raise RequestError(
            "invalid_value",
            f"Only an eksctl file takes several node groups: ask for one of {', '.join(names)}.",
            field="instance",
        )
    results = [_for_type(turn, name) for name in names]
    try:
        manifest = eksctl_cluster([_part(result) for result in results], turn.world.catalog)
    except ManifestError as error:
        raise RequestError("invalid_value", str(error), field="instance") from error
    return replace(card_reply(turn, results[0]), manifest=manifest)


def _for_type(turn: Turn, name: str) -> Recommendation:
    """Return the answer for one type; one that cannot train serves what the others train."""
    result = recommendation_of(about(turn, instance=name))
    if result.asked is None and turn.workload.task in {"train", "finetune"}:
        result = recommendation_of(about(turn, instance=name, task="inference", method=None))
    if result.asked is None:
        raise RequestError(
            "invalid_value", f"{name} does not carry this workload: leave it out.", field="instance"
        )
    return result


def _part(result: Recommendation) -> Part:
    pick = result.asked or result.picks[0]
    return Part(pick=pick, workload=result.workload, assumptions=result.assumptions)


def _manifest(turn: Turn, result: Recommendation) -> Manifest:
    try:
        kind = turn.understanding.manifest_kind or "eksctl"
        return made_manifest(kind, result, turn.world.catalog)
    except ManifestError as error:
        raise RequestError("invalid_value", str(error), field="instance") from error
