"""What a turn of the conversation yields, whatever the surface."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from bot.core.errors import RequestError
from catalog.facts.schema import Quote
from engine.core.result import Recommendation
from engine.core.workload import Workload
from engine.pick.explain import Explanation

if TYPE_CHECKING:
    from bot.cards.pictures.picture import Picture
    from bot.core.asked import LikelyKind
    from bot.core.manifest import Manifest
    from bot.core.views import View
    from bot.language.questions.alerts import AlertRequest
    from bot.language.questions.saved_words import SaveWish
    from bot.store.store import Items


@dataclass(frozen=True, kw_only=True)
class Reply:
    """One answer. `view` is what people see; text and Block Kit are drawn from it on demand.

    `workload` is what the next turn of the thread amends; None leaves the thread as it was.
    """

    request: str
    intent: str
    view: "View"
    workload: Workload | None = None
    recommendation: Recommendation | None = None
    explanation: Explanation | None = None
    comparison: dict[str, Any] | None = None
    plan: dict[str, Any] | None = None  # figures and counts of a plan; `kind` says which
    manifest: "Manifest | None" = None
    error: RequestError | None = None
    notes: tuple[str, ...] = field(default=())
    is_step: bool = False  # it changes the terms, if not the workload: "only on weekdays"
    begins: bool = False  # another question of the thread, or one that it goes back to
    filled: tuple[tuple[str, str], ...] | None = None  # see `Understanding.filled`; None: as before
    beside: "Reply | None" = None  # the answer to the other question of the same text
    unread: tuple[str, ...] = ()  # words that were not understood
    question: "LikelyKind | None" = None  # which kind of question it answers
    quotes: tuple[Quote, ...] = field(default=())  # prices that were asked for, without a pick
    alert: "AlertRequest | None" = None  # a wish: `bot.conversation.alert_wishes` carries it out
    saving: "SaveWish | None" = None  # a wish: `bot.conversation.saved_wishes` carries it out
    items: "Items | None" = None  # where alerts are kept; None: nowhere
    picture: "Picture | None" = None  # of what this turn worked out beside picks
    draws: "tuple[Picture, ...]" = ()  # what was asked to be drawn

    @cached_property
    def text(self) -> str:
        """The whole reply as plain text, which also reads well aloud."""
        from bot.cards.text import fallback_text

        text = fallback_text(self.view)
        if self.beside is not None:
            return f"{text}\n\n{self.beside.text}"
        return text if self.manifest is None else f"{text}\n\n{self.manifest.yaml_text}"

    @cached_property
    def blocks(self) -> list[dict[str, Any]]:
        """The reply as Block Kit, within Slack's limits."""
        from bot.cards.blocks import message
        from bot.cards.slack_limits import BLOCKS_PER_MESSAGE

        blocks: list[dict[str, Any]] = message(self.view, manifest=self.manifest)["blocks"]
        if self.beside is None:
            return blocks
        other = self.beside.blocks[: BLOCKS_PER_MESSAGE // 2]
        return [*blocks[: BLOCKS_PER_MESSAGE - len(other) - 1], {"type": "divider"}, *other]

    @cached_property
    def pictures(self) -> "tuple[Picture, ...]":
        """What there is to draw: the turn's own picture, else those of its card."""
        from bot.cards.pictures.of_answer import pictures_of_card

        if self.picture is not None:
            return (self.picture,)
        result = self.recommendation
        return () if result is None else pictures_of_card(result, self.view)

    @property
    def prices_shown(self) -> tuple[Quote, ...]:
        """The quotes that the reply rests on."""
        result = self.recommendation
        picks = () if result is None else (*result.picks, *result.closest)
        return (*self.quotes, *(pick.quote for pick in picks))

    @property
    def exit_code(self) -> int:
        """0 answered, 2 the request was at fault, 3 nothing fits."""
        if self.error is not None:
            return 2
        asked_for_picks = self.intent in {"pick", "manifest"} and self.recommendation is not None
        return 3 if asked_for_picks and not self.recommendation.picks else 0  # type: ignore[union-attr]
