"""`python -m benchmarks.judgment [file]`: first picks against what experts run, a line a row.

The rows are deployments that their makers published, with words for them that name no hardware. It
skips, and says so, on a machine without them. How each row is judged is in `judged`.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks.calibration.rows import shared_folder
from bot.answers.reply import Reply
from bot.answers.world import World, load_world
from bot.conversation.conversation import answer
from bot.core.errors import RequestError
from engine.core.result import Recommendation

ROWS = "cases/experts.jsonl"
DEARER = 1.5  # times the expert's price: worse; an expert would ask why
ABSURD = 4.0  # times the expert's price: nobody would pay it
UNASKED = frozenset({"no_public_image", "pinned_release"})
BEYOND_THE_MODEL = "context_exceeds_model"  # a refusal with its reason, not a misreading
Row = Mapping[str, Any]


def main() -> None:
    """Judge every row of the file and print what came of it."""
    folder = shared_folder()
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else folder and folder / ROWS
    if path is None:
        print("No published deployments here: set EC2_PICK_SHARED to the folder of shared facts.")
        return
    world, counts = load_world(), Counter[str]()
    for row in _rows(path):
        verdict, why = judged(row, world)
        counts[verdict] += 1
        print(f"{verdict:7} {row['id']}  {row['question']}\n        {why}")
    whole = sum(counts.values())
    print(", ".join(f"{word} {n} ({100 * n / whole:.0f} %)" for word, n in counts.most_common()))


def _rows(path: Path) -> Iterator[Row]:
    for line in path.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


def judged(row: Row, world: World) -> tuple[str, str]:
    """Return agree, better, worse or absurd, and the figures that decided.

    Absurd: no answer, another model, a machine without software in support, over four times the
    expert's price. Worse: over 1.5 times it, or nothing where the expert says that it works.
    Better: cheaper by a third. What an expert says does not work has to be refused.
    """
    try:
        reply = answer(row["question"], world)
    except RequestError as error:
        return "absurd", f"not understood: {error.message[:120]}"
    result = reply.recommendation
    if result is None:
        refused = reply.error is not None and reply.error.code == BEYOND_THE_MODEL
        return "worse" if refused else "absurd", f"no pick: {reply.text[:120]}"
    if not row["works"]:
        return _refusal(row, reply)
    if not result.picks:
        return "worse", f"nothing fits; the expert runs {_expert(row)}"
    return _against(row, result, world)


def _refusal(row: Row, reply: Reply) -> tuple[str, str]:
    """Judge an answer to what does not work: it says so, or takes more than was tried."""
    first = reply.text.partition("\n")[0]
    result = reply.recommendation
    picks = result.picks if result is not None else ()
    tried = row.get("accelerators") or 0
    more = any(tried < pick.estimate.plan.accelerators for pick in picks[:1])
    refused = not picks or more or first.startswith("No")
    return ("agree" if refused else "absurd"), f"it does not work; we say: {first[:120]}"


def _against(row: Row, result: Recommendation, world: World) -> tuple[str, str]:
    pick = result.picks[0]
    theirs = _usd_per_hour(_instance(row), world) * row["nodes"]
    ours = pick.cost.usd_per_hour or 0.0
    ratio = ours / theirs if theirs else 1.0
    figures = (
        f"ours {pick.instances} x {pick.instance.instance_type} ${ours:.2f}/h, "
        f"theirs {_expert(row)} ${theirs:.2f}/h"
    )
    if _is_dominated(_instance(row), result):
        return "better", f"{figures}: ours does the job for less"
    if UNASKED & set(pick.codes) and not result.said.allow:
        return "absurd", f"{figures}: {', '.join(sorted(UNASKED & set(pick.codes)))}"
    if ratio > ABSURD:
        return "absurd", figures
    if ratio > DEARER or "unproven" in pick.codes:
        return "worse", figures
    return ("better" if ratio < 1 / DEARER else "agree"), figures


def _is_dominated(name: str, result: Recommendation) -> bool:
    """Return whether a training job costs more on the expert's type, by our own estimate."""
    beaten = (r for r in result.rejected if r.instance_type == name and r.reason == "dominated")
    return result.workload.task in {"train", "finetune"} and any(beaten)


def _usd_per_hour(name: str, world: World) -> float:
    """Return the on-demand price of a type, where it is offered first; 0.0 where none is known."""
    instance = world.catalog.instances[name]
    for region in (world.default_region, *instance.regions):
        usd = world.catalog.prices.quote(instance, region, "on_demand").usd_per_hour
        if usd is not None:
            return usd
    return 0.0


def _expert(row: Row) -> str:
    return f"{row['nodes']} x {_instance(row)}"


def _instance(row: Row) -> str:
    name: str = row.get("instance") or row["ec2_smallest"]
    return name


if __name__ == "__main__":
    main()
