"""Files of the pretend workspace: what was sent for them, and how the page shows them."""

import json
import secrets
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]
PATH = "/files/"  # bytes are posted there and fetched from there


@dataclass(slots=True)
class Upload:
    """One file: what was said of it, and its bytes once they are there."""

    name: str
    alt_text: str
    content: bytes = b""

    @property
    def is_picture(self) -> bool:
        """Whether the page shows it as a picture; anything else it shows as text."""
        return self.name.endswith(".png")


@dataclass(slots=True)
class Uploads:
    """The files, by id. `origin` is where the page is served."""

    origin: str = ""
    known: dict[str, Upload] = field(default_factory=dict)

    def opened(self, body: Json) -> Json:
        """Answer files.getUploadURLExternal."""
        name = f"F{secrets.token_hex(8)}"  # who does not know it can put nothing there
        self.known[name] = Upload(body["filename"], body.get("alt_txt") or "")
        return {"ok": True, "file_id": name, "upload_url": f"{self.origin}{PATH}{name}"}

    def put(self, name: str, content: bytes) -> bool:
        """Keep the bytes of a file; return whether there is such a file."""
        if name in self.known:
            self.known[name].content = content
        return name in self.known

    def blocks(self, files: str) -> list[Json]:
        """Return the blocks that show the files of a files.completeUploadExternal."""
        return [self._block(str(one["id"])) for one in json.loads(files)]

    def _block(self, name: str) -> Json:
        file = self.known[name]
        if file.is_picture:
            return {"type": "image", "image_url": PATH + name, "alt_text": file.alt_text}
        text = [{"type": "text", "text": file.content.decode()}]
        title = [{"type": "text", "text": file.name, "style": {"bold": True}}]
        shown = [
            {"type": "rich_text_section", "elements": title},
            {"type": "rich_text_preformatted", "elements": text},
        ]
        return {"type": "rich_text", "elements": shown}
