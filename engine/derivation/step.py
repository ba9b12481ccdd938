"""One step of a derivation: a formula, the values it takes, and what the estimate's function gives.

Formulas use + - × / ^ and the functions min, max, floor, ceil, exp and log; a symbol is a word.
"""

from itertools import groupby

from catalog.facts.schema import Model
from engine.core.value import value

FUNCTIONS = frozenset({"min", "max", "floor", "ceil", "exp", "log"})
ABOVE = "above"


@value
class Value:
    """A symbol of a formula: what it stands for, and where its number is from."""

    symbol: str
    number: float
    meaning: str
    source: str


@value
class Step:
    """One quantity: `formula` over `values` gives `result`, which the estimate's function gave."""

    name: str
    formula: str
    values: tuple[Value, ...]
    result: float
    unit: str  # s, GiB, B, B/s, FLOP/s, tokens, 1/s, 1
    section: str = ""

    @property
    def filled(self) -> str:
        """The formula with its numbers in place of the symbols."""
        numbers = {one.symbol: number_text(one.number) for one in self.values}
        return "".join(numbers.get(part, part) for part in parts_of(self.formula))

    def as_value(self, symbol: str) -> Value:
        """Return the result as a value of a later step."""
        return Value(symbol, self.result, self.name, ABOVE)


def parts_of(formula: str) -> list[str]:
    """Return the symbols and numbers of a formula, and what stands between them, in order."""
    return ["".join(part) for _, part in groupby(formula, lambda c: c.isalnum() or c == "_")]


def fact(symbol: str, number: float, meaning: str, source: str) -> Value:
    """Return a fact of the catalog, the plan or the load as a value."""
    return Value(symbol, float(number), meaning, source)


def fitted(symbol: str, number: float, name: str, meaning: str) -> Value:
    """Return a coefficient as a value; `name` is its row in coefficients.json."""
    return Value(symbol, float(number), meaning, name)


def model_source(model: Model) -> str:
    """Return where a model's facts are from: the catalog's row, a config, a typical shape."""
    if model.typical or model.source.startswith("config.json"):
        return model.source.split(";")[0]
    return f"models.csv: {model.id}"


def in_section(section: str, steps: list[Step]) -> list[Step]:
    """Return the steps under a heading."""
    return [Step(s.name, s.formula, s.values, s.result, s.unit, section) for s in steps]


def number_text(number: float) -> str:
    """Return a number as a reader copies it into a calculator: six digits, short exponents."""
    if number == int(number) and abs(number) < 1e7:
        return str(int(number))
    mantissa, _, exponent = f"{number:.6g}".partition("e")
    if not exponent:
        return mantissa
    return f"{mantissa}e{int(exponent)}"
