"""The manifest of the pick: what to apply to get it."""

from dataclasses import replace

from bot.answers.pick import card_reply, recommendation_of
from bot.answers.planning import about
from bot.answers.reply import Reply
from bot.answers.turn import Turn
from bot.core.errors import RequestError
from bot.core.manifest import Manifest, ManifestError
from bot.manifests.eksctl.eksctl import eksctl_cluster
from bot.manifests.karpenter.karpenter import karpenter_pools
from bot.manifests.made import made_manifest
from bot.manifests.node_file import GroupPurpose
from engine.core.result import Recommendation


def deploy_turn(turn: Turn) -> Reply:
    """Return the card with the manifest of its pick, or of the type that was asked about.

    Several types are a cluster of mixed hardware: one file with a node group for each.
    """
    if turn.understanding.manifest_kind == "migration":
        from bot.answers.advice.migrate import migrate_turn

        return migrate_turn(turn)
    named = turn.understanding.alternatives.get("instance", ())
    groups = turn.understanding.alternatives.get("allow", ())
    if named or groups:
        return _mixed(turn, _results(turn, tuple(map(str, named)), tuple(map(str, groups))))
    result = recommendation_of(turn)
    reply = card_reply(turn, result)
    if not result.picks:
        return reply
    return replace(reply, manifest=_manifest(turn, result))


def _results(
    turn: Turn, types: tuple[str, ...], groups: tuple[str, ...]
) -> dict[str, Recommendation]:
    """Return the answer for each part of a cluster of mixed hardware, by what it was called."""
    for_types = {name: _group_answer(turn, name, instance=name) for name in types}
    return for_types | {name: _group_answer(turn, name, allow=(name,)) for name in groups}


def _mixed(turn: Turn, results: dict[str, Recommendation]) -> Reply:
    makers = {"eksctl": eksctl_cluster, "karpenter": karpenter_pools}
    kind = turn.understanding.manifest_kind or "eksctl"
    if kind not in makers:
        raise RequestError(
            "invalid_value",
            "Only eksctl and Karpenter files take several kinds of machines: ask for one of "
            f"{', '.join(results)}.",
            field="instance",
        )
    parts = [_group_purpose(result) for result in results.values()]
    try:
        manifest = makers[kind](parts, turn.world.catalog)
    except ManifestError as error:
        raise RequestError("invalid_value", str(error), field="instance") from error
    return replace(card_reply(turn, next(iter(results.values()))), manifest=manifest)


def _group_answer(turn: Turn, name: str, **only: object) -> Recommendation:
    """Return the answer for one kind; one that cannot train serves what the others train."""
    result = recommendation_of(about(turn, **only))
    if not _carried(result, only) and turn.workload.task in {"train", "finetune"}:
        serving = about(turn, **only, task="inference", method=None)
        result = recommendation_of(serving)
    if not _carried(result, only):
        raise RequestError(
            "invalid_value", f"{name} does not carry this workload: leave it out.", field="instance"
        )
    return result


def _carried(result: Recommendation, only: dict[str, object]) -> bool:
    """Return whether there is an answer, of the very type where one was named."""
    return result.asked is not None if "instance" in only else bool(result.picks)


def _group_purpose(result: Recommendation) -> GroupPurpose:
    pick = result.asked or result.picks[0]
    return GroupPurpose(pick=pick, workload=result.workload, assumptions=result.assumptions)


def _manifest(turn: Turn, result: Recommendation) -> Manifest:
    try:
        kind = turn.understanding.manifest_kind or "eksctl"
        return made_manifest(kind, result, turn.world.catalog)
    except ManifestError as error:
        raise RequestError("invalid_value", str(error), field="instance") from error
