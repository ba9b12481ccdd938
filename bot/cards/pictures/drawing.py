"""Who draws: this process where it has the plotting library, else a function that has it."""

import json
import logging
from base64 import b64decode
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from bot.aws.one_try import OneTryClient
from bot.cards.pictures.draw import drawn
from bot.cards.pictures.picture import Picture, as_wire

# Returns the PNG of each picture, or nothing at all: a chart is told in words as well.
Draw = Callable[[Sequence[Picture]], list[bytes]]

FUNCTION: Final = "EC2_PICK_PICTURES"
CONNECT_TIMEOUT_S: Final = 1.0
READ_TIMEOUT_S: Final = 10.0  # a cold function loads the plotting library first

logger = logging.getLogger(__name__)


def drawing(environ: Mapping[str, str]) -> Draw:
    """Return who draws for this process: the function that EC2_PICK_PICTURES names, or we."""
    function = environ.get(FUNCTION, "").strip()
    return DrawnByFunction(function, environ.get("AWS_REGION")) if function else drawn_here


def drawn_here(pictures: Sequence[Picture]) -> list[bytes]:
    """Return the PNG of each picture; none where the plotting library is not installed."""
    try:
        return [drawn(picture) for picture in pictures]
    except ModuleNotFoundError:
        return []


class DrawnByFunction:
    """Asks a Lambda function to draw, see `bot/lambdas/pictures.py`."""

    def __init__(self, function: str, region: str | None = None) -> None:
        """Take the function's name or ARN, and its region; None for boto3's own."""
        self._function = function
        self._client = OneTryClient(
            "lambda", region, connect_timeout_s=CONNECT_TIMEOUT_S, read_timeout_s=READ_TIMEOUT_S
        )

    def __call__(self, pictures: Sequence[Picture]) -> list[bytes]:
        """Return the PNG of each picture; none for any fault, which is logged."""
        from catalog.prices.live.aws import aws_errors, why

        try:
            return self._asked(pictures)
        except aws_errors() as error:
            logger.warning("charts are told in words: %s", why(error, "lambda:InvokeFunction"))
        except (KeyError, TypeError, ValueError) as error:
            logger.warning("charts are told in words: no PNG came back (%s)", type(error).__name__)
        return []

    def _asked(self, pictures: Sequence[Picture]) -> list[bytes]:
        sent = json.dumps({"pictures": as_wire(pictures)}, default=str)
        answer = self._client().invoke(FunctionName=self._function, Payload=sent.encode())
        told = json.loads(answer["Payload"].read())
        return [b64decode(png, validate=True) for png in told["pngs"]]
