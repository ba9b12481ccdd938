"""Log lines as JSON without secrets, and metrics as log lines."""

import json
import logging
import sys
import time
from collections.abc import Callable

from bot.slack.door.redact import redacted

NAMESPACE = "ec2-pick"


class JsonFormatter(logging.Formatter):
    """A record as one JSON object; `known` gives the secrets to leave out."""

    def __init__(self, known: Callable[[], tuple[str, ...]]) -> None:
        super().__init__()
        self._known = known

    def format(self, record: logging.LogRecord) -> str:
        """Return the line. Redacted before it is quoted, as quoting could hide a secret."""
        line = {
            "level": record.levelname,
            "logger": record.name,
            "message": redacted(record.getMessage(), self._known()),
            "requestId": getattr(record, "aws_request_id", None),
        }
        if record.exc_info:
            line["exception"] = redacted(self.formatException(record.exc_info), self._known())
        return json.dumps(line, ensure_ascii=False) + "\n"


def log_as_json(known: Callable[[], tuple[str, ...]]) -> None:
    """Let the runtime's own log handler write lines of ours."""
    root = logging.getLogger()
    root.setLevel(logging.INFO)
    for handler in root.handlers:
        handler.setFormatter(JsonFormatter(known))


def emit(function: str, counts: dict[str, float], milliseconds: dict[str, float]) -> None:
    """Write metrics in CloudWatch's embedded format: a log line, no call and no library.

    https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
    """
    units = dict.fromkeys(counts, "Count") | dict.fromkeys(milliseconds, "Milliseconds")
    metrics = [{"Name": name, "Unit": unit} for name, unit in units.items()]
    described = {"Namespace": NAMESPACE, "Dimensions": [["Function"]], "Metrics": metrics}
    line = {
        "_aws": {"Timestamp": int(time.time() * 1000), "CloudWatchMetrics": [described]},
        "Function": function,
        **counts,
        **{name: round(value, 1) for name, value in milliseconds.items()},
    }
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()
