"""What is offered, and what came of one request."""

from dataclasses import dataclass

OK, HELD_OFF, NO_ANSWER = 200, 503, 0  # held off: its double is being handed on


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """What is offered; `drain_s` bounds the wait for the last answer."""

    clients: int = 200
    seconds: float = 30.0
    rate: float = 20.0
    retry_share: float = 0.05
    drain_s: float = 60.0

    @property
    def think_s(self) -> float:
        """Return the mean pause of a client between two commands."""
        return self.clients / self.rate


@dataclass(frozen=True, slots=True)
class Delivered:
    """One request and what came of it."""

    command: str
    retry: bool
    status: int
    ms: float
