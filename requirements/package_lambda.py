"""Builds `build/lambda.zip`: the code, its hashed wheels for Lambda, and byte code for Lambda.

The same inputs give the same bytes. Needs no AWS account; the wheels come from the package index
that pip is set up with.
"""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
STAGE = ROOT / "build" / "lambda"
ARTEFACT = ROOT / "build" / "lambda.zip"
LOCK = ROOT / "requirements" / "lambda.txt"
CODE = ("bot", "catalog", "engine", "templates")

PYTHON = "3.13"  # as `runtime` in serverless.yml; a test compares them
PLATFORMS = ("manylinux2014_aarch64", "manylinux_2_17_aarch64", "manylinux_2_28_aarch64")
MAX_UNZIPPED_MB = 60

# boto3 is pinned here rather than taken from the runtime, whose version AWS changes; of botocore's
# 400 service models these are the ones that are called.
SERVICES = frozenset({"bedrock-runtime", "ec2", "pricing", "savingsplans", "service-quotas", "sts"})
EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time a zip can hold


def install(stage: Path) -> None:
    """Unpack the locked wheels for the runtime's platform; each is held against its hash."""
    platforms = [f"--platform={platform}" for platform in PLATFORMS]
    subprocess.run(
        [
            sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
            "--require-hashes", "--no-deps", "--no-compile", "--only-binary=:all:",
            "--implementation=cp", f"--python-version={PYTHON}", *platforms,
            f"--target={stage}", f"--requirement={LOCK}",
        ],
        check=True,
    )  # fmt: skip


def prune(stage: Path) -> None:
    """Leave out what no function reads: service models, command-line scripts, SDK examples."""
    for folder in (stage / "botocore" / "data").iterdir():
        if folder.is_dir() and folder.name not in SERVICES:
            shutil.rmtree(folder)
    for surplus in ("bin", "boto3/examples"):
        shutil.rmtree(stage / surplus, ignore_errors=True)


def copy_code(stage: Path) -> None:
    """Add the product's own packages."""
    for name in CODE:
        ignored = shutil.ignore_patterns("__pycache__", "*.pyc", "playground")
        shutil.copytree(ROOT / name, stage / name, ignore=ignored)


def runtime_python() -> str | None:
    """Return an interpreter of the runtime's version, or None where this machine has none."""
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    found = [shutil.which(f"python{PYTHON}"), *sorted(pyenv.glob(f"{PYTHON}.*/bin/python"))]
    for candidate in filter(None, found):
        asked = [str(candidate), "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
        run = subprocess.run(asked, capture_output=True, text=True, check=False)
        if run.stdout.strip() == PYTHON:  # a pyenv shim may be there without its version
            return str(candidate)
    return None


def compile_code(stage: Path, python: str) -> None:
    """Add byte code. Lambda's disk is read-only: without it every cold start compiles again.

    Unchecked, as the time stamps of a zip mean nothing; paths as they will be on Lambda.
    """
    subprocess.run(
        [
            python, "-m", "compileall", "-q", "-j", "2", "--invalidation-mode", "unchecked-hash",
            "-s", str(stage), "-p", "/var/task", str(stage),
        ],
        check=True,
        env={**os.environ, "PYTHONHASHSEED": "0"},  # sets are written in the order of their hashes
    )  # fmt: skip


def write_zip(stage: Path, artefact: Path) -> None:
    """Write the folder as a zip whose bytes depend on the files' contents alone."""
    with zipfile.ZipFile(artefact, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in sorted(stage.rglob("*")):
            if path.is_file():
                entry = zipfile.ZipInfo(path.relative_to(stage).as_posix(), EPOCH)
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.external_attr = 0o644 << 16
                archive.writestr(entry, path.read_bytes())


def main() -> int:
    """Build the artefact; return 1 where it is larger than it may be."""
    shutil.rmtree(STAGE, ignore_errors=True)
    STAGE.mkdir(parents=True)
    install(STAGE)
    prune(STAGE)
    copy_code(STAGE)
    python = runtime_python()
    if python is None:
        sys.stderr.write(
            f"no python{PYTHON} on this machine: byte code is left out, and cold starts will take"
            " about three times as long. Install it and run `make package` again.\n"
        )
    else:
        compile_code(STAGE, python)
    write_zip(STAGE, ARTEFACT)
    unzipped_mb = sum(p.stat().st_size for p in STAGE.rglob("*") if p.is_file()) / 1e6
    zipped_mb = ARTEFACT.stat().st_size / 1e6
    sys.stdout.write(
        f"{ARTEFACT.relative_to(ROOT)}: {unzipped_mb:.1f} MB unzipped (limit {MAX_UNZIPPED_MB}),"
        f" {zipped_mb:.1f} MB zipped\n"
    )
    return 0 if unzipped_mb <= MAX_UNZIPPED_MB else 1


if __name__ == "__main__":
    sys.exit(main())
