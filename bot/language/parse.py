"""The one parser: a slash command's grammar and plain sentences, to intent and workload.

    text = { field sign value | phrase | quantity | name | other word }

Rules read the text one after the other, the most particular first; each takes the stretch it
understood. What no rule took is reported, never dropped.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from bot.core.asked import HOURS_PER_WEEK, LikelyKind, Questions
from bot.core.errors import RequestError
from bot.core.examples import example
from bot.core.manifest import KINDS, ManifestKind
from bot.core.understanding import Intent, Understanding
from bot.language.contradictions import check_context, check_contradictions
from bot.language.draft import LISTS, Draft, completed, in_order, values, workload_of
from bot.language.fields.fields import read_fields
from bot.language.followups import (
    amended,
    amends,
    compare_with_earlier,
    keep_standing,
    needs_context,
    read_wish,
    remarks_on_earlier,
)
from bot.language.forms import read_forms
from bot.language.guarded import read_called, set_aside
from bot.language.guides.documents import with_documents
from bot.language.leftovers import leftovers, read_guide, read_remarks
from bot.language.mentions import mentions
from bot.language.names.gpus import read_gpus
from bot.language.names.instances import (
    read_families,
    read_instances,
    refuse_ultra_servers,
)
from bot.language.names.models import read_models
from bot.language.names.places import read_places, read_region_codes, read_stores
from bot.language.names.sides import mark_strategy, mixed_groups, read_gpu_side
from bot.language.names.whole_names import refuse_unread_name
from bot.language.polarity import read_polarity, read_soft_wishes, settle_left_out
from bot.language.questions.alerts import read_alert
from bot.language.questions.asides import overheard
from bot.language.questions.intent import decide, read_head, wants_everything
from bot.language.questions.kinds import OTHER
from bot.language.questions.masking import in_english
from bot.language.questions.question import (
    OF_PICKS,
    likely_question,
    log_asked_back,
    may_mean,
    note_guess,
    read_listed,
    read_question,
    set_no_objective,
)
from bot.language.questions.tasks import says_training, settle
from bot.language.readings import other_readings
from bot.language.roles import hold_roles, read_owned_price, read_roles
from bot.language.text.numbers import grouped_thousands, number_words
from bot.language.text.plain import Reader, addressed_as_command, lower, normalised
from bot.language.text.starts import read_start
from bot.language.text.vocabulary import Vocabulary, mended, one_word, vocabulary_of
from bot.language.text.words import read_words
from bot.language.trades import refuse_other_trade
from bot.language.turns import Earlier, TurnPatch, filled_by, read_turn
from bot.language.values.durations import read_bare_windows, read_durations, settle_short_window
from bot.language.values.duty import read_duty, read_quota
from bot.language.values.lengths import read_lengths_in_words
from bot.language.values.loads import (
    mark_several_loads,
    read_load_lists,
    read_loads,
    read_metrics,
    read_open_loads,
    read_reservations,
)
from bot.language.values.money import read_money, settle_job_budget, settle_total
from bot.language.values.people import read_nouns_of_people, read_people_named
from bot.language.values.quantities import (
    read_degrees,
    read_lengths,
    read_machine_counts,
    read_rates,
    read_volume,
)
from bot.language.values.sizes import read_sizes, settle_only_size
from bot.language.values.training_data import read_training_data
from bot.language.values.use_cases import guess_use_case, read_use_case
from catalog.catalog import Catalog
from engine.core.workload import Workload

# Signals that make a text a request even where it sets no field.
MEANINGFUL = (
    "recommend",
    "head",
    "topic:",
    "detail:",
    "open",
    "claim",
    "tokens",
    "no_quant",
    "quantised",
    "lifted",
)
DAYS_PER_WEEK = 7.0
EXAMPLE = "inference 7B latency<100ms"
NO_QUESTION = LikelyKind(OTHER, 1.0)
MEANINGFUL_INTENTS = ("help", "reset", "alert", "manifest", "price", "compare", "migrate")


def parse(
    text: str,
    catalog: Catalog,
    previous: Workload | None = None,
    *,
    earlier: Earlier | None = None,
    own_prices: bool = False,
) -> Understanding:
    """Return what `text` says; with `previous`, an amendment of that workload where it is one.

    `earlier`: what the thread had before. `own_prices`: whoever asks has defaults or a discount
    by which prices are others than listed.

    Raises:
        RequestError: one of the contract's codes, with the words at fault and an example.
    """
    plain = normalised(text)
    vocabulary = vocabulary_of(catalog)
    question = likely_question(plain, vocabulary)

    def parsed() -> Understanding:
        known = earlier or Earlier(() if previous is None else ((0, previous),))
        return _parsed_text(
            text, plain, catalog, previous, question, earlier=known, own_prices=own_prices
        )

    try:
        understood = with_documents(plain, catalog, parsed, previous, question)
    except RequestError as error:
        if error.questions:
            log_asked_back(question, plain, vocabulary)
        raise
    return replace(understood, asked=overheard(understood, text), question=question)


def _parsed_text(
    text: str,
    plain: str,
    catalog: Catalog,
    previous: Workload | None,
    question: LikelyKind,
    *,
    earlier: Earlier,
    own_prices: bool,
) -> Understanding:
    vocabulary = vocabulary_of(catalog)
    draft, slips = _opened_draft(plain, vocabulary, previous)
    patch = read_turn(draft, vocabulary, previous, earlier, _said_alone(draft.trains, vocabulary))
    changes = patch.amends or "follow" in draft.marks
    if draft.said or (changes and question.probability < 1.0):
        question = NO_QUESTION  # what a turn changes is heard before what it may ask
    if previous is not None:
        read_wish(draft)
    head = _read_rules(draft, vocabulary, question, in_thread=previous is not None)
    _note_slips(draft, slips)
    groups = mixed_groups(draft, asks_manifest=head is not None and head[0] == "manifest")
    said, alternatives = _settled_values(draft, vocabulary, groups, previous)
    intent, topic = decide(draft, head, in_thread=previous is not None)
    intent, topic = hold_roles(draft, said, alternatives, intent, topic)
    if previous is None and intent == "pick":
        refuse_other_trade(draft, said)
    _require_meaning(draft, said, plain, previous, question=question, patch=patch)
    note_guess(draft, question)
    follow_up = previous is not None and amends(
        draft, said, patch, as_command=addressed_as_command(text)
    )
    if previous is None and not _stands_alone(intent, said) and needs_context(draft, said):
        raise _no_context(plain)
    if follow_up and intent == "alert":
        _without_budgets(draft, said)
    if follow_up and intent == "compare":
        compare_with_earlier(previous, said, alternatives, vocabulary)
    if previous is not None and not follow_up:
        keep_standing(draft, said, previous, patch)
    if not follow_up:
        guess_use_case(draft, said, vocabulary)
    amendment = (previous, patch, earlier) if previous is not None and follow_up else None
    workload = _workload(draft, said, intent, amendment, vocabulary)
    if intent != "pick":
        draft.notes.pop("kept", None)
    check_contradictions(
        draft, workload.said() | said, alternatives, intent, vocabulary, own_prices=own_prices
    )
    check_context(workload, draft, vocabulary)
    return Understanding(
        text=plain,
        intent=intent,
        workload=workload,
        mentions=mentions(draft),
        not_understood=leftovers(draft, vocabulary),
        notes=tuple(draft.notes.values()),
        codes=tuple(draft.notes),
        readings=other_readings(draft, workload, alternatives) if draft.offers else (),
        manifest_kind=_manifest_kind(draft, intent),
        topic=topic,
        said=frozenset(said),
        follow_up=follow_up,
        begins=not follow_up or patch.base is not None,
        filled=filled_by(draft, earlier.filled if follow_up and patch.base is None else ()),
        asked=_asked_of_week(draft, workload),
        details=dict(draft.details),
        alternatives=alternatives,
    )


def _opened_draft(
    plain: str, vocabulary: Vocabulary, previous: Workload | None
) -> tuple[Draft, list[tuple[int, int, str]]]:
    """Return the text with digits for number words and slips mended, and the slips."""
    reader, low = Reader(plain), lower(plain)
    slips = mended(low, vocabulary)
    grouped = grouped_thousands(low, foreign=in_english(low) != low)
    reader.rewrite([*number_words(low), *grouped, *one_word(low), *slips])
    return Draft(reader, trains=says_training(reader.work, previous)), slips


def _settled_values(
    draft: Draft,
    vocabulary: Vocabulary,
    groups: tuple[Any, ...] | None,
    previous: Workload | None,
) -> tuple[dict[str, Any], dict[str, tuple[Any, ...]]]:
    """Return the fields said, each with its value, and those said with several side by side."""
    said = values(draft)
    set_no_objective(draft, said)
    alternatives = _alternatives(draft) | ({"allow": groups} if groups else {})
    settle(draft, said, alternatives)
    settle_job_budget(draft, said, previous)
    settle_total(draft, said)
    settle_only_size(draft, said, vocabulary)
    settle_left_out(draft, said, vocabulary)
    settle_short_window(draft, said, vocabulary)
    return said, alternatives


def _read_rules(
    draft: Draft, vocabulary: Vocabulary, question: LikelyKind, *, in_thread: bool
) -> tuple[Intent, str | None] | None:
    """Run every rule over the text, in order; return what a leading command word asks for."""
    set_aside(draft)
    read_forms(draft, vocabulary)
    read_polarity(draft, vocabulary)
    read_roles(draft)
    read_duty(draft)
    read_quota(draft)
    head = _opening(draft, vocabulary, question, in_thread=in_thread)
    read_listed(draft)
    read_start(draft)
    read_reservations(draft)
    refuse_ultra_servers(draft)
    read_stores(draft)
    read_load_lists(draft)
    read_fields(draft, vocabulary)
    read_guide(draft)
    read_metrics(draft)
    read_instances(draft, vocabulary)
    read_region_codes(draft, vocabulary)
    read_models(draft, vocabulary)
    read_gpus(draft, vocabulary)
    read_money(draft)
    read_training_data(draft)
    read_rates(draft)
    read_lengths_in_words(draft)
    read_loads(draft)
    read_people_named(draft)
    read_degrees(draft)
    read_lengths(draft, trains=draft.trains)
    read_durations(draft, trains=draft.trains)
    read_remarks(draft)
    read_open_loads(draft)
    read_machine_counts(draft)
    read_volume(draft, trains=draft.trains)
    read_sizes(draft, vocabulary)
    read_places(draft, vocabulary)
    read_use_case(draft, vocabulary)
    read_words(draft, vocabulary)
    read_families(draft, vocabulary)
    read_gpu_side(draft)
    read_soft_wishes(draft)
    read_nouns_of_people(draft)
    mark_strategy(draft)
    mark_several_loads(draft)
    read_called(draft)
    refuse_unread_name(draft, vocabulary)
    read_bare_windows(draft)
    read_owned_price(draft)
    return head


def _said_alone(trains: bool, vocabulary: Vocabulary) -> Callable[[str], dict[str, Any]]:  # noqa: FBT001
    """Return what reads the fields that some words of a text say by themselves."""

    def said(words: str) -> dict[str, Any]:
        part = Draft(Reader(words), trains=trains)
        part.reader.rewrite([])
        try:
            _read_rules(part, vocabulary, NO_QUESTION, in_thread=True)
        except RequestError:
            return {}
        return values(part)

    return said


def _opening(
    draft: Draft, vocabulary: Vocabulary, question: LikelyKind, *, in_thread: bool
) -> tuple[Intent, str | None] | None:
    """Return what the text opens with: an alert, a command; or mark the question it asks."""
    if read_alert(draft, question, vocabulary):
        return "alert", None
    if (
        in_thread
        and question.kind in OF_PICKS
        and read_question(draft, question, vocabulary, in_thread=True)
    ):
        return None
    head = read_head(draft)
    if head is None:
        read_question(draft, question, vocabulary, in_thread=in_thread)
    return head


def _note_slips(draft: Draft, slips: list[tuple[int, int, str]]) -> None:
    """Note the misspelt words that a rule has read."""
    read = [
        f"`{draft.reader.text[start:end]}` as {word}"
        for start, end, word in slips
        if draft.reader.was_taken(start)
    ]
    if read:
        draft.note("spelling", f"Read {', '.join(read)}.")


def _alternatives(draft: Draft) -> dict[str, tuple[Any, ...]]:
    """Return the fields that were said with several values, other than lists."""
    several = {}
    for name, every in draft.said.items():
        listed = tuple(dict.fromkeys(one.value for one in in_order(every)))
        if len(listed) > 1 and name not in LISTS:
            several[name] = listed
    return several


def _without_budgets(draft: Draft, said: dict[str, Any]) -> None:
    """Leave out the price that an alert waits for: it limits no answer of the thread.

    A price to reach is kept for a type that is named; on the pick it is said that it is not.
    """
    budgets = ("budget_usd_per_hour", "budget_usd_per_month", "budget_usd_total")
    waits = [name for name in budgets if said.pop(name, None) is not None]
    if waits and "instance" not in said:
        draft.note(
            "alert_price_unwatched",
            example("parse_3"),
        )


def _stands_alone(intent: Intent, said: dict[str, Any]) -> bool:
    """Return whether a turn needs no earlier one, however short: an alert names what it watches."""
    watched = intent == "alert" and bool({"instance", "gpu", "allow"} & said.keys())
    return watched or intent in {"reset", "help"}


def _require_meaning(
    draft: Draft,
    said: dict[str, Any],
    plain: str,
    previous: Workload | None,
    *,
    question: LikelyKind,
    patch: TurnPatch,
) -> None:
    marks = draft.marks
    intents = {mark.partition(":")[2] for mark in marks if mark.startswith("intent:")}
    amending = previous is not None and (
        patch.amends
        or bool({"intent:explain", "how_much"} & marks.keys())
        or remarks_on_earlier(draft)
    )
    if (
        said
        or amending
        or intents & set(MEANINGFUL_INTENTS)
        or any(mark.startswith(MEANINGFUL) for mark in marks)
    ):
        return
    raise _request_not_understood(plain, previous, question)


def _request_not_understood(
    plain: str, previous: Workload | None, question: LikelyKind
) -> RequestError:
    """Return that a text says nothing: what to run is missing, or in a thread what to change."""
    wanted, typed = "Say what to run: a task and a model or its size.", EXAMPLE
    if previous is not None:
        wanted = example("parse")
        typed = example("parse_2")
    return RequestError(
        "not_understood",
        f"I did not understand `{plain[:120]}`. {wanted}",
        words=plain[:120],
        example=typed,
        questions=() if previous is None else may_mean(question),
    )


def _no_context(plain: str) -> RequestError:
    return RequestError(
        "no_context",
        f"`{plain[:120]}` amends an earlier question, and there is none here. Name the model or its"
        " size.",
        words=plain[:120],
        example=example("parse_4"),
    )


def _workload(
    draft: Draft,
    said: dict[str, Any],
    intent: Intent,
    amendment: tuple[Workload, TurnPatch, Earlier] | None,
    vocabulary: Vocabulary,
) -> Workload:
    if intent == "reset":
        return Workload()
    if amendment is not None:
        previous, patch, earlier = amendment
        return amended(previous, said, draft, vocabulary, patch=patch, earlier=earlier)
    return completed(workload_of(said))


def _asked_of_week(draft: Draft, workload: Workload) -> Questions:
    """Return what is asked, with the hours of a week for which prices are told."""
    hours = workload.duty_h_per_day
    a_week = HOURS_PER_WEEK if hours is None else DAYS_PER_WEEK * hours
    return replace(draft.asked, hours_per_week=a_week)


def _manifest_kind(draft: Draft, intent: Intent) -> ManifestKind | None:
    """Return which manifest is meant: eksctl's where the text does not say."""
    said = draft.details.pop("manifest_kind", "eksctl")
    if intent == "migrate" and said == "migration":
        return "migration"
    if intent != "manifest":
        return None
    if said == "eksctl" and wants_everything(draft):
        return "everything"
    return next((kind for kind in KINDS if kind == said), "eksctl")
