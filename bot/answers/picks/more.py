"""More picks than a card shows: what else would do, as a numbered list."""

from typing import Final

from bot.answers.pick import numbered_picks
from bot.answers.question_asked import computed_reply, notes_of, short, told
from bot.answers.reply import Reply
from bot.answers.turn import Turn
from bot.cards.runner_ups import runner_up
from bot.cards.table import table_view
from bot.core.examples import example
from engine.pick.explain import Explanation

TAKE: Final = example("more")
USUAL_LENGTH: Final = 8
COLUMNS: Final = ("", "type", "hardware", "price", "figures", "what sets it apart")


def more_turn(turn: Turn) -> Reply:
    """Return the picks as a list: those of the card first, then the next best."""
    result, picks = numbered_picks(turn, turn.understanding.asked.listed or USUAL_LENGTH)
    head = picks[0] if picks else None
    rows = [
        (str(place), one.machines, one.hardware, one.price, one.figures, one.difference)
        for place, one in enumerate((runner_up(pick, head) for pick in picks), start=1)
    ]
    lead = f"{told(result)}: {len(rows)} of the {result.considered:,} types compared."
    if len(rows) == 1:
        lead += " Nothing else meets every limit."
    names = ", ".join(f"{row[0]}. {row[1]} at {row[3]}" for row in rows)
    explanation = Explanation(short(result), "listed", (), f"{lead} {names}." if rows else lead)
    view = table_view(
        f"What else would do for {short(result)}",
        lead,
        COLUMNS,
        rows,
        notes_of(turn, result, TAKE if len(rows) > 1 else ""),
    )
    comparison = {
        "kind": "picks",
        "columns": [*COLUMNS[1:]],
        "rows": [{"name": row[1], "values": list(row[1:])} for row in rows],
    }
    return computed_reply(turn, view, result, explanation=explanation, comparison=comparison)
