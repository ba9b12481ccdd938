"""`ec2-pick`: the command line. Chooses the command and imports nothing it does not need."""

import gc
import sys
from collections.abc import Callable, Sequence
from typing import Final

Command = Callable[[Sequence[str]], int]
UNDERSTOOD = 0
OUR_FAULT = 1
INTERRUPTED = 130


def script() -> None:
    """Run as the `ec2-pick` command: one process, one command, its exit code."""
    if sys.argv[1:2] != ["serve"]:
        gc.disable()  # one answer and out: collecting would only cost time
    sys.exit(main())


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0 answered, 2 request at fault, 3 nothing fits."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    name = arguments[0] if arguments else ""
    try:
        if name in COMMANDS:
            return COMMANDS[name](arguments[1:])
        return _run_ask(arguments)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()  # the reader left (`| head`): nothing more to say, and no traceback
        return UNDERSTOOD
    except Exception as error:  # noqa: BLE001  # the last door: a person never sees a stack trace
        return _our_fault(error)


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


def _run_chat(arguments: Sequence[str]) -> int:
    from bot.cli.chat import chat

    return chat(arguments)


def _run_parse(arguments: Sequence[str]) -> int:
    from bot.cli.understand import understand

    return understand(arguments)


def _run_estimate(arguments: Sequence[str]) -> int:
    from bot.cli.estimate import estimate_command

    return estimate_command(arguments)


def _run_prices(arguments: Sequence[str]) -> int:
    from bot.cli.prices import prices

    return prices(arguments)


def _run_catalog(arguments: Sequence[str]) -> int:
    from bot.cli.refresh import refresh_catalog

    return refresh_catalog(arguments)


def _run_serve(arguments: Sequence[str]) -> int:
    from bot.cli.serve import serve_command

    return serve_command(arguments)


def _run_ask(arguments: Sequence[str]) -> int:
    from bot.cli.ask import ask_command

    return ask_command(arguments)


# What runs each command word; without one the arguments are a request.
COMMANDS: Final[dict[str, Command]] = {
    "chat": _run_chat,
    "parse": _run_parse,
    "estimate": _run_estimate,
    "prices": _run_prices,
    "catalog": _run_catalog,
    "serve": _run_serve,
}
