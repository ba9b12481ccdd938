"""What the fresh cases are held against: an answer as JSON and as print, and checks on both.

A check takes an answer and raises AssertionError. The rows of `data/cases/fresh.jsonl` state
figures with their tolerance; the checks read those, so that a row's number stands in one place.
"""

import io
import re
from contextlib import redirect_stderr, redirect_stdout

from bot.answers.estimate.answer import estimate_json
from bot.answers.estimate.model_config import model_of_config
from bot.answers.estimate.request import estimate_request
from bot.answers.world import load_world
from bot.cli.ask import print_reply, reply_json
from bot.conversation.conversation import answer
from bot.conversation.thread import Thread
from bot.core.errors import RequestError
from tests.benchmarks.fresh_configs import config_fields


class FreshAnswer:
    """One row's answer: of an ask its JSON and print, of an estimate or config the estimate."""

    def __init__(self, row):
        self.row, self.expect = row, row["expect"]
        if row["kind"] == "ask":
            self._ask(row["input"])
        elif row["kind"] == "chat":
            self._chat(row["steps"])
        else:
            self._estimate(row)

    def _ask(self, text):
        reply = answer(text, load_world())
        self.json, self.text = reply_json(reply), _printed(reply)
        self.first = reply.text.partition("\n")[0]

    def _chat(self, steps):
        """Keep the JSON of every turn; the text is that of the last."""
        thread, self.turns = Thread(), []
        for step in steps:
            said_in = thread.before(step)
            reply = answer(step, load_world(), None if said_in is None else said_in.context)
            thread = (said_in or thread).after(reply)
            self.turns.append(reply_json(reply))
        self.json, self.text = self.turns[-1], _printed(reply)
        self.first = reply.text.partition("\n")[0]

    def _estimate(self, row):
        fields = row["input"] if row["kind"] == "estimate" else {}
        try:
            asked = estimate_request(config_fields(row["id"]) or fields)
            self.json, self.text = estimate_json(asked, load_world()), ""
        except RequestError as error:
            self.json, self.text = {"error": error.message}, error.message
        self.first = self.text

    @property
    def workload(self):
        return self.json.get("workload", {})

    @property
    def pick(self):
        """The first pick: its plan, memory and figures."""
        return self.json["picks"][0]

    @property
    def named(self):
        """What the question named, wherever it ranks."""
        named = self.json["workload"]["instance"]
        shown = (*self.json["picks"], *self.json["closest"])
        return next(pick for pick in shown if pick["instance_type"] == named)

    @property
    def memory(self):
        return self.json["memory"] if "memory" in self.json else self.pick["memory"]

    @property
    def speed(self):
        return self.json["performance"] if "performance" in self.json else self.pick["performance"]

    @property
    def params_b(self):
        """Billions of parameters of a config as it was read."""
        return model_of_config(config_fields(self.row["id"])["model_config"]).total_params_b

    def numbers(self, name):
        """The values of the answer's own figures that go by this name."""
        halves = (self.json, *self.json.get("also", []))
        told = [(half.get("explanation") or {}).get("numbers", []) for half in halves]
        every = (number for numbers in told for number in numbers)
        return [number["value"] for number in every if number["name"] == name]


def _printed(reply):
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(out):
        print_reply(reply)
    drawn = re.sub(r"[│┌┐└┘─]", " ", out.getvalue())
    return re.sub(r"\s+", " ", drawn)


def says(*patterns):
    """Every pattern stands in the print."""

    def check(told):
        for pattern in patterns:
            assert re.search(pattern, told.text, re.IGNORECASE), f"does not say {pattern!r}"

    return check


def leads_with(pattern):
    """The first line of the answer holds the pattern."""

    def check(told):
        assert re.search(pattern, told.first, re.IGNORECASE), told.first

    return check


def never_says(*patterns):
    """No pattern stands in the print."""

    def check(told):
        for pattern in patterns:
            found = re.search(pattern, told.text, re.IGNORECASE)
            assert not found, f"says {found.group(0)!r}"

    return check


def understood(**fields):
    """The fields of the workload, as they were read."""

    def check(told):
        for name, value in fields.items():
            assert told.workload.get(name) == value, f"{name}: {told.workload.get(name)!r}"

    return check


def holds_it(told):
    """The machine that was named holds the model, and the first line says so."""
    assert re.match(r"Yes on |Fits on |Should fit on ", told.first), told.first


def figure(field, read):
    """The row's figure of that name, within its own tolerance or between its own bounds."""

    def check(told):
        wanted, value = told.expect[field], read(told)
        low, high = bounds(wanted)
        assert low <= value <= high, f"{field}: {value:.4g}, not in {low:.4g}-{high:.4g}"

    return check


def bounds(wanted):
    """The lowest and highest value that a row lets pass."""
    if isinstance(wanted, dict) and "value" in wanted:
        slack = wanted.get("tol_pct", 1) / 100
        return wanted["value"] * (1 - slack), wanted["value"] * (1 + slack)
    if isinstance(wanted, dict):
        return wanted.get("low", float("-inf")), wanted.get("high", float("inf"))
    return wanted * 0.995, wanted * 1.005
