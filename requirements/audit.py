"""Holds every locked package against the published advisories: `make audit`.

Exit 0 where every package was asked about and none has a known vulnerability, 1 otherwise. Where no
source of advisories can be reached (a machine behind a package mirror) nothing can be said: then it
says NOT AUDITED, exit 0 with --if-reachable and 3 without.
"""

import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
LOCKS = ("runtime", "lambda", "dev", "audit")
AUDITED, VULNERABLE, UNREACHABLE = 0, 1, 3
SERIOUS = ("high", "critical")  # of Node's packages, which only package and draw
TIMEOUT_S = 300


def python_packages(pip_audit: str) -> int:
    """Return the worst outcome over the locks; each problem is a line on stderr."""
    return max(_lock(pip_audit, lock) for lock in LOCKS)


def _lock(pip_audit: str, lock: str) -> int:
    command = [pip_audit, "--disable-pip", "--require-hashes", "--format=json",
               "--progress-spinner=off", "-r", str(HERE / f"{lock}.txt")]  # fmt: skip
    found = _json_of(command)
    if not found or all("skip_reason" in one for one in found["dependencies"]):
        return UNREACHABLE
    problems = [
        f"{lock}: {one['name']}: {why}" for one in found["dependencies"] for why in _problems(one)
    ]
    sys.stderr.writelines(f"{problem}\n" for problem in problems)
    return VULNERABLE if problems else AUDITED


def _problems(package: dict) -> list[str]:
    if "skip_reason" in package:
        return [f"not audited: {package['skip_reason']}"]
    return [f"{package['version']} has {one['id']}" for one in package["vulns"]]


def node_packages() -> int:
    """Return the outcome for the packages that package and deploy."""
    found = _json_of(["npm", "audit", "--json"], HERE / "node")
    counts = found.get("metadata", {}).get("vulnerabilities") if found else None
    if counts is None:
        return UNREACHABLE
    serious = sum(counts.get(level, 0) for level in SERIOUS)
    if serious:
        sys.stderr.write(f"node: {serious} packages with serious vulnerabilities\n")
    return VULNERABLE if serious else AUDITED


def _json_of(command: list[str], folder: Path = HERE) -> dict | None:
    """Return what a tool printed as JSON, which it does whatever its exit code; None without."""
    run = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, timeout=TIMEOUT_S
    )
    try:
        return json.loads(run.stdout)
    except ValueError:
        return None


def main() -> int:
    """Audit both kinds of packages and say what came of it."""
    outcomes = {
        "Python": python_packages(str(Path(sys.executable).with_name("pip-audit"))),
        "Node": node_packages(),
    }
    words = {
        AUDITED: "no known vulnerability",
        VULNERABLE: "see above",
        UNREACHABLE: "NOT AUDITED: no source of advisories can be reached from here",
    }
    for kind, outcome in outcomes.items():
        sys.stdout.write(f"{kind} packages: {words[outcome]}\n")
    if VULNERABLE in outcomes.values():
        return VULNERABLE
    unreachable = UNREACHABLE in outcomes.values()
    return UNREACHABLE if unreachable and "--if-reachable" not in sys.argv else AUDITED


if __name__ == "__main__":
    sys.exit(main())
