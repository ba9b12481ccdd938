"""How an answer of the terminal is held against the shared requests for files that run.

A row's `check` holds regular expressions over what the command printed (stdout, then stderr), or
names a rule; the rules are written here.
"""

import io
import json
import re
import shlex
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass

import yaml

from bot.cli.main import main
from tests.shared_data import shared_file

CASES = "data/cases/handed_out.jsonl"
GIB = {"Gi": 1.0, "Mi": 1 / 1024, "Ti": 1024.0}


@dataclass(frozen=True)
class Printed:
    """What one command printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def text(self):
        return f"{self.out}\n{self.err}"


def cases():
    """Return the rows, none where the shared file is absent."""
    path = shared_file(CASES)
    if path is None:
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def printed(command):
    """Return what a command line of the product prints, run in this process."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            code = main(shlex.split(command)[1:])
        except SystemExit as left:
            code = int(left.code or 0)
    return Printed(code, out.getvalue(), err.getvalue())


def faults(row, got):
    """Return what is wrong with an answer; empty where it is right."""
    check = row["check"]
    missing = [f"no /{p}/" for p in check.get("must", ()) if not re.search(p, got.text)]
    there = [found(p, got.text) for p in check.get("must_not", ())]
    ruled = [RULES[row["fault"]](row, got) for _ in check.get("rule", ())]
    return [fault for fault in (*missing, *there, *ruled) if fault]


def found(pattern, text):
    match = re.search(pattern, text)
    return f"has {match[0][:120]!r}" if match else ""


def sizes_gib(text, key):
    """Return the sizes in GiB that stand behind a key."""
    stated = re.findall(rf"{key}:\s*\"?([\d.]+)(Gi|Mi|Ti)", text)
    return [float(number) * GIB[unit] for number, unit in stated]


def holds_what_is_pulled(row, got):
    """Disk above the bytes of the repository that is pulled, or a repository that is ready."""
    ready = re.search(r"(?i)[\w-]+/[\w.-]*(fp8|w8a8)[\w.-]*", got.out)
    if ready and "--quantization" not in got.out:
        return ""
    least = float(re.search(r">= (\d+) GiB", row["check"]["rule"][0])[1])
    keys = ("sizeLimit", "ephemeral-storage")
    largest = [max(sizes_gib(got.out, key), default=0) for key in keys]
    return "" if min(largest) >= least else f"sizes {largest} GiB, {least:.0f} needed"


def documents(text):
    """Return the YAML documents of a file."""
    return [d for d in yaml.safe_load_all(text) if isinstance(d, dict)]


def bounds_fit_the_nodes(_, got):
    """KEDA's bounds within what the node group can hold, unless something adds nodes."""
    every = documents(got.out)
    kinds = {d.get("kind"): d for d in every}
    scaled, served = kinds.get("ScaledObject"), kinds.get("Deployment")
    if scaled is None or served is None:
        return ""
    group = kinds["ClusterConfig"]["managedNodeGroups"][0]
    replicas = served["spec"].get("replicas", 1)
    least = scaled["spec"].get("minReplicaCount", 0)
    most = scaled["spec"].get("maxReplicaCount", 1)
    if least > replicas:
        return f"minReplicaCount {least} over {replicas} replicas"
    a_node = max(1, replicas // max(1, group["desiredCapacity"]))
    steps = "\n".join(re.findall(r"(?m)^# \$ (.*)$", got.out))
    grows = re.search(r"(?i)autoscaler|karpenter", steps)
    room = group["maxSize"] * a_node
    return "" if most <= room or grows else f"maxReplicaCount {most}, room for {room}"


def alert_can_fire(_, got):
    """The alert on running requests fires below the server's own bound."""
    bounds = [float(b) for b in re.findall(r"num_requests_running\S*\)*\s*>=?\s*([\d.]+)", got.out)]
    limits = [float(b) for b in re.findall(r"--max-num-seqs[\s\"',-]*\n?\s*-?\s*\"?(\d+)", got.out)]
    wrong = [b for b in bounds if limits and b >= min(limits)]
    return f"alert > {wrong}, --max-num-seqs {limits}" if wrong else ""


def model_is_the_named_one(row, got):
    """No pick, or one of a model whose id holds every part of the name that was said."""
    if got.code:
        return ""
    answer = json.loads(got.out)
    if not answer.get("picks"):
        return ""
    name, model = row["request"].split()[0], (answer.get("workload") or {}).get("model") or ""
    parts = re.findall(r"[a-z]+|[\d.]+", name)
    return "" if all(part in model for part in parts) else f"a pick for {model or 'no model'}"


RULES = {
    "B2": holds_what_is_pulled,
    "B10": bounds_fit_the_nodes,
    "C3": alert_can_fire,
    "M1": model_is_the_named_one,
}
