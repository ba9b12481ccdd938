# ruff: noqa: INP001 - a script, not part of a package
"""Draws what people see in Slack, wide and narrow, into docs/screens: `make screens`.

Needs Node with the packages of this folder (`npm ci`) and Chromium; neither is needed to run
ec2-pick.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from bot.answers.world import load_world
from bot.cards.pictures.draw import drawn
from bot.conversation.conversation import answer
from bot.core.names import WORKSPACES, YOURS
from bot.slack.form.form_desk import preview_of
from bot.slack.form.form_words import filled_in, request_of, typed_of
from bot.slack.form.place import Opener
from bot.slack.form.view import form_view
from bot.slack.home.defaults_form import defaults_form
from bot.store.defaults import Defaults
from docs.render.home_screen import home

if TYPE_CHECKING:
    from bot.answers.reply import Reply

FOLDER = Path(__file__).resolve().parent
SCREENS = FOLDER.parent / "screens"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
DESKTOP_PX, PHONE_PX, MODAL_PX = 660, 340, 520
SCALE = 2
COLOURS = 32  # letters and lines need no more, and the file is a fifth

Json = dict[str, Any]
ASKED = "inference 7B latency<100ms"


@dataclass(frozen=True)
class Screen:
    """One picture: what is on it, how wide it is, and whether the reader likes it dark."""

    name: str
    shown: Callable[[], Json]
    width_px: int = DESKTOP_PX
    theme: str = "light"


def said(*turns: str) -> Json:
    """Return the message that answers the last turn of a thread."""
    reply: Reply | None = None
    for turn in turns:
        reply = answer(turn, load_world(), None if reply is None else reply.workload)
    return {"text": reply.text, "blocks": reply.blocks} if reply else {}


def form() -> Json:
    """Return the form that *Change* opens on a card, with defaults in it, and its preview."""
    reply = answer(ASKED, load_world())
    said = reply.workload.said() if reply.workload else {}
    defaults = (("region", "eu-central-1", YOURS), ("market", "savings_plan", WORKSPACES))
    typed, whose = filled_in(typed_of(said), said, defaults)
    person = {"team": "T024BE7LD", "user": "U2147483697", "channel": "C2147483705"}
    opener = Opener(**person, defaults=whose)
    return form_view(typed, opener, preview_of(answer(request_of(typed), load_world())))


MESSAGES = (
    Screen("card", lambda: said(ASKED)),
    Screen("card-narrow", lambda: said(ASKED), PHONE_PX),
    Screen("card-dark", lambda: said(ASKED), theme="dark"),
    Screen("follow-up", lambda: said(ASKED, "in Frankfurt on spot")),
    Screen("deploy", lambda: said(ASKED, "eksctl yaml")),
    Screen("why-not", lambda: said(ASKED, "why not inf2?")),
    Screen("compare", lambda: said("compare g6.xlarge inf2.xlarge for 8B")),
    Screen("compare-narrow", lambda: said("compare g6.xlarge inf2.xlarge for 8B"), PHONE_PX),
    Screen("training", lambda: said("finetune llama-3-8b qlora")),
    Screen("form", form, MODAL_PX),
    Screen("form-narrow", form, PHONE_PX),
    Screen("home", home),
    Screen("home-narrow", home, PHONE_PX),
    Screen("defaults", lambda: defaults_form("own", Defaults()), MODAL_PX),
)
CHARTS = ((ASKED,), ("crossover 7B",), ("has p5 got cheaper?",))


def main() -> int:
    """Draw every screen and return the exit code."""
    browser = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if browser is None or not (FOLDER / "node_modules").exists():
        sys.stderr.write(f"screens need {' or '.join(BROWSERS)}, and `npm ci` in {FOLDER.name}\n")
        return 1
    SCREENS.mkdir(exist_ok=True)
    with sync_playwright() as tool:
        opened = tool.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        page = opened.new_page(device_scale_factor=SCALE)
        for screen in MESSAGES:
            draw(page, screen)
        opened.close()
    for turns in CHARTS:
        for picture in answer(turns[-1], load_world()).pictures:
            (SCREENS / f"chart-{picture.file_name}").write_bytes(drawn(picture))
    return 0


def draw(page: Page, screen: Screen) -> None:
    """Draw one screen to docs/screens."""
    html = subprocess.run(  # noqa: S603 - no shell, and no word of the command is outside text
        ["node", str(FOLDER / "card.mjs"), str(screen.width_px), screen.theme],  # noqa: S607
        input=json.dumps(screen.shown()), capture_output=True, text=True, check=True, timeout=120,
    ).stdout  # fmt: skip
    with tempfile.NamedTemporaryFile("w", suffix=".html", delete=False) as file:
        file.write(html)
    page.set_viewport_size({"width": screen.width_px + 40, "height": 800})
    page.goto(Path(file.name).as_uri())
    picture = SCREENS / f"{screen.name}.png"
    page.locator("#card").screenshot(path=picture)
    Image.open(picture).quantize(COLOURS).save(picture, optimize=True)
    Path(file.name).unlink()


if __name__ == "__main__":
    raise SystemExit(main())
