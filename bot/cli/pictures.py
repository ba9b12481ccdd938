"""`--pictures FOLDER`: the charts of an answer as files."""

import sys
from collections.abc import Sequence
from pathlib import Path

from bot.cards.pictures.draw import drawn
from bot.cards.pictures.picture import Picture

NO_PLOTS = "ec2-pick: pictures need matplotlib: pip install 'ec2-pick[pictures]'\n"


def write_pictures(pictures: Sequence[Picture], folder: Path) -> None:
    """Write each picture as a PNG, and say on stderr where it is or why there is none."""
    if not pictures:
        sys.stderr.write("ec2-pick: this answer has nothing to draw\n")
    try:
        for picture in pictures:
            folder.mkdir(parents=True, exist_ok=True)
            path = folder / picture.file_name
            path.write_bytes(drawn(picture))
            sys.stderr.write(f"{path}: {picture.alt_text}\n")
    except ModuleNotFoundError:
        sys.stderr.write(NO_PLOTS)
    except OSError as error:
        sys.stderr.write(f"ec2-pick: no picture in {folder}: {error.strerror}\n")
