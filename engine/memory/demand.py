"""What a serving plan asks of a device's memory, and what every kind of device answers."""

from catalog.facts.schema import Accelerator, Model
from engine.core.plan import Host, Plan
from engine.core.value import kw_value
from engine.memory.constants import EngineVersion
from engine.memory.device import cores_per_chip
from engine.memory.kv_cache import Manager, cache_layout, cached_tokens, layer_token_bytes
from engine.memory.verdict import CacheNeed
from engine.memory.weights import weights_gib
from engine.shape.shape import Shape


@kw_value
class Demand:
    """A serving plan, and the sequences that one replica must hold at once.

    `context_tokens` is the length of each, prompt and answer together.
    """

    model: Model
    host: Host
    plan: Plan
    shape: Shape  # of the model
    kv_bytes: float  # of one cached value
    context_tokens: int
    sequences: float = 1.0
    engine_version: EngineVersion = "current"
    chunked_prefill: bool = True
    padded: bool = False  # the model's heads were filled up to divide by the cores

    @property
    def accelerator(self) -> Accelerator:
        """The accelerator of the host.

        Raises:
            TypeError: there is none.
        """
        if self.host.accelerator is None:
            raise TypeError("this plan needs a host with an accelerator")
        return self.host.accelerator

    @property
    def replica_hosts(self) -> int:
        """Hosts that one replica spans."""
        units = self.host.accelerators * cores_per_chip(self.accelerator)
        return max(1, -(-self.plan.tensor_parallel * self.plan.pipeline_parallel // units))

    @property
    def token_bytes(self) -> float | None:
        """Bytes of cache that a token adds to the whole replica, None where nothing is cached."""
        return layer_token_bytes(self.shape, self.kv_bytes) * self.shape.caching_layers or None

    def weights(self, capability: float | None = None) -> float:
        """Return GiB of weights on the fullest accelerator of a replica."""
        plan = self.plan
        return weights_gib(
            self.model,
            plan.weights_dtype,
            plan.tensor_parallel,
            plan.pipeline_parallel,
            plan.expert_parallel,
            attention_dp=plan.attention_data_parallel,
            capability=capability,
        )

    def cache(self, manager: Manager, in_flight: int = 0) -> CacheNeed:
        """Return the cache of the fullest device, of one of the replica's copies of attention."""
        plan = self.plan
        layout = cache_layout(
            self.shape, self.kv_bytes, plan.tensor_parallel, plan.pipeline_parallel, manager
        )
        tokens = cached_tokens(self.model, self.context_tokens)
        return CacheNeed(layout, tokens, self.sequences / plan.attention_data_parallel, in_flight)
