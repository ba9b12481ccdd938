"""Work without a model (development, classical ML): picks a machine by size and price alone."""

from dataclasses import dataclass

from catalog.facts.schema import Instance
from engine.core.estimate import Estimate, Memory
from engine.core.limits import limit_checks
from engine.core.option import Option
from engine.core.plan import Plan
from engine.core.question import Question
from engine.core.result import Number, Rejection
from engine.pick.cost import serving_cost

# A comfortable development or tabular-ML machine: enough for an IDE, a build, a notebook and a
# container of each; nothing here is estimated, so nothing else is claimed.
MIN_VCPUS = 4
MIN_MEMORY_GIB = 8.0


@dataclass(slots=True)
class MachineEvaluator:
    """Evaluates types for work that names no model."""

    question: Question

    def evaluate(self, instance: Instance) -> Option | Rejection:
        """Return the machine as an option if it is large enough."""
        if instance.vcpus < MIN_VCPUS or instance.host_mem_gib < MIN_MEMORY_GIB:
            has = Number("memory", instance.host_mem_gib, "GiB", MIN_MEMORY_GIB)
            return Rejection(
                instance_type=instance.instance_type,
                reason="does_not_fit",
                detail=f"{instance.vcpus} vCPU and {instance.host_mem_gib:g} GiB, below "
                f"{MIN_VCPUS} vCPU and {MIN_MEMORY_GIB:g} GiB",
                numbers=(has, Number("vCPU", instance.vcpus, "", MIN_VCPUS)),
            )
        return self._option(instance)

    def at_full_load(self, option: Option) -> Option:
        """Return the option itself: there is no load to fill."""
        return option

    def _option(self, instance: Instance) -> Option:
        quote = self.question.quote(instance)
        cost = serving_cost(quote, 1, None)
        estimate = Estimate(plan=_plan(instance), memory=_no_memory(instance))
        return Option(
            instance=instance,
            instances=1,
            estimate=estimate,
            quote=quote,
            ceiling=self.question.ceiling(instance, quote),
            cost=cost,
            limits=limit_checks(self.question.workload, estimate, cost),
        )


def _plan(instance: Instance) -> Plan:
    return Plan(
        instance_type=instance.instance_type,
        instances=1,
        accelerators=instance.accelerators,
        tensor_parallel=1,
        pipeline_parallel=1,
        data_parallel=1,
        expert_parallel=1,
        weights_dtype="none",
        kv_dtype="none",
        serving_engine="none",
        memory_utilisation=1.0,
    )


def _no_memory(instance: Instance) -> Memory:
    return Memory(
        weights=0.0,
        kv_cache=0.0,
        activations=0.0,
        optimizer=0.0,
        gradients=0.0,
        overhead=0.0,
        total=0.0,
        available=instance.host_mem_gib,
        fits=True,
        tight=False,
        needed_gib=MIN_MEMORY_GIB,
        limit_gib=instance.host_mem_gib,
    )
