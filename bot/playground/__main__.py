"""`python -m bot.playground`: the whole Slack app and a pretend Slack, for a browser."""

import argparse
import secrets
import signal
import sys
import tempfile
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from bot.core.examples import example
from bot.playground.deliveries import Deliveries
from bot.playground.web import API, HOOKS, Web
from bot.playground.workspace import CHANNEL, COLLEAGUE, Workspace

HOST = "127.0.0.1"
STOP_S = 5.0
# What somebody else has said in the channel: for the message shortcut *Size this*.
ASKED = example("playground")


@dataclass(frozen=True, slots=True)
class Playground:
    """A running playground: where its page is, and what was said on it."""

    url: str
    workspace: Workspace


@contextmanager
def running(port: int = 0) -> Iterator[Playground]:
    """Run the app and the pretend Slack until the context ends; nothing is kept afterwards.

    Raises:
        OSError: the port is taken.
    """
    from bot.answers.world import load_world
    from bot.aws.opened_state import opened_state
    from bot.slack.door.settings import SlackSettings
    from bot.slack.door.wsgi import HttpServer, wsgi_app
    from bot.slack.home.at_home import AtHome
    from bot.slack.serve import conversation
    from bot.slack.service import Service

    token, secret = f"xoxb-{secrets.token_hex(8)}", secrets.token_hex(16)
    workspace = Workspace()
    addressed: list[Deliveries] = []  # known once the app listens
    page = HttpServer(Web(workspace, lambda: addressed[0], token), HOST, port)
    url = f"http://{HOST}:{page.port}"
    workspace.uploads.origin = url
    settings = SlackSettings(signing_secret=secret, bot_token=token, api_url=url + API)
    with tempfile.TemporaryDirectory() as folder:
        state = opened_state({"EC2_PICK_STATE": f"sqlite:///{folder}/state.db"})
        answer = conversation(load_world(), state.items)
        at_home = AtHome(load_world(), state.items)
        service = Service.assembled(settings, state.store, state.queue, answer, at_home=at_home)
        app = HttpServer(wsgi_app(service.ingress), HOST, 0)
        workspace.said(ASKED, None, CHANNEL, author=COLLEAGUE)
        addressed.append(Deliveries(f"http://{HOST}:{app.port}", url + HOOKS, secret))
        service.pool.start()
        app.start()
        page.start()
        try:
            yield Playground(url, workspace)
        finally:
            page.stop()
            app.stop()
            service.pool.stop(STOP_S)
            state.close()


def main() -> int:
    """Open the page in a browser and serve it until Ctrl-C."""
    parser = argparse.ArgumentParser(prog="make chat", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="of the page (default: any free one)")
    parser.add_argument("--no-browser", action="store_true", help="only say where the page is")
    options = parser.parse_args()
    try:
        with running(options.port) as playground:
            sys.stdout.write(f"ec2-pick as if in Slack: {playground.url}  (Ctrl-C ends it)\n")
            sys.stdout.flush()
            if not options.no_browser:
                webbrowser.open(playground.url)
            signal.pause()
    except KeyboardInterrupt:
        return 0
    except OSError as error:
        sys.stderr.write(f"make chat: port {options.port}: {error.strerror}; try another\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
