"""`ec2-pick`: the command line. Chooses the command and imports nothing it does not need."""

import gc
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from bot.cli.streams import speak_utf8
from bot.core.errors import RequestError

UNDERSTOOD = 0
OUR_FAULT = 1
AT_FAULT = 2
INTERRUPTED = 130
NO_CREDENTIALS: Final = (
    "ec2-pick: a refresh reads DescribeInstanceTypes, for which AWS wants credentials, and none "
    "were found: set AWS_PROFILE or AWS_ACCESS_KEY_ID. The embedded types stay as they are.\n"
)
SLIP_LIKENESS: Final = 75  # of 100: one or two letters of a command's name


def script() -> None:
    """Run as the `ec2-pick` command: one process, one command, its exit code."""
    if sys.argv[1:2] != ["serve"]:
        gc.disable()  # one answer and out: collecting would only cost time
    sys.exit(main())


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0 answered, 2 request at fault, 3 nothing fits."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    name = arguments[0] if arguments else ""
    speak_utf8()
    try:
        _require_no_slip(arguments)
        return COMMANDS[name](arguments[1:]) if name in COMMANDS else _request_command(arguments)
    except RequestError as error:
        sys.stderr.write(f"ec2-pick: {error.message}\n")
        return AT_FAULT
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()  # the reader left (`| head`): nothing more to say, and no traceback
        return UNDERSTOOD
    except Exception as error:  # noqa: BLE001  # the last door: a person never sees a stack trace
        return _our_fault(error)


def _require_no_slip(arguments: Sequence[str]) -> None:
    """Refuse a lone word that is a command with a slip in it: it would be read as a request.

    Raises:
        RequestError: naming the command that was meant.
    """
    words = [word for word in arguments if not word.startswith("-")]
    if len(words) != 1 or arguments[0] in COMMANDS or not words[0].isalpha():
        return
    from rapidfuzz.process import extractOne

    meant = extractOne(words[0].lower(), COMMANDS.keys(), score_cutoff=SLIP_LIKENESS)
    if meant is not None:
        message = f"no command {words[0]!r}; did you mean `ec2-pick {meant[0]}`?"
        raise RequestError("not_understood", message, words=words[0])


def _our_fault(error: Exception) -> int:
    """Say in one sentence that the product failed, and where the details were kept."""
    import tempfile
    import traceback

    with tempfile.NamedTemporaryFile("w", prefix="ec2-pick-", suffix=".log", delete=False) as log:
        traceback.print_exception(error, file=log)
    sys.stderr.write(
        f"ec2-pick: this failed here, not because of your request ({type(error).__name__}). "
        f"The details are in {log.name}; please report them.\n"
    )
    return OUR_FAULT


def _chat(argv: Sequence[str]) -> int:
    from bot.cli.chat import chat

    return chat(argv)


def _parse(argv: Sequence[str]) -> int:
    from bot.cli.understand import understand

    return understand(argv)


def _estimate(argv: Sequence[str]) -> int:
    from bot.cli.estimate import estimate_command

    return estimate_command(argv)


def _prices(argv: Sequence[str]) -> int:
    from bot.cli.prices import prices

    return prices(argv)


def _dead_letters(argv: Sequence[str]) -> int:
    from bot.cli.dead_letters import dead_letters

    return dead_letters(argv)


def _show_sheet(argv: Sequence[str]) -> int:
    from bot.cli.lists import show_command

    return show_command(argv)


def _instances_listed(argv: Sequence[str]) -> int:
    from bot.cli.lists import list_instances

    return list_instances(argv)


def _models_listed(argv: Sequence[str]) -> int:
    from bot.cli.lists import list_models

    return list_models(argv)


def _completion(argv: Sequence[str]) -> int:
    from bot.cli.completion import completion

    return completion(argv, COMMANDS)


def _request_command(argv: Sequence[str]) -> int:
    from bot.cli.ask import ask_command

    return ask_command(argv)


def refresh_catalog(argv: Sequence[str]) -> int:
    """Rebuild the embedded instance data from any endpoint boto3 can be pointed at."""
    from argparse import ArgumentParser

    parser = ArgumentParser(prog="ec2-pick catalog", allow_abbrev=False)
    parser.add_argument("action", choices=("refresh",))
    parser.add_argument("--region", action="append", help="only these regions (repeatable)")
    parser.add_argument("--force", action="store_true", help="publish even a much shorter list")
    options = parser.parse_args(argv)
    from botocore.exceptions import NoCredentialsError

    from catalog.collect.refresh import refresh
    from catalog.compile import compile_catalog
    from catalog.facts.errors import CatalogError
    from catalog.load import DATA_DIR

    try:
        report = refresh(DATA_DIR, regions=options.region, force=options.force)
        if report.published:
            compile_catalog(DATA_DIR)
    except CatalogError as error:
        sys.stderr.write(f"ec2-pick: {error}\n")
        return AT_FAULT
    except NoCredentialsError:
        sys.stderr.write(NO_CREDENTIALS)
        return AT_FAULT
    sys.stdout.write(f"{report}\n")
    return 0 if report.published else 1


def serve_slack(argv: Sequence[str]) -> int:
    """Serve the Slack app until interrupted; exit 2 where the signing secret is missing."""
    from argparse import ArgumentParser

    parser = ArgumentParser(prog="ec2-pick serve", allow_abbrev=False)
    parser.add_argument("--port", type=int, default=3000)
    parser.add_argument("--host", default="127.0.0.1")
    options = parser.parse_args(argv)
    from bot.slack.serve import serve

    return serve(port=options.port, host=options.host)


# By its word; whatever begins with another is a request.
COMMANDS: Final[Mapping[str, Callable[[Sequence[str]], int]]] = {
    "chat": _chat,
    "parse": _parse,
    "estimate": _estimate,
    "prices": _prices,
    "catalog": refresh_catalog,
    "serve": serve_slack,
    "dead-letters": _dead_letters,
    "show": _show_sheet,
    "instances": _instances_listed,
    "models": _models_listed,
    "completion": _completion,
}
