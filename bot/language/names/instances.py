"""Reads instance types (`g5.12xlarge`, also misspelt or run together) and families (`inf2`)."""

import re
from typing import NoReturn

from bot.core.examples import example
from bot.language.draft import Draft
from bot.language.questions.doubts import is_doubted
from bot.language.text.vocabulary import Vocabulary, nearest
from catalog.facts.instances import series_name
from catalog.reference import RetiredFamily, retired_families, ultra_servers

SIZE_WORD = (
    r"(?:\d{1,4}x?l[a-z]{0,7}|\d{1,4}xl|xl[a-z]{3,6}|(?:la|lr|lg|al)[a-z]{2,4}"
    r"|metal(?:-\d{1,3}xl)?|nano|micro|small|medium|xl)"
)
# A family has at most four letters, a digit, and maybe a tail: g5, p4de, im4gn, p6-b200, u7i-12tb.
INSTANCE = re.compile(
    rf"(?<![\w.-])([a-z]{{1,4}}\d[a-z0-9]{{0,5}}(?:-[a-z0-9]{{2,6}})?)\.({SIZE_WORD})(?![\w-])"
)
# A family without a digit in its first part: only as the catalog has it.
TAILED = re.compile(rf"(?<![\w.-])([a-z]{{1,4}}\d?-[a-z0-9]{{2,8}})\.({SIZE_WORD})(?![\w-])")
# Without the dot only the unmistakable: "g5 12xlarge", "p4d24xlarge".
UNDOTTED = re.compile(
    r"(?<![\w.-])([a-z]{1,4}\d[a-z]{0,3}(?:-[a-z0-9]{2,6})?)[ -]?(\d{1,3}xlarge|xlarge)(?![\w-])"
)
FAMILY = re.compile(
    r"(?<![\w.-])([a-z]{1,4}\d[a-z0-9]{0,5}(?:-[a-z0-9]{2,6})?)(?:s|'s)?(?![\w=])(?!\.\w)"
)
MAX_LETTER_SLIPS = 2


def read_instances(draft: Draft, vocabulary: Vocabulary) -> None:
    """Say `instance` for every type in the text.

    Raises:
        RequestError: `unknown_instance` with the nearest types.
    """
    for match in draft.reader.matches(INSTANCE):
        name = instance_type(f"{match[1]}.{match[2]}", vocabulary)
        if name is None:
            refuse_instance(draft, *match.span(), vocabulary)
        _say_instance(draft, name, *match.span())
    for pattern in (TAILED, UNDOTTED):
        for match in draft.reader.matches(pattern):
            name = f"{match[1]}.{match[2]}"
            if name in vocabulary.catalog.instances:
                _say_instance(draft, name, *match.span())
    for match in draft.reader.matches(FAMILY):
        if "-" in match[1] and match[1] in vocabulary.families:
            say_group(draft, match[1], *match.span())  # before its tail is read as a chip


def _say_instance(draft: Draft, name: str, start: int, end: int) -> None:
    written = draft.reader.words(start, end)
    if written.lower() != name:
        draft.note("instance_spelling", f"`{written}` is read as {name}.")
    draft.say("instance", name, start, end)


def instance_type(written: str, vocabulary: Vocabulary) -> str | None:
    """Return the type meant: itself, or the one with the same digits and a slip in its letters."""
    name = re.sub(r"\.(\d+)x?l$", r".\1xlarge", re.sub(r"\.xl$", ".xlarge", written.lower()))
    if name in vocabulary.catalog.instances:
        return name
    from rapidfuzz.distance import OSA

    family = name.partition(".")[0]
    digits = re.findall(r"\d+", name)
    close = [
        other
        for other in vocabulary.families.get(family, ())
        if re.findall(r"\d+", other) == digits and OSA.distance(other, name) <= MAX_LETTER_SLIPS
    ]
    return close[0] if len(close) == 1 else None


def refuse_instance(draft: Draft, start: int, end: int, vocabulary: Vocabulary) -> NoReturn:
    """Raise `unknown_instance` for the words at `start`..`end`, with the nearest types."""
    written = draft.reader.words(start, end).strip()
    family = written.lower().partition(".")[0]
    retired = retired_families().get(family)
    if retired is not None:
        _refuse_retired(draft, (start, end), retired, vocabulary)
    choices = vocabulary.families.get(family) or tuple(vocabulary.catalog.instances)
    close = nearest(written, choices)
    raise draft.refusal(
        "unknown_instance",
        f"There is no instance type `{written}`. Did you mean {' or '.join(close)}?",
        start,
        end,
        name="instance",
        suggestions=close,
        example=example("instances_2") + close[0] if close else example("instances"),
    )


def _refuse_retired(
    draft: Draft, span: tuple[int, int], retired: RetiredFamily, vocabulary: Vocabulary
) -> NoReturn:
    """Raise `unknown_instance` for a type that AWS no longer offers, with what took its place."""
    written = draft.reader.words(*span).strip()
    types = [one for family in retired.instead for one in vocabulary.families.get(family, ())]
    close = nearest(written, types) if types else ()
    instead = " or ".join(retired.instead)
    raise draft.refusal(
        "unknown_instance",
        f"`{written}` is retired: AWS has not offered {retired.family} ({retired.what}) since "
        f"{retired.since}. Its work is done by {instead}.",
        *span,
        name="instance",
        suggestions=close,
        example=example("instances_2") + close[0] if close else example("instances"),
    )


# u- and the name of what it is made of, with the number of its chips: u-FAMILYx72.
ULTRA_SERVER = re.compile(r"(?<![\w-])u-[a-z0-9-]+x\d+(?![\w-])")


def refuse_ultra_servers(draft: Draft) -> None:
    """Tell what an UltraServer is sold as, where one is named: it is no type to pick.

    Raises:
        RequestError: `unknown_instance`, with its zone and its price.
    """
    for match in draft.reader.matches(ULTRA_SERVER):
        sold = ultra_servers().get(match[0].lower())
        if sold is None:
            continue
        raise draft.refusal(
            "unknown_instance",
            f"`{sold.ultraserver}` is an UltraServer: {sold.machines} x {sold.instance_type}, sold "
            f"as one Capacity Block in the zone {sold.zone} at ${sold.usd_per_hour:,.3f}/h (list "
            f"price of {sold.as_of}), after AWS authorised the account. Ask for its machines.",
            *match.span(),
            name="instance",
            suggestions=(sold.instance_type,),
            example=f"{example('instances_2')}{sold.instance_type}",
        )


def read_families(draft: Draft, vocabulary: Vocabulary) -> None:
    """Say which families are asked for, excluded, or held against the pick ("why not inf2?")."""
    for match in draft.reader.matches(FAMILY):
        if family := family_of(match[1], vocabulary):
            say_group(draft, family, match.start(), match.end())


def family_of(written: str, vocabulary: Vocabulary) -> str | None:
    """Return the family that a word names, in the plural as well; None where it names none."""
    guided = guide_only_families(vocabulary)
    forms = (written, written.removesuffix("s"))
    return next((one for one in forms if one in vocabulary.families or one in guided), None)


def guide_only_families(vocabulary: Vocabulary) -> frozenset[str]:
    """Return families without a type in the catalog yet (`trn3`), and series of families (`p4`)."""
    families = vocabulary.catalog.families.values()
    accelerated = {one.family for one in families if one.accelerator_id is not None}
    begun = {series_name(family) for family in accelerated}  # p6 of p6-b200, p4 of p4d and p4de
    return frozenset(accelerated | begun) - vocabulary.families.keys()


def say_group(draft: Draft, group: str, start: int, end: int) -> None:
    """Record a group of types as asked for, or as held against the pick."""
    if is_doubted(draft.reader.before(start), draft.reader.after(end)):
        draft.say("compare_family", group, start, end)
        draft.marks.setdefault("intent:explain", (start, end))
    else:
        draft.say("allow", group, start, end)
