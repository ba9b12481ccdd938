"""Works out the best way to train the workload on one instance type, or why there is none."""

from dataclasses import dataclass, replace
from math import ceil

from catalog.facts.schema import Instance, Model
from engine.core.dtypes import model_support, support
from engine.core.estimate import Estimate, Memory
from engine.core.limits import limit_checks
from engine.core.option import Option
from engine.core.plan import Host, Optimizer, Plan, TrainingJob
from engine.core.question import Question, training_job
from engine.core.replicas import fewest, times
from engine.core.result import Rejection
from engine.memory.training import training_memory
from engine.performance.training import training_performance
from engine.pick.cost import training_cost
from engine.pick.reasons import does_not_fit
from engine.placement.hosts import host_of
from engine.placement.parallel import training_plans

# How QLoRA of 65B and more is run on one 48 GB card: the moments move to the host (QLoRA's paper).
PAGED: Optimizer = "paged_adamw_8bit"
MAX_INSTANCES = 128  # 1,024 GPUs; a larger run is planned with AWS, not picked from a list


@dataclass(slots=True)
class TrainingEvaluator:
    """Evaluates instance types for one training question."""

    question: Question

    def evaluate(self, instance: Instance) -> Option | Rejection:
        """Return the best option on this type, or the one reason there is none."""
        return self._best(instance, None)

    def on(self, instance: Instance, count: int) -> Option | Rejection:
        """Return the best option on just `count` of a type, whatever more of them would do."""
        return self._best(instance, count)

    def _best(self, instance: Instance, count: int | None) -> Option | Rejection:
        """Return the best option on `count` of a type; None for as many as finish in time."""
        model = self._model()
        host = host_of(instance, self.question.catalog)
        job = runnable_job(self.question, model, host)
        if isinstance(job, Rejection):
            return replace(job, instance_type=instance.instance_type)
        planned = _planned(model, instance, host, job, count)
        fitting = [(plan, memory) for plan, memory in planned if memory.fits]
        if not fitting and job.method == "qlora" and self.question.said.optimizer is None:
            lean = replace(job, optimizer=PAGED)
            fitting = [
                pair for pair in _planned(model, instance, host, lean, count) if pair[1].fits
            ]
        if not fitting:
            return does_not_fit(instance, [memory for _, memory in planned])
        if count is None:
            options = [self._in_time(instance, host, plan, memory, job) for plan, memory in fitting]
        else:
            options = [
                self._option(instance, host, times(plan, count // plan.instances), memory, job)
                for plan, memory in fitting
            ]
        meeting = [option for option in options if option.meets_limits]
        return min(meeting or options, key=_job_order)

    def at_full_load(self, option: Option) -> Option:
        """Return the option itself: a training job is always at full load."""
        return option

    def _model(self) -> Model:
        if self.question.model is None:
            msg = "training needs a model"
            raise TypeError(msg)
        return self.question.model

    def _in_time(
        self, instance: Instance, host: Host, plan: Plan, memory: Memory, job: TrainingJob
    ) -> Option:
        """Return the option with the fewest instances, of those asked for, that finish in time."""
        asked = ceil((self.question.workload.nodes or 1) / max(1, plan.instances))
        option = self._option(instance, host, times(plan, asked), memory, job)
        if option.meets_limits or not _too_slow(option):
            return option
        most = max(asked, MAX_INSTANCES // max(1, plan.instances))

        def finished(count: int) -> Option:
            return self._option(instance, host, times(plan, count), memory, job)

        count = fewest(lambda n: not _too_slow(finished(n)), most)
        return finished(max(1, most) if count is None else count)

    def _option(
        self, instance: Instance, host: Host, plan: Plan, memory: Memory, job: TrainingJob
    ) -> Option:
        question = self.question
        training = training_performance(
            self._model(),
            host,
            plan,
            job,
            coefficients=question.coefficients,
            spot=question.market == "spot",
        )
        estimate = Estimate(plan=plan, memory=memory, training=training)
        quote = question.quote(instance)
        cost = training_cost(quote, plan.instances, training, plan.accelerators)
        return Option(
            instance=instance,
            instances=plan.instances,
            estimate=estimate,
            quote=quote,
            ceiling=question.ceiling(instance, quote),
            cost=cost,
            limits=limit_checks(question.workload, estimate, cost),
        )


def _planned(
    model: Model, instance: Instance, host: Host, job: TrainingJob, count: int | None
) -> list[tuple[Plan, Memory]]:
    """Return the plans on at most `count` machines, each with its memory."""
    return [
        (plan, training_memory(model, host, plan, job))
        for plan in training_plans(model, instance.instance_type, host, job)
        if count is None or plan.instances <= count
    ]


def runnable_job(question: Question, model: Model, host: Host) -> TrainingJob | Rejection:
    """Return the job in a precision this host can train in, or why there is none."""
    workload, job = question.workload, training_job(question.workload)
    architecture = model_support(host.accelerator, model, workload.task, workload.method)
    if architecture.kind == "unsupported":
        return Rejection(instance_type="", reason="unsupported", detail=architecture.reason)
    verdict = support(host.accelerator, job.precision, "training")
    if verdict.kind != "unsupported":
        return job
    # QLoRA's 4 bits are what the base is kept in: nobody said what it is computed in.
    precision_open = question.said.quant is None or job.method == "qlora"
    if precision_open and verdict.alternative:
        return replace(job, precision=verdict.alternative)
    return Rejection(instance_type="", reason="unsupported", detail=verdict.reason)


def _too_slow(option: Option) -> bool:
    return any(c.field == "time_h" and c.verdict == "misses" for c in option.limits)


def _job_order(option: Option) -> tuple[float, int]:
    usd = option.cost.usd_total if option.cost.usd_total is not None else float("inf")
    return usd, option.instances
