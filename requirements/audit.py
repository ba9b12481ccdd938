"""Holds every locked package against the published advisories: `make audit`.

Exit 0 where every package was asked about and none has a known vulnerability, 1 where one has.
Where no source of advisories can be reached (a machine behind a package mirror) the Python locks
are held against the snapshot in advisories.csv, and its date is told. What neither knows is NOT
AUDITED: exit 0 with --if-reachable and 3 without.
"""

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from requirements import advisories

HERE = Path(__file__).parent
LOCKS = ("runtime", "lambda", "pictures", "dev", "audit")
AUDITED, VULNERABLE, UNREACHABLE = 0, 1, 3
WORDS = {
    AUDITED: "no known vulnerability",
    VULNERABLE: "see above",
    UNREACHABLE: "NOT AUDITED: no source of advisories can be reached from here",
}
SERIOUS = ("high", "critical")  # of Node's packages, which only package and draw
TIMEOUT_S = 300


def python_packages(pip_audit: str) -> tuple[int, str]:
    """Return the worst outcome over the locks, in words too; each problem is a line on stderr."""
    outcome = _worst(_lock(pip_audit, lock) for lock in LOCKS)
    return _by_snapshot() if outcome == UNREACHABLE else (outcome, WORDS[outcome])


def _worst(outcomes: Iterable[int]) -> int:
    """Return VULNERABLE before UNREACHABLE: a problem that was found is never forgiven."""
    seen = set(outcomes)
    return VULNERABLE if VULNERABLE in seen else max(seen)


def _lock(pip_audit: str, lock: str) -> int:
    command = [pip_audit, "--disable-pip", "--require-hashes", "--format=json",
               "--progress-spinner=off", "-r", str(HERE / f"{lock}.txt")]  # fmt: skip
    found = _json_of(command)
    if not found or all("skip_reason" in one for one in found["dependencies"]):
        return UNREACHABLE
    return _told(
        f"{lock}: {one['name']}: {why}" for one in found["dependencies"] for why in _problems(one)
    )


def _told(problems: Iterable[str]) -> int:
    """Write each problem on stderr and return the outcome."""
    lines = [f"{problem}\n" for problem in problems]
    sys.stderr.writelines(lines)
    return VULNERABLE if lines else AUDITED


def _problems(package: dict) -> list[str]:
    if "skip_reason" in package:
        return [f"not audited: {package['skip_reason']}"]
    return [f"{package['version']} has {one['id']}" for one in package["vulns"]]


def _by_snapshot() -> tuple[int, str]:
    """Return what the committed advisories say of the locks, and from when they are."""
    known = advisories.snapshot()
    if known is None:
        return UNREACHABLE, WORDS[UNREACHABLE]
    locks = {lock: advisories.locked(HERE / f"{lock}.txt") for lock in LOCKS}
    packages = {name for locked in locks.values() for name in locked}
    said = (
        f"in the PyPA advisories of {known.as_of} ({len(packages)} packages, {known.advisories} "
        "advisories; the live index could not be reached)"
    )
    if _told(f"{lock}: {line}" for lock, pins in locks.items() for line in known.affected(pins)):
        return VULNERABLE, f"see above, {said}"
    unasked = sorted({name for locked in locks.values() for name in known.unasked(locked)})
    if unasked:
        return UNREACHABLE, f"NOT AUDITED: {', '.join(unasked)}; of the others none is {said}"
    return AUDITED, f"{WORDS[AUDITED]} {said}"


def node_packages() -> tuple[int, str]:
    """Return the outcome for the packages that package and deploy, in words too."""
    found = _json_of(["npm", "audit", "--json"], HERE / "node")
    counts = found.get("metadata", {}).get("vulnerabilities") if found else None
    if counts is None:
        return UNREACHABLE, WORDS[UNREACHABLE]
    serious = sum(counts.get(level, 0) for level in SERIOUS)
    outcome = _told([f"node: {serious} packages with serious vulnerabilities"] if serious else [])
    return outcome, WORDS[outcome]


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
    found = {
        "Python": python_packages(str(Path(sys.executable).with_name("pip-audit"))),
        "Node": node_packages(),
    }
    sys.stdout.writelines(f"{kind} packages: {said}\n" for kind, (_, said) in found.items())
    outcome = _worst(one for one, _ in found.values())
    forgiven = outcome == UNREACHABLE and "--if-reachable" in sys.argv
    return AUDITED if forgiven else outcome


if __name__ == "__main__":
    sys.exit(main())
