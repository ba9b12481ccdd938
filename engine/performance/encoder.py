"""Single-shot work on GPUs: a pass over the whole input, requests batched as they come."""

from catalog.facts.coefficients import Coefficients
from catalog.facts.schema import Model
from engine.core.plan import Load
from engine.performance.closed_loop import Flow
from engine.performance.prefill import prefill_marginal_s, prefill_pass_s
from engine.performance.replica import Replica


def request_tokens(model: Model, load: Load, coefficients: Coefficients) -> int:
    """Return the positions a request's input takes: an image's patches, an audio window's frames.

    Speech models always read a 30 s window whole; images are counted at 224 px unless the load
    says how many positions they take.
    """
    if model.task == "speech":
        return int(coefficients.shapes.speech_frames)
    if model.task == "vision" and load.input_tokens <= 1:
        return int(coefficients.shapes.vision_tokens)
    return max(1, load.input_tokens)


def encoder_batch_max(tokens: int, coefficients: Coefficients) -> float:
    """Return how many requests servers of encoders put into one pass."""
    return max(1.0, coefficients.serving.shared.encoder_batch_tokens // tokens)


def encoder_flow(replica: Replica, tokens: int, *, concurrency: float, batch_max: float) -> Flow:
    """Return the flow of passes over up to `batch_max` requests of `tokens` each, in seconds."""
    held = min(concurrency, batch_max)
    marginal = prefill_marginal_s(replica.prefill, tokens)
    overhead = prefill_pass_s(replica.prefill, tokens) - marginal
    once = held * marginal + overhead + replica.engine.request_ms / 1e3
    whole = once * concurrency / held
    return Flow(whole, 0.0, whole, concurrency / whole, held, 0.0, 0.0)
