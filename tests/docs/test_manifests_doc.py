"""docs/manifests.md: each snippet of the written guides, what is wrong with it, and its remedy."""

import csv
import json
import re
from pathlib import Path

import jsonschema
import pytest
import yaml

from bot.conversation.conversation import answer
from bot.core.manifest import KINDS
from bot.language.parse import parse
from bot.language.text.tables import lexicon
from bot.manifests.beside.migration import migration_manifest
from bot.manifests.eksctl.rules import broken_rules
from bot.manifests.made import MAKERS, made_manifest
from bot.manifests.pool import pool_of
from bot.manifests.rule import RuleFacts
from bot.manifests.workload.workload_rule import Bundle
from bot.manifests.workload.workload_rules import broken_workload_rules
from tests.manifests.workloads import answered, world
from tests.shared_data import needed_shared_file

ROOT = Path(__file__).parents[2]
DOC = ROOT / "docs" / "manifests.md"
TEXT = (ROOT / "docs" / "render" / "snippets.csv").read_text(encoding="utf-8")
ROWS = list(csv.DictReader(TEXT.splitlines()))
WHAT = {**MAKERS, "migration": migration_manifest}  # each says what it makes
WORDS = {kind: words.split(";")[0] for name, kind, words in lexicon() if name == "intent:manifest"}
NAMES = [f"{row['document']}-{row['snippet']}" for row in ROWS]
SCHEMA = json.loads((ROOT / "tests" / "schemas" / "eksctl.schema.json").read_text(encoding="utf-8"))
FILES = {"001": "001_53c242674d6888ae.txt", "004": "004_f3176a0dfbb28bde.txt"}


def remedy(row):
    """Return the file that the product prints for the row's request."""
    if row["kind"] == "migration":
        return answer(f"{row['request']} migration manifests", world()).manifest
    result, _ = answered(row["request"])
    return made_manifest(row["kind"], result, world().catalog)


def first_line(maker):
    line = maker.__doc__.partition("\n")[0].removeprefix("Return ").removesuffix(".")
    return line[0].upper() + line[1:]


def page():
    lines = [
        "# What can be applied",
        "",
        "Each kind by its words in a thread, or by `--manifest KIND`. Every file is parsed back",
        "and held against the rules before it leaves; tests hold it against the schemas as well.",
        "Where the model is and where checkpoints go is said in words: `from s3://bucket/prefix`,",
        "`model on a PVC`, `on FSx`, `on EFS`, `on EBS`, `checkpoints to s3://bucket/prefix`.",
        "All files of a kind are printed, each behind `# FILE name`; `--out FOLDER` writes them.",
        "",
        "| kind | words | what |",
        "|---|---|---|",
        *(f"| {kind} | {WORDS[kind]} | {first_line(WHAT[kind])} |" for kind in KINDS),
        "",
        "## Releases",
        "",
        "Every image, chart, command and package that a file names is a row of",
        "`catalog/data/tools.csv`, with the day it was looked up; `tests/catalog` warns after 120",
        "days. Where each is looked up:",
        "",
        "| what | where |",
        "|---|---|",
        "| which type eksctl knows | `pkg/utils/instance/instance_types.go` of two release tags |",
        "| names of eksctl's DaemonSets | `pkg/addons/assets` of its repository |",
        "| charts | the releases of the chart's repository; `helm search repo CHART` |",
        "| servers (vLLM, SGLang, TGI, TEI, llama.cpp) | their releases; flags, metrics and their \
buckets in the source of that release |",
        "| AWS images | `docs/*/changelog` and the support policy of \
aws/deep-learning-containers |",
        "| Neuron images | the release notes of the Neuron SDK |",
        "| EKS images | the releases of awslabs/amazon-eks-ami |",
        "| packages | `pip index versions PACKAGE` |",
        "",
        "## The guides' snippets, mended",
        "",
        "What is wrong with each manifest that the written guides show, what finds it (the schema",
        "of the tool, or the id of a rule in `bot/manifests`), and the request that prints its",
        "counterpart. Made from `docs/render/snippets.csv` by `tests/docs/test_manifests_doc.py`,",
        "which prints each counterpart and finds each fault again.",
        "",
        "| guide | snippet | what is wrong | found by | the counterpart |",
        "|---|---|---|---|---|",
    ]
    for row in ROWS:
        call = f"`ec2-pick --manifest {row['kind']} '{row['request']}'`"
        found = row["found_by"] or "reading"
        cells = (row["document"], row["snippet"], row["wrong"], found, call)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def test_the_page_is_up_to_date(update_goldens):
    if update_goldens:
        DOC.write_text(page(), encoding="utf-8")
    assert DOC.read_text(encoding="utf-8") == page()


@pytest.mark.parametrize("kind", KINDS)
def test_the_words_ask_for_the_kind(kind):
    said = parse("train llama-3.1-8b", world().catalog).workload
    understood = parse(WORDS[kind], world().catalog, said)
    assert (understood.intent, understood.manifest_kind) == ("manifest", kind)


@pytest.mark.parametrize("row", ROWS, ids=NAMES)
def test_the_counterpart_is_printed(row):
    manifest = remedy(row)
    assert manifest.kind == row["kind"]
    assert all(words in manifest.yaml_text for words in row["shows"].split(";"))


def snippets(document):
    """Return every YAML document of a guide, in order."""
    text = needed_shared_file(f"seeds/{FILES[document]}").read_text(encoding="utf-8")
    blocks = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    return [
        made for block in blocks for made in yaml.safe_load_all(block) if "kind" in (made or {})
    ]


def faults(snippet, row):
    """Return the ids of what is broken, `schema` among them."""
    catalog = world().catalog
    if snippet["kind"] == "ClusterConfig":
        facts = RuleFacts(eks=catalog.eks, instances=catalog.instances)
        found = {broken.rule for broken in broken_rules(snippet, facts)}
        valid = jsonschema.Draft7Validator(SCHEMA).is_valid(snippet)
        return found if valid else found | {"schema"}
    result, pick = answered(row["request"])
    pool = pool_of(pick, result.workload, catalog)
    broken = broken_workload_rules(Bundle(documents=(snippet,), pool=pool))
    return {b.rule for b in broken}


@pytest.mark.parametrize("row", ROWS, ids=NAMES)
def test_the_faults_are_found(row):
    if not row["place"]:
        return  # Python, judged by reading
    snippet = snippets(row["document"])[int(row["place"])]
    assert set(row["found_by"].split()) <= faults(snippet, row)
