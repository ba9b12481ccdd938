"""Writing a file so that a reader sees the old one or the new one, never a part."""

import tempfile
from pathlib import Path


def write_text(path: Path, text: str) -> None:
    """Replace a file's content in one step."""
    with tempfile.NamedTemporaryFile(
        "w", dir=path.parent, suffix=".tmp", delete=False, encoding="utf-8", newline=""
    ) as file:
        file.write(text)
    temporary = Path(file.name)
    temporary.chmod(0o644)
    temporary.replace(path)
