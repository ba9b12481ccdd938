"""Builds `build/lambda.zip` and `build/pictures.zip`: code, hashed wheels and byte code for Lambda.

The same inputs give the same bytes. Needs no AWS account; the wheels come from the package index
that pip is set up with.
"""

import os
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
CODE = ("bot", "catalog", "engine", "templates")

PYTHON = "3.13"  # as `runtime` in serverless.yml; a test compares them
PLATFORMS = ("manylinux2014_aarch64", "manylinux_2_17_aarch64", "manylinux_2_28_aarch64")

# boto3 is pinned rather than taken from the runtime, whose version AWS changes; of botocore's
# 400 service models these are the ones that are called.
SERVICES = frozenset(
    {"bedrock-runtime", "ec2", "lambda", "pricing", "savingsplans", "service-quotas", "sts"}
)
SURPLUS = ("bin", "share", "boto3/examples")
# Lines that the compiled weights are made of: the functions read the weights.
LEARNT = "bot/language/examples/*/"
# Of the plotting library and what it needs: tests, samples, headers, other back ends' fonts.
SURPLUS_TO_DRAWING = (
    "**/tests",
    "matplotlib/mpl-data/sample_data",
    "matplotlib/mpl-data/fonts/afm",
    "matplotlib/mpl-data/fonts/pdfcorefonts",
    "numpy/_core/include",
    "numpy/_core/lib",
    "numpy/f2py",
    "numpy/random/lib",
    "fontTools/feaLib",
    "fontTools/varLib",
)
EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time a zip can hold


@dataclass(frozen=True, slots=True)
class Package:
    """What a function ships: the product's code with the wheels of a lock, without `surplus`."""

    name: str
    max_unzipped_mb: int
    surplus: tuple[str, ...] = SURPLUS

    @property
    def lock(self) -> Path:
        """The wheels it carries."""
        return ROOT / "requirements" / f"{self.name}.txt"

    @property
    def stage(self) -> Path:
        """The folder that is zipped."""
        return ROOT / "build" / self.name

    @property
    def artefact(self) -> Path:
        """The zip."""
        return ROOT / "build" / f"{self.name}.zip"


APP = Package("lambda", 60)
# Lambda takes 250 MB at most. Apart from the app, whose cold starts would have to fetch it as well.
PICTURES = Package("pictures", 200, (*SURPLUS, *SURPLUS_TO_DRAWING))


def install(stage: Path, lock: Path) -> None:
    """Unpack the locked wheels for the runtime's platform; each is held against its hash."""
    platforms = [f"--platform={platform}" for platform in PLATFORMS]
    subprocess.run(
        [
            sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
            "--require-hashes", "--no-deps", "--no-compile", "--only-binary=:all:",
            "--implementation=cp", f"--python-version={PYTHON}", *platforms,
            f"--target={stage}", f"--requirement={lock}",
        ],
        check=True,
    )  # fmt: skip


def prune(stage: Path, surplus: tuple[str, ...]) -> None:
    """Leave out what no function reads: service models, command-line scripts, examples, tests."""
    for model in stage.glob("botocore/data/*/"):
        if model.name not in SERVICES:
            shutil.rmtree(model)
    for pattern in surplus:
        for folder in list(stage.glob(pattern)):
            shutil.rmtree(folder, ignore_errors=True)


def copy_code(stage: Path) -> None:
    """Add the product's own packages."""
    for name in CODE:
        ignored = shutil.ignore_patterns("__pycache__", "*.pyc", "playground")
        shutil.copytree(ROOT / name, stage / name, ignore=ignored)
    for folder in stage.glob(LEARNT):
        shutil.rmtree(folder)


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


def build(package: Package, python: str | None) -> float:
    """Build one artefact and return its size unzipped, in MB."""
    stage = package.stage
    shutil.rmtree(stage, ignore_errors=True)
    stage.mkdir(parents=True)
    install(stage, package.lock)
    prune(stage, package.surplus)
    copy_code(stage)
    if python is not None:
        compile_code(stage, python)
    write_zip(stage, package.artefact)
    return sum(p.stat().st_size for p in stage.rglob("*") if p.is_file()) / 1e6


def main() -> int:
    """Build the artefacts; return 1 where one is larger than it may be."""
    python = runtime_python()
    if python is None:
        sys.stderr.write(
            f"no python{PYTHON} on this machine: byte code is left out, and cold starts will take"
            " about three times as long. Install it and run `make package` again.\n"
        )
    fits = True
    for package in (APP, PICTURES):
        unzipped_mb = build(package, python)
        fits = fits and unzipped_mb <= package.max_unzipped_mb
        sys.stdout.write(
            f"{package.artefact.relative_to(ROOT)}: {unzipped_mb:.1f} MB unzipped (limit"
            f" {package.max_unzipped_mb}), {package.artefact.stat().st_size / 1e6:.1f} MB zipped\n"
        )
    return 0 if fits else 1


if __name__ == "__main__":
    sys.exit(main())
