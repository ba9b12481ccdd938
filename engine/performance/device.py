"""What GPUs, CPUs, Neuron devices and image pipelines fill to serve a load."""

from collections.abc import Callable

from catalog.facts.coefficients import Coefficients
from catalog.facts.schema import Accelerator, Model
from engine.core.estimate import Basis, BoundBy
from engine.core.plan import Host, Load, Plan
from engine.core.value import kw_value, value
from engine.performance.closed_loop import Flow, serial_loop
from engine.performance.figures import FigureFactors
from engine.performance.loads import Server


@kw_value
class Serving:
    """A plan and the load that it serves.

    `sequences_max` is how many sequences of the asked length one replica holds (None: as many as
    the engine takes).
    """

    model: Model
    host: Host
    plan: Plan
    load: Load
    sequences_max: float | None
    coefficients: Coefficients

    @property
    def accelerator(self) -> Accelerator:
        """The accelerator of the host.

        Raises:
            ValueError: there is none.
        """
        if self.host.accelerator is None:
            raise ValueError("this estimate needs a host with an accelerator")
        return self.host.accelerator

    @property
    def copies(self) -> int:
        """Replicas of the plan."""
        return max(1, self.plan.data_parallel)

    @property
    def generates(self) -> bool:
        """Whether requests are answered token by token."""
        return self.load.output_tokens > 0

    def server(
        self,
        flow_at: Callable[[float], Flow],
        capacity: float,
        *,
        batch_at: Callable[[float], Flow] | None = None,
        stages: int = 1,
    ) -> Server:
        """Return the copies of a replica with that flow; `stages` serve a batch each."""
        return Server(
            flow_at=flow_at,
            batch_at=batch_at or flow_at,
            capacity=capacity,
            copies=max(1, self.plan.data_parallel) * stages,
            shared=self.coefficients.serving.shared,
            keeps_prompts=bool(self.plan.options.cached_share),
        )

    def at_once(self, most: float) -> float:
        """Return how many sequences a replica decodes together: as memory holds, at most `most`."""
        return max(1.0, min(most, self.sequences_max or most))

    def serial(
        self,
        prompt_s: float,
        step_s: Callable[[float], float],
        capacity: float,
        *,
        batch_at: Callable[[float], Flow] | None = None,
    ) -> Server:
        """Return the copies of a generator that stops decoding while it reads a prompt."""

        def flow_at(concurrency: float) -> Flow:
            return serial_loop(
                prompt_s,
                step_s,
                concurrency=concurrency,
                capacity=capacity,
                output_tokens=self.load.output_tokens,
            )

        return self.server(flow_at, capacity, batch_at=batch_at)


@value
class Device:
    """How one kind of machine serves: its copies under load, and what is known of its figures."""

    server: Server
    basis: Basis
    factors: FigureFactors
    bound_by: Callable[[Flow], BoundBy]
