"""The fields of the form: what each is called, what it takes, and its key in the field grammar."""

from dataclasses import dataclass
from typing import Final, Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class FormField:
    """One input. `name` is its block_id and, but for `more`, its key in `key=value`."""

    name: str
    label: str
    hint: str
    kind: Literal["choice", "model", "line", "lines"]
    placeholder: str
    choices: tuple[tuple[str, str], ...] = ()  # (value in the grammar, what people read)


MORE: Final = "more"  # whatever has no field of its own, as one would type it
ENTER: Final = "Press Enter to update the preview."

FIELDS: Final[tuple[FormField, ...]] = (
    FormField(
        name="task",
        label="Task",
        hint="What the instances are for.",
        kind="choice",
        placeholder="Choose a task",
        choices=(
            ("inference", "Inference: serve a model"),
            ("finetune", "Fine-tune a model"),
            ("train", "Train from scratch"),
            ("development", "Development: experiments and notebooks"),
        ),
    ),
    FormField(
        name="model",
        label="Model",
        hint="Type part of a name (llama 70) or a size (7B). Without one, a usual size is taken.",
        kind="model",
        placeholder="llama 70, qwen, 7B",
    ),
    FormField(
        name="concurrency",
        label="Load: requests at once",
        hint=f"How many are answered at the same time. {ENTER}",
        kind="line",
        placeholder="32",
    ),
    FormField(
        name="rps",
        label="Load: requests per second",
        hint=f"A rate: 5, or 300/min. {ENTER}",
        kind="line",
        placeholder="5",
    ),
    FormField(
        name="context",
        label="Context length",
        hint=f"Tokens of prompt and answer together, as 8192 or 8k. {ENTER}",
        kind="line",
        placeholder="8k",
    ),
    FormField(
        name="latency",
        label="Limit: latency",
        hint=f"With a unit: 100ms or 2s. {ENTER}",
        kind="line",
        placeholder="100ms",
    ),
    FormField(
        name="latency_kind",
        label="Limit: latency of what",
        hint="Not chosen: the first token for a limit below 1 s, else the whole answer.",
        kind="choice",
        placeholder="As the limit suggests",
        choices=(
            ("ttft", "First token"),
            ("per_token", "Each further token"),
            ("e2e", "Whole answer"),
        ),
    ),
    FormField(
        name="budget",
        label="Limit: budget",
        hint=f"Dollars with a period: $5/h, $900/month, $2000 total. {ENTER}",
        kind="line",
        placeholder="$5/h",
    ),
    FormField(
        name="region",
        label="Region",
        hint=f"A code or a place: eu-central-1, Frankfurt, or several with commas. {ENTER}",
        kind="line",
        placeholder="us-east-1",
    ),
    FormField(
        name="market",
        label="Market",
        hint="How the instances are bought.",
        kind="choice",
        placeholder="On demand, unless said otherwise",
        choices=(
            ("on_demand", "On demand"),
            ("spot", "Spot: may be interrupted"),
            ("savings_plan", "Savings plan"),
            ("reserved", "Reserved"),
            ("capacity_block", "Capacity block"),
        ),
    ),
    FormField(
        name="objective",
        label="Priority",
        hint="What decides between instances that meet the limits.",
        kind="choice",
        placeholder="Cost, unless said otherwise",
        choices=(
            ("cost", "Lowest price"),
            ("latency", "Lowest latency"),
            ("throughput", "Highest throughput"),
            ("performance", "Performance"),
            ("balanced", "Balance of price and speed"),
            ("value", "Most tokens for the money"),
            ("max_savings", "Largest savings"),
            ("energy", "Least energy"),
        ),
    ),
    FormField(
        name=MORE,
        label="Anything else",
        hint="In your words or as field=value: quant=int4 allow=g6,g5 deadline=72h.",
        kind="lines",
        placeholder="quant=int4 allow=g6,g5",
    ),
)
UNTOUCHED: Final = {"task": "inference"}  # what a form holds that nothing is known of
BY_NAME: Final = {field.name: field for field in FIELDS}
