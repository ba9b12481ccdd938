"""`ec2-pick`: the command line. Chooses the command and imports nothing it does not need."""

import gc
import sys
from collections.abc import Callable, Sequence
from importlib import import_module

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
        command = _command_named(name)
        return command(arguments[1:] if name in COMMANDS else arguments)
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


# Command word -> module and function that run it.
COMMANDS = {
    "chat": ("bot.cli.chat", "chat"),
    "parse": ("bot.cli.understand", "understand"),
    "estimate": ("bot.cli.estimate", "estimate_command"),
    "prices": ("bot.cli.prices", "prices"),
    "catalog": ("bot.cli.refresh", "refresh_catalog"),
    "serve": ("bot.cli.serve", "serve_command"),
}
ASK = ("bot.cli.ask", "ask_command")


def _command_named(name: str) -> Command:
    module, function = COMMANDS.get(name, ASK)
    command: Command = getattr(import_module(module), function)
    return command
