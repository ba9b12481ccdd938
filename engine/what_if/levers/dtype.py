"""In which number format a type is the best."""

from collections.abc import Iterator
from dataclasses import replace

from engine.core.question import Question
from engine.pick.reasons import quantity
from engine.pick.recommend import evaluate, with_workload
from engine.what_if.levers.case import Case, Flip

DTYPES = ("bf16", "fp8", "int4")


def dtype_flips(case: Case) -> Iterator[Flip]:
    """Yield the first number format in which the group wins, or that none does."""
    question = case.question
    now = question.workload.quant
    tried = [dtype for dtype in DTYPES if dtype != now]
    for dtype in tried:
        best = evaluate(_in_dtype(question, dtype)).best
        if best is None or not case.has(best):
            continue
        price = "unpriced" if best.usd_per_hour is None else quantity(best.usd_per_hour, "USD/h")
        text = f"with {dtype} weights {best.instances}x {best.instance.instance_type} is the best"
        yield Flip(
            lever="dtype",
            found=True,
            text=f"{text}, at {price}",
            instance_type=best.instance.instance_type,
            value=dtype,
            today=now,
            change={"quant": dtype},
        )
        return
    text = f"no other number format does (tried {', '.join(tried)}; today {now})"
    yield Flip(lever="dtype", found=False, text=text, today=now)


def _in_dtype(question: Question, dtype: str) -> Question:
    changed = with_workload(question, quant=dtype)
    return replace(changed, said=replace(changed.said, quant=dtype))
