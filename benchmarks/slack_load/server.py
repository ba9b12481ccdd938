"""An `ec2-pick serve` of its own, and the answers that it posts."""

import os
import queue
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from tests.slack.fake_slack import TOKEN
from tests.slack.sender import SECRET

ROOT = Path(__file__).parents[2]
START_S = 30.0
STOP_S = 40.0  # serve itself gives answers under way 30 s
QUIET = (" INFO ", " WARNING waitress.queue: ")


@contextmanager
def serving(command: Sequence[str], state: Path, api_url: str) -> Iterator[int]:
    """Run `ec2-pick serve` and give its port; without credentials prices are the embedded ones."""
    environ = {
        "PATH": os.environ["PATH"],
        "SLACK_SIGNING_SECRET": SECRET,
        "SLACK_BOT_TOKEN": TOKEN,
        "SLACK_API_URL": api_url,
        "EC2_PICK_STATE": f"sqlite:///{state}",
    }
    with subprocess.Popen(command, env=environ, cwd=ROOT, stderr=subprocess.PIPE, text=True) as run:
        ports: queue.Queue[int | None] = queue.Queue()
        reader = threading.Thread(target=_read, args=(run.stderr, ports), daemon=True)
        reader.start()
        try:
            yield _port(ports)
        finally:
            _stopped(run)
            reader.join()


def _read(log: IO[str], ports: "queue.Queue[int | None]") -> None:
    """Pass the port on, and what is logged as a warning or worse to our own stderr.

    Not that a request waits for a thread: the acknowledgement's time has that in it.
    """
    for line in log:
        if found := re.search(r"listening on http://[\d.]+:(\d+)/", line):
            ports.put(int(found[1]))
        elif not any(quiet in line for quiet in QUIET):
            sys.stderr.write(line)
    ports.put(None)


def _port(ports: "queue.Queue[int | None]") -> int:
    """Wait for the port.

    Raises:
        RuntimeError: the process ended, or named none in time.
    """
    try:
        port = ports.get(timeout=START_S)
    except queue.Empty:
        port = None
    if port is None:
        raise RuntimeError("ec2-pick serve did not start")
    return port


def _stopped(run: "subprocess.Popen[str]") -> None:
    run.send_signal(signal.SIGTERM)
    try:
        run.wait(STOP_S)
    except subprocess.TimeoutExpired:
        run.kill()
