"""A model's parameters by role: tables, towers, routed experts, and the body that is left."""

from typing import Final, NamedTuple

from catalog.facts.schema import Model
from engine.shape.attention import AttentionLayers, attention_params

# Parameters of a vision tower with its projector where the catalog does not know them
# (SigLIP-So400m class, the commonest).
USUAL_VISION_PARAMS: Final = 0.42e9
# FFN width over hidden size where it differs by layer (NAS models): the Llama ratio.
USUAL_FFN_RATIO: Final = 3.5


class Parameters(NamedTuple):
    """Counts. The published total is all tables, towers, experts and the body."""

    embedding: float  # one table
    tables: int
    experts: int
    expert: float  # one routed expert, over all layers that hold experts
    vision: float
    assumed_vision: float  # of a tower that nobody sized; counted with the body
    body: float
    # Of the body, as the layers' shape gives them:
    attention: float
    dense_ffn: float
    shared_experts: float
    routers: float


def parameters(model: Model, by_kind: AttentionLayers, head_dim: int) -> Parameters:
    """Return the parameters by role. The body is what is left of the published total."""
    hidden, total = model.hidden_size or 0, model.total_params_b * 1e9
    table, tables = _tables(model, total)
    vision = model.vision_params_b * 1e9
    unsized = model.task == "vision_language" and not vision
    encoder_layers = model.encoder_layers or 0  # the decoder attends to their output as well
    attending = (by_kind.full + by_kind.window) * (2 if encoder_layers else 1) + encoder_layers
    attention = float(attending * attention_params(model, hidden, model.heads or 0, head_dim))
    left = total - table * tables - vision
    experts, expert = _experts(model, left - attention if model.typical else left)
    matrices = 3 if model.gated_ffn else 2
    dense_layers = max(0, (model.layers or 0) - model.moe_layers) + encoder_layers
    shared = model.shared_experts * (model.moe_intermediate_size or 0) * model.moe_layers
    return Parameters(
        embedding=table,
        tables=tables,
        experts=experts,
        expert=expert,
        vision=vision,
        assumed_vision=USUAL_VISION_PARAMS if unsized else 0.0,
        body=left - experts * expert,
        attention=attention,
        dense_ffn=float(matrices * hidden * dense_ffn(model) * dense_layers),
        shared_experts=float(matrices * hidden * shared),
        routers=float(hidden * experts * model.moe_layers),
    )


def _tables(model: Model, total: float) -> tuple[float, int]:
    """Return the parameters of one table and their number, 1 where they are tied."""
    table = float((model.vocab_size or 0) * (model.hidden_size or 0))
    tables = 1 if model.tied_embeddings else 2
    if table * tables > total:  # encoders that publish one table for both ends
        return min(table, total / 2), 1
    return table, tables


def _experts(model: Model, most: float) -> tuple[int, float]:
    """Return the routed experts and one's parameters: matrices x input x width x expert layers.

    Never more than `most` together: a published total can be below what the shape gives, and the
    expert widths of a typical mixture are rounded (what they take too much is its attention's).
    """
    width, read = model.moe_intermediate_size, model.expert_input_size or model.hidden_size
    if not model.num_experts or not width or not read:
        return 0, 0.0
    one = (3 if model.gated_ffn else 2) * read * width * model.moe_layers
    return model.num_experts, min(float(one), max(0.0, most) / model.num_experts)


def dense_ffn(model: Model) -> int:
    """Return the width of the dense FFN, 0 where every layer holds experts."""
    layers = model.layers or 0
    if layers and model.moe_layers >= layers:
        return 0
    return model.intermediate_size or int(USUAL_FFN_RATIO * (model.hidden_size or 0))
