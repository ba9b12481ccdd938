"""The manifest of the pick: what to apply to get it."""

from dataclasses import replace

from bot.errors import RequestError
from bot.manifests.made import made_manifest
from bot.manifests.manifest import Manifest, ManifestError
from bot.reply import Reply
from bot.turns.pick import card_reply, recommendation_of
from bot.turns.turn import Turn
from engine.result import Recommendation


def deploy_turn(turn: Turn) -> Reply:
    """Return the card with the manifest of its pick, or of the type that was asked about."""
    if turn.understanding.manifest_kind == "migration":
        from bot.turns.migrate import migrate_turn

        return migrate_turn(turn)
    result = recommendation_of(turn)
    reply = card_reply(turn, result)
    if not result.picks:
        return reply
    return replace(reply, manifest=_manifest(turn, result))


def _manifest(turn: Turn, result: Recommendation) -> Manifest:
    try:
        kind = turn.understanding.manifest_kind or "eksctl"
        return made_manifest(kind, result, turn.world.catalog)
    except ManifestError as error:
        raise RequestError("invalid_value", str(error), field="instance") from error
