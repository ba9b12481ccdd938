# ruff: noqa: INP001 - a script, not part of a package
"""Draws a Block Kit message as a PNG: `python docs/render/render_card.py card.png < message.json`.

The message is what chat.postMessage takes ({"text", "blocks"}) or a bare list of blocks. Needs
Node with the packages of this folder (`npm ci`) and Chromium; neither is needed to run ec2-pick.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
WIDTH_PX = 692
SCALE = 2
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
)


def main() -> int:
    """Render standard input to the file named by the one argument; return the exit code."""
    if len(sys.argv) != 2:
        sys.stderr.write("usage: render_card.py PICTURE.png < message.json\n")
        return 2
    browser = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if browser is None:
        sys.stderr.write(f"no browser found: install one of {', '.join(BROWSERS)}\n")
        return 1
    if not (FOLDER / "node_modules").exists():
        sys.stderr.write(f"no node_modules: run npm ci in {FOLDER}\n")
        return 1
    _draw(browser, sys.stdin.read(), Path(sys.argv[1]).resolve())
    return 0


def _draw(browser: str, message: str, picture: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "card.html")
        page.write_text(_html(message), encoding="utf-8")
        height = _height_px(browser, page)
        shot = [f"--screenshot={picture}", f"--force-device-scale-factor={SCALE}"]
        _browse(browser, page, *shot, f"--window-size={WIDTH_PX},{height}")


def _html(message: str) -> str:
    """Return the page that shows the message."""
    command = ["node", str(FOLDER / "card.mjs")]
    return _output_of(command, message)


def _height_px(browser: str, page: Path) -> int:
    """Return the height of the card, which the page writes into its own markup."""
    markup = _browse(browser, page, "--dump-dom", f"--window-size={WIDTH_PX},4000")
    found = re.search(r'data-height="(\d+)"', markup)
    if found is None:
        raise RuntimeError("the page did not say how high the card is")
    return int(found.group(1))


def _browse(browser: str, page: Path, *flags: str) -> str:
    profile = page.with_name("profile")
    command = [browser, *FLAGS, f"--user-data-dir={profile}", *flags, page.as_uri()]
    return _output_of(command)


def _output_of(command: list[str], text: str = "") -> str:
    """Run one of the two programs named above on files of our own; return what it printed."""
    done = subprocess.run(  # noqa: S603 - no shell, and no word of the command is outside text
        command, input=text, capture_output=True, text=True, check=True, timeout=120
    )
    return done.stdout


if __name__ == "__main__":
    raise SystemExit(main())
