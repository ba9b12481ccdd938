"""docs/architecture.md, "to add X, touch these": each is tried, with an imaginary one of its kind.

A copy of the product is changed in the places that the page names, and in no other; then it has the
new question, manifest, price source and button.
"""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").partition("## To add X")[2]
MOST = {"a kind of question": 4, "a kind of manifest": 5, "a price source": 3,
        "a button on a card": 3}  # fmt: skip

SPELLED = '''"""What a type's name says."""

from bot.answers.question_asked import computed_reply, notes_of
from bot.answers.pick import recommendation_of, shown_picks
from bot.cards.notices import notice_view


def spelled_turn(turn):
    result = recommendation_of(turn)
    family, _, size = shown_picks(result)[0].instance.instance_type.partition(".")
    view = notice_view("Its name", f"the {size} of {family}", notes_of(turn, result))
    return computed_reply(turn, view, result)
'''
DISRUPTION = '''"""How many replicas a drain may take at once."""

from bot.manifests.workload.kubernetes import comments_of, workload_view, written
from bot.manifests.workload.workload_rule import Bundle


def disruption_manifest(result, pick, catalog):
    view = workload_view(result, pick, catalog)
    comments = comments_of(result, pick)
    bundle = Bundle(pool=view.pool)
    return written(
        "disruption", "disruption.yaml.j2", bundle, comments=comments, notes=(), view=view
    )
'''
BUDGET = """{% include "kubernetes/head.yaml.j2" %}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ view.name }}
spec:
  maxUnavailable: 1
"""
RATE_CARD = '''"""Prices that somebody wrote down."""

from dataclasses import dataclass

from catalog.facts.schema import Quote
from catalog.prices.live.source import Findings


@dataclass(frozen=True, slots=True)
class RateCard:
    name: str = "rate card"
    ttl_s: float = 60.0
    found_type: type = Quote
    batch: int = 100

    def place(self, asked):
        return asked.region

    def find(self, asked):
        return Findings({ask: self._quote(ask) for ask in asked})

    def _quote(self, ask):
        where = {"instance_type": ask.instance_type, "region": ask.region, "market": ask.market}
        return Quote(**where, usd_per_hour=0.7, source="rate_card", as_of="2026-11-28")
'''

# Of each kind: the files to touch, with what is put before which text; None: the file is new.
ADDITIONS = {
    "a kind of question": {
        "bot/language/text/lexicon.txt": ("topic:efa -", "topic:spelled -: spell out its name\n"),
        "bot/language/questions/intent.py": ('"choose", "more"', '"spelled", '),
        "bot/answers/advice/spelled.py": (None, SPELLED),
        "bot/conversation/questions.py": (
            "# What is answered whatever",
            (
                "def _spelled(turn):\n    from bot.answers.advice.spelled import spelled_turn\n\n"
                "    return spelled_turn(turn)\n\n\nTOPIC_TURNS['spelled'] = _spelled\n"
            ),
        ),
    },
    "a kind of manifest": {
        "bot/core/manifest.py": ('"everything",', '"disruption", '),
        "bot/language/text/lexicon.txt": (
            "intent:manifest quota",
            "intent:manifest disruption: disruption yaml; pdb\n",
        ),
        "bot/manifests/beside/disruption.py": (None, DISRUPTION),
        "templates/disruption.yaml.j2": (None, BUDGET),
        "bot/manifests/made.py": (
            "# A move to other silicon",
            (
                "def _disruption(result, pick, catalog):\n"
                "    from bot.manifests.beside.disruption import disruption_manifest\n\n"
                "    return disruption_manifest(result, pick, catalog)\n\n\n"
            ),
        ),
        "bot/manifests/made.py:2": ('"quota": _make_quota,', '"disruption": _disruption, '),
    },
    "a price source": {
        "catalog/prices/live/rate_card.py": (None, RATE_CARD),
        "catalog/prices/live/desk.py": (
            "class LiveDesk:",
            "from catalog.prices.live.rate_card import RateCard\n\n\n",
        ),
        "catalog/prices/live/desk.py:2": ('"reserved": Reserved', '"on_demand": RateCard(),'),
        "bot/core/wording.py": ('"pricing_api":', '"rate_card": "your rate card", '),
    },
    "a button on a card": {
        "bot/cards/blocks.py": (
            'Button("Save", SAVE, value)',
            'Button("Monitor", "pick.monitor", value), ',
        ),
        "bot/slack/talk/clicks.py": (
            'SAVE: "save',
            '"pick.monitor": "what should I monitor ",\n    ',
        ),
    },
}

USE = """
import json
from bot.answers.world import load_world
from bot.cards.blocks import message
from bot.conversation.conversation import answer
from bot.conversation.thread import Thread
from bot.core.wording import price_note
from bot.slack.talk.clicks import ASKED
from catalog.prices.live.desk import DeskQuestion, live_desk, price_asked

world = load_world()
card = answer("inference llama-3.1-8b rps=3", world)
def then(text):
    return answer(text, world, Thread().after(card).now)
buttons = [e for b in message(card.view)["blocks"] if b["type"] == "actions" for e in b["elements"]]
value = [one["value"] for one in buttons if one["action_id"] == "pick.monitor"][0]
about = " ".join(f"{k}={v}" for k, v in [("instance", json.loads(value)["instance_type"])])
asked = price_asked("on_demand", "us-east-1", "g6.xlarge")
quote = live_desk(world.catalog).ask(DeskQuestion(prices=[asked]), budget_s=30.0).quotes[asked.key]
print(json.dumps({
    "a kind of question": then("spell out its name").text,
    "a kind of manifest": then("disruption yaml").manifest.yaml_text,
    "a price source": price_note(quote),
    "a button on a card": then(ASKED["pick.monitor"] + about).text,
}))
"""
SAYS = {
    "a kind of question": "the xlarge of g6",
    "a kind of manifest": "kind: PodDisruptionBudget",
    "a price source": "your rate card",
    "a button on a card": "What to monitor",
}


@pytest.fixture(scope="module")
def used(tmp_path_factory):
    """What the changed copy says when each addition is used."""
    copy = tmp_path_factory.mktemp("copy")
    for layer in ("bot", "engine", "catalog", "templates"):
        shutil.copytree(ROOT / layer, copy / layer)
    for places in ADDITIONS.values():
        for place, (before, text) in places.items():
            path = copy / place.partition(":")[0]
            if before is None:
                assert not path.exists()
                path.write_text(text, encoding="utf-8")
                continue
            whole = path.read_text(encoding="utf-8")
            assert before in whole, f"{place}: no {before}"
            path.write_text(whole.replace(before, text + before, 1), encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-B", "-c", USE], cwd=copy, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@pytest.mark.parametrize("kind", ADDITIONS)
def test_the_addition_works(used, kind):
    assert SAYS[kind] in used[kind]


@pytest.mark.parametrize("kind", ADDITIONS)
def test_it_takes_the_places_that_the_page_names_and_no_more(kind):
    (row,) = re.findall(rf"^\| {kind} \| (.+?) \| (\d+) \|$", PAGE, re.MULTILINE)
    named = re.findall(r"`([\w./]+)`", row[0].partition("; one that asks")[0])
    touched = {place.partition(":")[0] for place in ADDITIONS[kind]}
    assert len(touched) == int(row[1]) == len(named)
    assert len(touched) <= MOST[kind]
    for place in touched:
        assert any(place.startswith(name) for name in named), place
