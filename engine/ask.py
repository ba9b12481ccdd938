"""From a workload as said to the finished answer: the one door every surface goes through."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import NamedTuple

from catalog.catalog import Catalog
from catalog.facts.coefficients import Coefficients
from catalog.facts.schema import Model, StandsFor
from catalog.facts.typical import typical_model
from catalog.guides.guides import Guide
from catalog.names import resolve_model
from engine.core.assumptions import Wishes, fill, generates_text
from engine.core.limits import assumed_limits, latency_limits, without_limits
from engine.core.option import Option
from engine.core.question import Question
from engine.core.result import GuideAdvice, Reading, Recommendation
from engine.core.usual_limits import MOST_TIMES_THE_PRICE, NEARLY, UsualLimits, limits_of_use
from engine.core.workload import Assumption, OtherReading, Workload
from engine.guides.guides import CLASSIC_ML_FRAMEWORKS, advice, guide_facts
from engine.pick.elsewhere import nearest_offering, only_elsewhere
from engine.pick.rank import in_reserve, leader
from engine.pick.readings import MOST_READINGS, latency_readings, worded_readings
from engine.pick.recommend import Evaluation, answer, evaluate
from engine.pick.relax import relaxations
from engine.pick.serving import ServingEvaluator
from engine.pick.verdict import verdict_of
from engine.pick.warnings import warnings
from engine.placement.hosts import compiles, machine_of
from engine.placement.work_cache import WorkCache

# What an unnamed model is taken to be: the size most chat services start with.
UNNAMED_MODEL_PARAMS_B = 8.0

# The models that show what a choice of model costs, as `stands_for` calls them.
SIZE_CLASSES: tuple[StandsFor, ...] = ("example", "32B", "70B", "120B MoE")

# Far more than a safety margin: replicas, regions and spot together seldom cost as much more.
SURETY_TIMES_THE_PRICE = 3.0

# Times a limit that nobody spoke: a first token of 2 s that takes 20 is no service.
UNUSABLE_TIMES = 10.0

# What gives way first: the wishes held, and whether by the middle of unmeasured ranges.
FEWER_WISHES: tuple[tuple[Wishes, bool], ...] = (
    ("reading_speed", False),
    ("all", True),
    ("reading_speed", True),
)


def ask(
    said: Workload,
    catalog: Catalog,
    coefficients: Coefficients,
    guides: Iterable[Guide] = (),
    *,
    words: frozenset[str] = frozenset(),
    default_region: str | None = None,
    top: int = 3,
    compiled_ahead: bool = False,
    defaults: tuple[Assumption, ...] = (),
    others: tuple[OtherReading, ...] = (),
) -> Recommendation:
    """Return the answer to a workload as the user said it.

    `words` are the context words of the text that written guides branch on ("experiment").
    `default_region` is taken where none is named; None for the catalog's own.
    `compiled_ahead` lets a Neuron machine serve what a larger one compiled. `defaults` are what
    whoever asks takes for fields left open. `others` are what else the text may have meant: each
    is told with what it would pick, where that is something else.
    Pure: catalog, coefficients and guides are handed in. Raises LookupError for a model name the
    catalog does not know (the language layer refuses those before).
    """
    model, assumed_model = model_of(said, catalog)
    region = _region_not_left_out(default_region or catalog.default_region, said, catalog)
    facts = QuestionFacts(catalog, coefficients, region, compiled_ahead, defaults)
    found = _in_the_best_place(said, model, facts)
    verdict = verdict_of(found.evaluated)
    if verdict is not None and is_of_counted_chips(said):
        if verdict.answer == "no":
            found = _in_the_best_place(replace(said, gpu=None, gpu_count=None), model, facts)
        elif not found.evaluated.meeting:  # more than one machine has
            found = _in_the_best_place(replace(said, gpu_count=None), model, facts)
    evaluated, assumed, _, moved_from = found
    question = evaluated.question
    result = answer(question, evaluated, top=top)
    result = replace(
        result,
        assumptions=(*assumed_model, *assumed),
        readings=_readings(evaluated, others, facts),
        said=said,
        workload=replace(result.workload, gpu=said.gpu, gpu_count=said.gpu_count)
        if is_of_counted_chips(said)
        else result.workload,
        verdict=verdict,
        relaxations=() if result.picks else relaxations(evaluated, lambda one: _best(one, facts)),
        guides=_guide_advice(result, question, guides, words),
    )
    codes, sentences = warnings(question, evaluated, result, moved_from=moved_from)
    pick_codes = [code for pick in result.picks for code in pick.codes]
    return replace(result, warnings=sentences, codes=tuple(dict.fromkeys((*codes, *pick_codes))))


def is_of_counted_chips(said: Workload) -> bool:
    """Return whether so many of a chip are asked about, and no type.

    Where they do not do, more of them are not what was asked for: any machine may.
    """
    return said.gpu is not None and said.gpu_count is not None and said.instance is None


def _region_not_left_out(usual: str, said: Workload, catalog: Catalog) -> str:
    """Return the region of a request that names none: the first of the usual it does not rule out.

    Where all of them are ruled out it is `usual`: some region has to be priced.
    """
    ruled_out = said.exclude or ()
    return next((one for one in (usual, *catalog.usual_regions) if one not in ruled_out), usual)


class QuestionFacts(NamedTuple):
    """What a question is answered from, beside the question."""

    catalog: Catalog
    coefficients: Coefficients
    default_region: str
    compiled_ahead: bool
    defaults: tuple[Assumption, ...]


class AssumedEvaluation(NamedTuple):
    """An evaluation, what was assumed for it, and how many wishes nobody spoke gave way.

    `moved_from` is the usual region, where another was taken that has what was asked for.
    """

    evaluated: Evaluation
    assumed: tuple[Assumption, ...]
    given_up: int = 0
    moved_from: str | None = None


def _in_the_best_place(
    said: Workload, model: Model | None, facts: QuestionFacts, worked: WorkCache | None = None
) -> AssumedEvaluation:
    """Return the outcome in the best of the regions named; of equal ones in the first.

    Where none was named, and the usual one offers nothing of what was asked for, the regions are
    the nearest that do. `worked` is what a question worked out that differs in its limits alone.
    """
    worked = worked or WorkCache()

    def best_of(regions: Iterable[str]) -> AssumedEvaluation:
        outcomes = [
            _evaluated(said, model, facts, worked.elsewhere(), region=one) for one in regions
        ]
        return _best_place(outcomes)

    if said.regions and not said.region:
        return best_of(said.regions)
    here = _evaluated(said, model, facts, worked)
    if said.region or not only_elsewhere(here.evaluated):
        return here
    there = best_of(nearest_offering(here.evaluated))
    return there._replace(moved_from=here.evaluated.question.region)


def _best_place(outcomes: list[AssumedEvaluation]) -> AssumedEvaluation:
    """Return where the least wishes are given up, then what would lead if all stood in one place.

    The first of them where nothing meets the limits anywhere.
    """
    found = [(one, one.evaluated.best) for one in outcomes]
    least = min((one.given_up for one, best in found if best is not None), default=0)
    bests = [best for one, best in found if best is not None and one.given_up == least]
    first = leader(bests, outcomes[0].evaluated.question)
    return next((one for one, best in found if best is first), outcomes[0])


def _evaluated(
    said: Workload,
    model: Model | None,
    facts: QuestionFacts,
    worked: WorkCache,
    *,
    region: str | None = None,
) -> AssumedEvaluation:
    """Return the evaluation in one region, and what was assumed for it.

    The assumed limits of an interactive service give way where they alone stand in the way: they
    are wishes nobody spoke. The wait for a first token goes before the speed of reading, and both
    are held against the middle of an unmeasured range before they are dropped. Limits published
    for the use take their place where they cost little more.
    """

    def evaluated(
        wishes: Wishes, *, by_middle: bool = False, said_too: bool = False
    ) -> AssumedEvaluation:
        workload, assumed = fill(
            said,
            model,
            facts.catalog.use_cases,
            default_region=facts.default_region,
            wishes=wishes,
            defaults=facts.defaults,
            region=region,
        )
        question = Question(
            workload=workload,
            said=said,
            model=model,
            catalog=facts.catalog,
            coefficients=facts.coefficients,
            compiled_ahead=facts.compiled_ahead,
            by_middle=frozenset(latency_limits(workload))
            if said_too
            else assumed_limits(workload, said)
            if by_middle
            else frozenset(),
        )
        return AssumedEvaluation(evaluate(question, worked), assumed)

    whole = evaluated("all")
    if _is_surety_too_dear(whole.evaluated, lambda: evaluated("all", said_too=True).evaluated):
        whole = evaluated("all", said_too=True)
    result = whole.evaluated
    limits_assumed = assumed_limits(result.question.workload, said)
    if result.meeting and limits_assumed and _of_use(said, model, facts) is not None:
        as_usual = evaluated("of_use")
        return as_usual if _is_worth_it(as_usual.evaluated, result) else whole
    if result.best is not None and _is_nearly_met_for_half(result, limits_assumed):
        return evaluated("nearly")
    barred = result.asked if result.asked_barred else None  # the same answer, named or not
    only_too_dear = any(o.misses_only_budget for o in result.missing if o is not barred)
    if result.meeting or only_too_dear or not limits_assumed:
        return whole
    slowest = evaluated("none")
    if not slowest.evaluated.meeting or _is_unusable(slowest.evaluated.best, result):
        return whole  # what was said stands in the way, not what was assumed
    for given_up, (wishes, by_middle) in enumerate(FEWER_WISHES, start=1):
        slower = evaluated(wishes, by_middle=by_middle)
        if slower.evaluated.meeting:
            return slower._replace(given_up=given_up)
    return slowest._replace(given_up=len(FEWER_WISHES) + 1)


def _is_unusable(slow: Option | None, strictly: Evaluation) -> bool:
    """Return whether what meets once no speed is wished for is slower than anybody would use.

    Who named hardware asked for its speed, whatever that is.
    """
    said = strictly.question.said
    if slow is None or said.allow or said.gpu or said.instance or said.compare_family:
        return False
    name = slow.instance.instance_type
    same = (one for one in strictly.missing if one.instance.instance_type == name)
    return all(option.excess > UNUSABLE_TIMES for option in same)


def _is_surety_too_dear(result: Evaluation, middle: Callable[[], Evaluation]) -> bool:
    """Return whether holding unmeasured ranges by their far end costs several times the middle.

    Only where nothing that meets was measured: then the far end is a guess like the middle, and
    nobody buys several times the machines to be sure of one. What is told may miss, and says so.
    """
    best = result.best
    if best is None or best.usd_per_hour is None or not latency_limits(result.question.said):
        return False
    if any(is_class_measured(option) for option in result.meeting):
        return False
    cheapest = middle().best
    return cheapest is not None and best.usd_per_hour > SURETY_TIMES_THE_PRICE * (
        cheapest.usd_per_hour or best.usd_per_hour
    )


def is_class_measured(option: Option) -> bool:
    """Return whether speeds of this kind of work were measured on the option's class of machine."""
    performance = option.estimate.performance
    return performance is not None and performance.basis == "measured_class"


def _of_use(said: Workload, model: Model | None, facts: QuestionFacts) -> UsualLimits | None:
    """Return the limits published for what the request is for, where it leaves them open."""
    if model is None or not generates_text(model) or said.latency_ms is not None:
        return None
    return limits_of_use(said, model, facts.catalog.use_cases)


def _is_nearly_met_for_half(result: Evaluation, assumed: frozenset[str]) -> bool:
    """Return whether something misses only what nobody said, by little, at under half the price."""
    best = result.best
    if best is None or best.usd_per_hour is None or result.question.trains:
        return False
    most = best.usd_per_hour / MOST_TIMES_THE_PRICE
    return any(
        (option.usd_per_hour or best.usd_per_hour) < most
        and option.excess <= NEARLY
        and {check.field for check in option.limits if check.verdict == "misses"} <= assumed
        and not in_reserve(option, result.question)
        for option in result.missing
    )


def _is_worth_it(strictly: Evaluation, loosely: Evaluation) -> bool:
    """Return whether limits nobody spoke cost little enough more than looser ones.

    Neither in money, nor in software: nobody ports to chips that need compiling for a wish.
    """
    strict, loose = strictly.best, loosely.best
    if strict is None or strict.usd_per_hour is None or loose is None:
        return False
    catalog = strictly.question.catalog
    ports = compiles(machine_of(strict.instance, catalog).host)
    if ports and not compiles(machine_of(loose.instance, catalog).host):
        return False
    return strict.usd_per_hour < MOST_TIMES_THE_PRICE * (loose.usd_per_hour or 0.0)


def _best(said: Workload, facts: QuestionFacts, worked: WorkCache | None = None) -> Option | None:
    """Return what would be picked for a workload as said."""
    model, _ = model_of(said, facts.catalog)
    return _in_the_best_place(said, model, facts, worked).evaluated.best


def _readings(
    evaluated: Evaluation, others: tuple[OtherReading, ...], facts: QuestionFacts
) -> tuple[Reading, ...]:
    """Return what other readings would pick: those of a bare latency, then those of the words.

    Last of all what the limits usual for the use would pick, where they were too dear to assume.
    """
    works, meant = evaluated.works, without_limits(evaluated.question.said)
    worked = works.worked if isinstance(works, ServingEvaluator) else WorkCache()

    def best_of(said: Workload) -> Option | None:
        known = worked if without_limits(said) == meant else WorkCache()
        return _best(said, facts, known.for_leading())

    latency = latency_readings(evaluated, best_of)
    others = (*others, *_stricter(evaluated.question, facts))
    worded = worded_readings(evaluated, others, best_of, most=MOST_READINGS - len(latency))
    return (*latency, *worded)


def _stricter(question: Question, facts: QuestionFacts) -> tuple[OtherReading, ...]:
    """Return the limits usual for the use as another reading, where looser ones were assumed."""
    usual = _of_use(question.said, question.model, facts)
    if usual is None or question.workload.mode == "batch" or question.trains:
        return ()
    limits = {"latency_ms": usual.per_token_ms, "first_token_ms": usual.first_token_ms}
    return (
        OtherReading(
            f"a first token in {usual.first_token_ms:g} ms and {usual.per_token_ms:g} ms a token,"
            f" as is usual for {usual.use}",
            (("latency_kind", "per_token"), *limits.items()),
        ),
    )


def model_of(said: Workload, catalog: Catalog) -> tuple[Model | None, tuple[Assumption, ...]]:
    """Return the model to size, and what was assumed to get one.

    A named model, else a typical one of the size said, else an 8B for text work that names none;
    None for development and for classical ML, which need a machine rather than a model.
    """
    if said.model is not None:
        found = resolve_model(catalog, said.model)
        if found is None:
            msg = f"no model called {said.model!r} in the catalog"
            raise LookupError(msg)
        return found, ()
    if said.params_b is not None:
        model = typical_model(said.params_b, said.active_params_b, said.model_task or "decoder")
        why = f"no model was named: a typical {said.params_b:g}B architecture stands in"
        return model, (Assumption("model", model.id, why),)
    if said.task == "development" or _is_classical(said):
        return None, ()
    kind = said.model_kind or _kind_of_use(said, catalog)
    usual = next((m for m in catalog.models.values() if kind and m.stands_for == kind), None)
    if usual is not None:
        why = f"no model was named: a usual one for {kind} work stands in"
        return usual, (Assumption("model", usual.id, why),)
    model = typical_model(UNNAMED_MODEL_PARAMS_B)
    why = "neither a model nor a size was named: say one for an answer of your own"
    return model, (Assumption("model", model.id, why),)


def _kind_of_use(said: Workload, catalog: Catalog) -> str | None:
    """Return the kind of model that serves a use which is not text: speech for transcription."""
    case = catalog.use_cases.get(said.use_case or "")
    tasks = () if case is None or case.output_tokens else case.usual_for
    standing = (m for m in catalog.models.values() if m.task in tasks)
    return next((model.stands_for for model in standing if model.stands_for), None)


def of_each_size(said: Workload, catalog: Catalog) -> tuple[Model, ...]:
    """Return a model of each class of size, smallest first, where a use was named and no more.

    What the model costs is the answer then; none where a model, its kind, its size or the hardware
    was said: those decide by themselves.
    """
    sized = said.model or said.models or said.params_b or said.model_kind
    named = sized or said.instance or said.gpu or said.compare_family
    serves = said.task == "inference" and not _is_classical(said)
    if named or not serves or not (said.use_case or said.users) or _kind_of_use(said, catalog):
        return ()
    by_class = {model.stands_for: model for model in catalog.models.values()}
    return tuple(by_class[size] for size in SIZE_CLASSES if size in by_class)


def _is_classical(said: Workload) -> bool:
    """Return whether the work is trees, regressions and the like: no neural network."""
    return said.model_kind == "classical" or said.framework in CLASSIC_ML_FRAMEWORKS


def _guide_advice(
    result: Recommendation, question: Question, guides: Iterable[Guide], words: frozenset[str]
) -> tuple[GuideAdvice, ...]:
    """Return what the guides say. They see the workload as said: an assumption is not a wish."""
    catalog = question.catalog
    families = tuple(catalog.families[pick.instance.family] for pick in result.picks)
    named = question.model if question.said.model or question.said.params_b else None
    facts = guide_facts(question.said, named, catalog, words)
    return advice(guides, facts, families, question.said.guide)
