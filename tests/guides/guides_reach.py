"""Which leaves of a tree no facts can lead to: found by search, not by trying requests.

Every condition looks at one fact, so a leaf is reachable when each fact still has a value left
after (a) one group of each node on the path holds and (b) one condition of each group of each
earlier sibling fails. The search tries the choices of (a) and (b).
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise

from catalog.guides.guides import FIELDS, OPERATORS, Condition, Node, Tree, When

# One fact, or one context word, which is said or not: ("size_b", "") or ("words", "experiment").
_Variable = tuple[str, str]
_Domains = Mapping[_Variable, tuple[object, ...]]
# Alternatives, of which one must come true: conditions, each with whether it must hold or fail.
_Demand = tuple[tuple[tuple[Condition, bool], ...], ...]


def unreachable_leaves(tree: Tree) -> tuple[str, ...]:
    """Return the ids of the leaves that no facts lead to, in the order they are tried."""
    domains = _domains(tree)
    return tuple(
        node.id for node, demands in _paths(tree.nodes, ()) if not _possible(domains, demands)
    )


def _paths(
    nodes: tuple[Node, ...], demands: tuple[_Demand, ...]
) -> Iterator[tuple[Node, tuple[_Demand, ...]]]:
    """Yield each leaf with what the facts must meet for the walk to end there."""
    earlier: tuple[_Demand, ...] = ()
    for node in nodes:
        here = (*demands, *earlier, _one_group_holds(node.when))
        if node.leaf is not None:
            yield node, here
        yield from _paths(node.children, here)
        earlier = (*earlier, *_every_group_fails(node.when))


def _one_group_holds(when: When) -> _Demand:
    return tuple(tuple((condition, True) for condition in group) for group in when or ((),))


def _every_group_fails(when: When) -> tuple[_Demand, ...]:
    return tuple(tuple(((condition, False),) for condition in group) for group in when or ((),))


def _possible(domains: _Domains, demands: tuple[_Demand, ...]) -> bool:
    if not demands:
        return True
    for alternative in demands[0]:
        narrowed = _narrowed(domains, alternative)
        if narrowed is not None and _possible(narrowed, demands[1:]):
            return True
    return False


def _narrowed(
    domains: _Domains, alternative: tuple[tuple[Condition, bool], ...]
) -> _Domains | None:
    """Return the values left when the alternative comes true, or None when a fact has none."""
    left = dict(domains)
    for condition, wanted in alternative:
        variable = _variable(condition)
        left[variable] = tuple(
            value for value in left[variable] if _condition_holds(condition, value) is wanted
        )
        if not left[variable]:
            return None
    return left


def _condition_holds(condition: Condition, value: object) -> bool:
    return bool(OPERATORS[condition.operator](value, condition.value))


def _variable(condition: Condition) -> _Variable:
    word = str(condition.value) if condition.field == "words" else ""
    return condition.field, word


def _domains(tree: Tree) -> _Domains:
    """Return, for each fact the tree asks for, a value for every case its conditions tell apart."""
    met: dict[_Variable, list[Condition]] = {}
    for condition in _conditions(tree.nodes):
        met.setdefault(_variable(condition), []).append(condition)
    return {variable: _values_reached(variable, conditions) for variable, conditions in met.items()}


def _conditions(nodes: tuple[Node, ...]) -> Iterator[Condition]:
    for node in nodes:
        yield from (condition for group in node.when for condition in group)
        yield from _conditions(node.children)


def _values_reached(variable: _Variable, conditions: Iterable[Condition]) -> tuple[object, ...]:
    name, word = variable
    field = FIELDS[name]
    if field.kind == "words":
        return frozenset({word}), frozenset()
    if field.kind == "flag":
        return True, False, None
    if field.kind == "choice":
        return (*field.choices, None)
    mentioned = [condition.value for condition in conditions if condition.value is not None]
    if field.kind == "number":
        return (
            *_values_around(float(value) for value in mentioned if isinstance(value, int | float)),
            None,
        )
    texts = {
        text for value in mentioned for text in (value if isinstance(value, tuple) else (value,))
    }
    return (*texts, "anything else", None)


def _values_around(thresholds: Iterable[float]) -> Iterator[float]:
    """Yield each threshold and a number on either side, closer than any other threshold."""
    marks = sorted(set(thresholds))
    gaps = [after - before for before, after in pairwise(marks)]
    step = min([*gaps, 1.0]) / 2
    for mark in marks:
        yield from (mark - step, mark, mark + step)
