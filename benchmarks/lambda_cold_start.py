"""`make bench`: cold start and acknowledgement of the packaged functions, beside their limits.

The real runtime client runs the files of `build/lambda` at the share of a core that Lambda gives to
the function's memory. Not in the figures: starting the micro-VM, fetching the package, TLS.
"""

import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from benchmarks.cpu_share import cpu_share
from bot.cards.pictures.picture import Dot, FrontierPicture, MemoryPart, MemoryPicture, as_wire
from bot.core.names import SHORTCUT
from bot.slack.form.place import Opener
from bot.slack.form.view import form_view
from tests.aws_server import moto_process
from tests.lambdas.deployment import Deployment, command_event, interaction_event
from tests.lambdas.runtime_api import ROOT, Sandbox, client_alone
from tests.slack.fake_slack import FakeSlack
from tests.slack.form_person import FILLED, filled

CODE = ROOT / "build" / "lambda"
RUNS = 7
WARM_RUNS = 40
INGRESS = ("bot.lambdas.ingress.handler", 512)
WORKER = ("bot.lambdas.worker.handler", 1024)
SWEEP = ("bot.lambdas.sweep.handler", 512)
FAN_OUT = ("bot.lambdas.fan_out.handler", 1024)
PICTURES = "bot.lambdas.pictures.handler"
ACK_COLD_MS, ACK_WARM_MS, WORKER_INIT_MS, ANSWER_MS = 500, 50, 1200, 1000
CHARTS_COLD_MS = 5000  # half of what the worker waits

NAMED = {"file_name": "chart.png", "title": "A chart", "alt_text": "What it says."}
CHARTS = (
    FrontierPicture(
        **NAMED,
        figure="whole answer",
        limit_ms=5000.0,
        dots=(
            Dot(name="g6.xlarge", usd_per_hour=0.8, milliseconds=8000.0, picked=True),
            Dot(name="p5.4xlarge", usd_per_hour=6.9, milliseconds=700.0, picked=False),
        ),
    ),
    MemoryPicture(**NAMED, device="GPU", parts=(MemoryPart(name="weights", gib=13.1),)),
)
# What Slack shows the answer to: it waits three seconds, network and micro-VM included.
FORM_OPEN_MS, FORM_CHECKED_MS = 500, 1200

PERSON = {"team": {"id": "T1"}, "user": {"id": "U1", "team_id": "T1"}}

LISTED_MS = 30  # an import that costs more, at one core, has its reason here
REASONS = {
    "bot": "grammar, turns, cards, and the world loaded in INIT: what the function is for",
    "engine": "the estimates: what the function is for",
    "catalog": "the facts: one JSON file of 0.9 MB is parsed",
    "slack_bolt": "routes payloads to listeners; the customer's choice (worker and oauth only)",
    "slack_sdk": "posts to Slack; the customer's choice (worker and oauth only)",
    "jinja2": "renders cards; compiled once, in INIT",
    "http": "the client that Slack and AWS are called with",
    "email": "http.client parses headers with it",
    "ssl": "Slack and AWS are called over TLS",
    "rapidfuzz": "typos in model and instance names",
    "yaml": "every manifest is parsed back before it leaves",
    "asyncio": "slack_sdk imports it",
    "boto3": "live prices",
    "botocore": "live prices",
}


def form_opening_event() -> dict[str, Any]:
    """Return somebody's use of the global shortcut."""
    shortcut = {"type": "shortcut", "callback_id": SHORTCUT, "trigger_id": f"{time.time()}"}
    return interaction_event({**PERSON, **shortcut})


def form_submission_event() -> dict[str, Any]:
    """Return a filled form."""
    opener = Opener(team="T1", user="U1", channel="C1")
    view = {**form_view(FILLED, opener), "id": f"V{time.time()}", "hash": "1"}
    return interaction_event({**PERSON, "type": "view_submission", "view": filled(view, FILLED)})


FIRST_REQUESTS = (
    ("acknowledgement", command_event, ACK_COLD_MS),
    ("a form opened", form_opening_event, FORM_OPEN_MS),
    ("a form checked", form_submission_event, FORM_CHECKED_MS),
)


class Bench:
    """Sandboxes of one deployment."""

    def __init__(self, deployment: Deployment, folder: Path) -> None:
        self._deployment = deployment
        self._client = client_alone(folder)
        self._environ = {**deployment.environ, "PYTHONPYCACHEPREFIX": str(folder / "byte-code")}

    def sandbox(self, handler: str, wrapper: tuple[str, ...] = ()) -> Sandbox:
        return Sandbox(handler, self._environ, CODE, [self._client], wrapper)

    def first_answer_ms(self, event: dict[str, Any], wrapper: tuple[str, ...]) -> float:
        """Return spawn to the answer to a first request."""
        with self.sandbox(INGRESS[0], wrapper) as cold:
            ready = cold.ready_ms()
            outcome = cold.invoke(event)
            if outcome.answer["statusCode"] != 200 or "errors" in outcome.answer["body"]:
                raise RuntimeError(cold.log)
            return ready + outcome.ms

    def ready_ms(self, handler: str, wrapper: tuple[str, ...]) -> float:
        with self.sandbox(handler, wrapper) as cold:
            return cold.ready_ms()

    def warm_ms(self, wrapper: tuple[str, ...]) -> list[float]:
        with self.sandbox(INGRESS[0], wrapper) as warm:
            warm.invoke(command_event())
            return [warm.invoke(command_event()).ms for _ in range(WARM_RUNS)]

    def answered_ms(self, wrapper: tuple[str, ...]) -> list[float]:
        """Return the times of a job in a warm worker: the engine, and a post to the fake Slack."""
        self._deployment.purge()
        with self.sandbox(INGRESS[0]) as door:
            for _ in range(10):
                door.invoke(command_event())
        with self.sandbox(WORKER[0], wrapper) as worker:
            return [
                worker.invoke({"Records": [one]}).ms for one in self._deployment.batch()["Records"]
            ][1:]

    def charts_ms(self, folder: str) -> float:
        """Return spawn to two charts, at a full core, as the function has one.

        With this machine's plotting library: the package's own is for Lambda's processor.
        """
        with Sandbox(PICTURES, {"MPLCONFIGDIR": folder}) as cold:
            ready = cold.ready_ms()
            outcome = cold.invoke({"pictures": as_wire(CHARTS)})
            if outcome.error:
                raise RuntimeError(cold.log)
            return ready + outcome.ms

    def imports_ms(self, handler: str) -> Counter[str]:
        """Return the import time of each top-level package, at one core: the quickest of three."""
        return min((self._imports_once_ms(handler) for _ in range(3)), key=Counter.total)

    def _imports_once_ms(self, handler: str) -> Counter[str]:
        environ = {**self._environ, "PATH": os.environ["PATH"], "PYTHONPATH": str(CODE)}
        module = handler.rpartition(".")[0]
        run = subprocess.run(
            [sys.executable, "-S", "-X", "importtime", "-c", f"import {module}"],
            env=environ, cwd=CODE, capture_output=True, text=True, check=True,
        )  # fmt: skip
        spent: Counter[str] = Counter()
        for own, name in re.findall(r"import time:\s*(\d+) \|\s*\d+ \|\s*([\w.]+)", run.stderr):
            spent[name.partition(".")[0]] += int(own)
        return Counter({name: us / 1000 for name, us in spent.items()})


def report(name: str, values: list[float], limit: float) -> None:
    """Print a median beside its limit."""
    median = statistics.median(values)
    over = "" if median <= limit else "  OVER"
    print(
        f"{name:52s} {median:7.0f} ms  (max {max(values):.0f})  limit {limit:g} ms"
        f"  {limit / median:4.1f}x room{over}"
    )


def measure(bench: Bench) -> None:
    """Measure and print everything."""
    for handler, _ in (INGRESS, WORKER):  # fills the byte code, as the package has it on Lambda
        bench.ready_ms(handler, ())
    with cpu_share(INGRESS[1]) as share:
        at = "512 MB" if share else "a full core, as no CPU share can be set here"
        for what, event, limit in FIRST_REQUESTS:
            bench.first_answer_ms(event(), ())  # fills the byte code, as above
            cold = [bench.first_answer_ms(event(), share or ()) for _ in range(RUNS)]
            report(f"ingress, cold to {what}, {at}", cold, limit)
        report(f"ingress, warm acknowledgement, {at}", bench.warm_ms(share or ()), ACK_WARM_MS)
    with cpu_share(WORKER[1]) as share:
        at = "1024 MB" if share else "a full core, as no CPU share can be set here"
        cold = [bench.ready_ms(WORKER[0], share or ()) for _ in range(RUNS)]
        report(f"worker, init, {at}", cold, WORKER_INIT_MS)
        report(f"worker, warm answer and post, {at}", bench.answered_ms(share or ()), ANSWER_MS)
    for name, (handler, memory_mb) in (("sweep", SWEEP), ("fan-out", FAN_OUT)):  # nobody waits
        bench.ready_ms(handler, ())
        with cpu_share(memory_mb) as share:
            cold = [bench.ready_ms(handler, share or ()) for _ in range(RUNS)]
        report(f"{name}, init, {memory_mb} MB", cold, WORKER_INIT_MS)
    charts = []
    for _ in range(RUNS):  # each without the list of fonts of the one before
        with tempfile.TemporaryDirectory() as folder:
            charts.append(bench.charts_ms(folder))
    report("pictures, cold to two charts, a full core", charts, CHARTS_COLD_MS)
    for handler, _ in (INGRESS, WORKER):
        spent = bench.imports_ms(handler)
        print(f"{handler}: imports take {sum(spent.values()):.0f} ms at a full core")
        for name, ms in spent.most_common():
            if ms >= LISTED_MS:
                print(f"    {name:12s} {ms:5.0f} ms  {REASONS.get(name, 'NOT JUSTIFIED')}")


def main() -> int:
    """Measure the packaged functions; say how to build them where they are missing."""
    if not CODE.is_dir():
        print("no packaged functions: run `make artefact` first")
        return 0
    with ExitStack() as stack:
        aws_url = stack.enter_context(moto_process())
        slack = stack.enter_context(FakeSlack())
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        deployment = Deployment.made(aws_url, slack, "bench")
        measure(Bench(deployment, folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
