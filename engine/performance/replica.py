"""One replica of a serving plan as the queues see it: how it decodes, how it reads prompts."""

from dataclasses import replace
from functools import lru_cache

from catalog.facts.coefficients import Coefficients, EngineCosts
from catalog.facts.schema import Model
from engine.core.value import value
from engine.performance.bytes import Precision, precision_of
from engine.performance.decode import DecodeCosts, decode_costs
from engine.performance.machine import Machine
from engine.performance.prefill import PrefillCosts, prefill_costs
from engine.shape.shape import Shape, reader_and_writer


@value
class Replica:
    """Step and pass constants of one replica, and the engine that runs it."""

    decode: DecodeCosts
    prefill: PrefillCosts
    engine: EngineCosts


def engine_class(serving_engine: str, coefficients: Coefficients) -> str:
    """Return the fitted engine class; engines never measured count as vLLM."""
    return coefficients.aliases.engine.get(serving_engine.lower(), "vllm")


@lru_cache(maxsize=4096)
def replica_of(
    model: Model,
    machine: Machine,
    *,
    weights_dtype: str,
    kv_dtype: str,
    engine_name: str,
    coefficients: Coefficients,
) -> Replica:
    """Return the replica of a model on a machine under one engine class.

    Raises:
        ValueError: the weights or cache dtype is unknown.
    """
    reader, writer = reader_and_writer(model, coefficients.shapes.decoder_weight_ratio)
    precision = precision_of(weights_dtype, kv_dtype, moe=writer.moe)
    engine = coefficients.serving.engine[engine_name]
    if engine_name == "llama_cpp":
        return _layer_split(reader, machine, precision, engine, coefficients)
    return Replica(
        decode_costs(writer, machine, precision, engine, coefficients),
        prefill_costs(reader, machine, precision, engine, coefficients),
        engine,
    )


def _layer_split(
    shape: Shape,
    machine: Machine,
    precision: Precision,
    engine: EngineCosts,
    coefficients: Coefficients,
) -> Replica:
    """Return the replica of llama.cpp, which gives each card some layers: one runs at a time."""
    alone = layer_split(machine)
    return Replica(
        decode_costs(shape, alone, precision, engine, coefficients),
        prefill_costs(shape, alone, precision, engine, coefficients, layer_split=True),
        engine,
    )


def layer_split(machine: Machine) -> Machine:
    """Return the machine as one stream sees it when each card holds some of the layers."""
    cards = machine.layout.accelerators * machine.layout.stages
    layout = replace(machine.layout, accelerators=1, expert_ways=1, stages=cards)
    return replace(machine, layout=layout)
