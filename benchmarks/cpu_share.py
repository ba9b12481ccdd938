"""A part of one core, as Lambda gives it by memory: 1,769 MB are one whole vCPU.

https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FULL_MB = 1769
PERIOD_US = 20_000  # short, so that a start of a few hundred ms is not one slice
VERSION_1 = Path("/sys/fs/cgroup/cpu")
VERSION_2 = Path("/sys/fs/cgroup")


@contextmanager
def cpu_share(memory_mb: int) -> Iterator[tuple[str, ...] | None]:
    """Give the words to put before a command so that it runs at that memory's share of a core.

    None where this machine lets nobody set one.
    """
    quota_us = int(PERIOD_US * memory_mb / FULL_MB)
    old = (VERSION_1 / "cpu.cfs_quota_us").exists()
    group = (VERSION_1 if old else VERSION_2) / f"ec2-pick-bench-{os.getpid()}"
    try:
        group.mkdir()
        if old:
            (group / "cpu.cfs_period_us").write_text(str(PERIOD_US))
            (group / "cpu.cfs_quota_us").write_text(str(quota_us))
        else:
            (group / "cpu.max").write_text(f"{quota_us} {PERIOD_US}")
    except OSError:
        group.is_dir() and group.rmdir()
        yield None
        return
    try:
        yield "sh", "-c", f'echo $$ > {group}/cgroup.procs && exec "$@"', "sh"
    finally:
        group.rmdir()  # every process of it has ended
