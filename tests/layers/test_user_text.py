"""What people write is matched in `bot/language` alone; every other room is told what was asked."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# What else may be matched, and what it is: nothing that a person wrote in words.
NO_WORDS = {
    "bot/answers/estimate/model_config.py": "a file's name becomes a model's id",
    "bot/cli/main.py": "names of its own commands",
    "bot/core/render.py": "characters that YAML and Slack's markup would read as their own",
    "bot/manifests/eksctl/node_rules.py": "labels and taints of Kubernetes",
    "bot/manifests/eksctl/rules.py": "names of clusters and node groups",
    "bot/manifests/karpenter/class_rules.py": "AMI aliases and ids of reservations",
    "bot/manifests/karpenter/match.py": "the letters of a family in a requirement",
    "bot/manifests/karpenter/rules.py": "durations of the API",
    "bot/manifests/legal_names.py": "names become DNS labels",
    "bot/manifests/workload/workload_rule.py": "quantities of Kubernetes",
    "bot/manifests/terraform.py": "tokens of HCL",
    "bot/manifests/workload/training_rules.py": "names of rules in a training job",
    "bot/manifests/workload/workload_rules.py": "DNS labels, variables, buckets, images with a tag",
    "bot/slack/app.py": "ids of actions and names of commands that Bolt dispatches by",
    "bot/slack/door/redact.py": "tokens and hooks in a log",
    "bot/slack/door/response_url.py": "characters that no URL holds",
    "bot/slack/door/ingress.py": "the timestamp of a signature",
    "bot/slack/form/place.py": "ids of teams, users and channels, timestamps of messages",
    "bot/slack/home/at_home.py": "ids and timestamps in a link",
    "bot/slack/posting/message.py": "ids of users and channels",
    "bot/slack/talk/clicks.py": "the line that our own card names its asker with",
    "bot/slack/talk/overheard.py": "mentions and emoji as Slack writes them",
    "bot/slack/talk/slack_turn.py": "mentions as Slack writes them",
    "bot/store/location.py": "the name of a table",
}
MATCHERS = {"re", "rapidfuzz", "difflib", "fnmatch"}


def matching(layer: str) -> set[str]:
    """The modules that import what text is matched with, by their path."""
    found = set()
    for path in (ROOT / layer).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            if MATCHERS & {name.partition(".")[0] for name in names}:
                found.add(path.relative_to(ROOT).as_posix())
    return found


def test_the_engine_matches_no_text():
    assert matching("engine") == set()


def test_the_bot_matches_text_in_the_language_alone():
    found = {path for path in matching("bot") if not path.startswith("bot/language/")}
    assert found - NO_WORDS.keys() == set()
    assert NO_WORDS.keys() - found == set(), "no longer needed: take it off the list"


def users_text(tree: ast.AST) -> list[ast.Attribute]:
    """Where `turn.request` or `understanding.text` is used for anything but to be shown."""
    shown = {
        id(value)
        for node in ast.walk(tree)
        for value in (
            [node.value] if isinstance(node, ast.keyword) else getattr(node, "values", [])
        )
        if isinstance(node, ast.keyword | ast.Dict)
    }
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and id(node) not in shown
        and ast.unparse(node).endswith(("turn.request", "understanding.text", "understood.text"))
    ]


@pytest.mark.parametrize("room", ["answers", "cards", "manifests", "alerts", "conversation"])
def test_no_answer_reads_the_text_again(room):
    wrong = [
        f"{path.relative_to(ROOT)}:{node.lineno} reads {ast.unparse(node)}"
        for path in sorted((ROOT / "bot" / room).rglob("*.py"))
        for node in users_text(ast.parse(path.read_text()))
    ]
    assert wrong == []
