"""Filters that compare numbers give, as whole columns, what Oxigraph gives."""

from __future__ import annotations

from itertools import product
from random import Random

import numpy as np
import pytest

from kgreason.materialize.expressions.numbers import comparison_of
from kgreason.materialize.operators import evaluation
from kgreason.rules.model import Computed, Variable
from kgreason.rules.parser import parse
from kgreason.terms.dictionary import Dictionary
from kgreason.terms.numbers import DOUBLE, EXACT, NO_NUMBER, SCALE, read_numbers
from kgreason.terms.vocabulary import XSD
from tests.tables import table
from tests.volume import many_seeds

_INTEGERS = [
    "0",
    "1",
    "-1",
    "+7",
    "007",
    "-0",
    "99999999999",
    "-99999999999",
    "100000000000",
    "9223372036854775807",
    "",
    "1.0",
    "x",
    " 1",
]
_DECIMALS = [
    "0.0",
    "1",
    "1.5",
    "-1.5",
    "+0.25",
    ".5",
    "1.",
    "2.1234567",
    "2.123456",
    "99999999999.999999",
    "1.50000000",
    "-",
    "1e0",
]
_DOUBLES = ["0", "1", "1.5", "-1.5e0", "1E3", "1e-7", "INF", "-INF", "NaN", "1e400", "abc", "0.1", "-0.0", "1."]
_LIMITS = ["1.7e308", "-1.7e308", "1.7976931348623157E308", "5e-324", "-5e-324", "9007199254740993", "0.3"]
POOL = [
    *(f'"{text}"^^<{XSD}integer>' for text in _INTEGERS),
    *(f'"{text}"^^<{XSD}decimal>' for text in _DECIMALS),
    *(f'"{text}"^^<{XSD}double>' for text in _DOUBLES),
    *(f'"{text}"^^<{XSD}{name}>' for text in ("1", "1.5") for name in ("float", "int", "byte", "string", "boolean")),
    '"1"',
    '"1"@en',
    '"a\\"b"',
    "<http://e/a>",
    f"<{XSD}integer>",
    "_:b",
    f'<<( <http://e/a> <http://e/b> "1"^^<{XSD}integer> )>>',
]
FILTERS = [
    "?x < ?y",
    "?x <= ?y && ?y <= ?x",
    "?x = ?y",
    "?x != ?y",
    "?x >= 1",
    "1.5 > ?x",
    "?x = 1.0",
    "?x - ?y > 0.5",
    "?x + 1 - ?y <= 2 || ?y = 0",
    "!(?x < ?y) && (?x > -1 || ?y != 7)",
    "(?x + ?y) - (?x - ?y) = ?y + ?y",
    "!(!(?x > ?y))",
    "?x - -1 > ?y",
    "99999999999 < ?x + ?y",
    "?x > 21.5 || ?x < 0.1",
]
OVERFLOWS = [
    "?x + ?x - (?x + ?x) = ?x + ?x - (?x + ?x)",
    "?x + ?x - (?x + ?x) <= ?x + ?x - (?x + ?x)",
    "?x + ?y - (?y + ?x) != 0",
    "!(?x + ?y - (?x + ?y) < 0)",
    "?x + ?y - (?x + ?y) < 0 || ?x > 0",
    "?x + ?y = ?x + ?y + 1",
    "?x + ?y > ?x",
]
OTHERS = [
    "?x * ?y > 1",
    "?x / 2 > 1",
    "?x",
    "!?x",
    "(?x < ?y) = true",
    "ABS(?x) > 1",
    "?x IN (1, 2)",
    '?x < "a"',
    "?x < 1e0",
    "?x < 1000000000000",
    "-?x < 1",
    "?x < 0.1234567",
    "ISIRI(?x) || ?x > 1",
    "0.1 + 0.2 = ?x",
    "?x < 1 && 99999999999.999999 = 99999999999.999998",
]


def read(text: str) -> Computed:
    (rule,) = parse(f"p() :- q(?x, ?y), FILTER({text}) .").rules
    return rule.computed[0]


def check(text: str, rows: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch) -> None:
    computed, dictionary = read(text), Dictionary()
    names = [term.name for term in computed.inputs()]
    terms = sorted({tuple(row[("x", "y").index(name)] for name in names) for row in rows})
    keys = dictionary.intern([term for row in terms for term in row]).astype(np.int32).reshape(len(terms), -1)
    found = evaluation.results_of(computed, keys, dictionary, lambda: None)
    with monkeypatch.context() as patched:
        patched.setattr(evaluation, "comparison_of", lambda _: None)
        expected = evaluation.results_of(computed, keys, dictionary, lambda: None)
    told, wanted = ({tuple(dictionary.decode(row)) for row in each} for each in (found, expected))
    assert told == wanted


@pytest.mark.parametrize("text", FILTERS)
def test_every_pair_of_terms_is_as_oxigraph_has_it(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert comparison_of(read(text)) is not None
    check(text, list(product(POOL, POOL)), monkeypatch)


def test_sums_beyond_all_doubles_are_as_oxigraph_has_them(monkeypatch: pytest.MonkeyPatch) -> None:
    terms = [f'"{text}"^^<{XSD}double>' for text in _DOUBLES + _LIMITS]
    for text in OVERFLOWS:
        assert comparison_of(read(text)) is not None
        check(text, list(product(terms, terms)), monkeypatch)


@table("text", OTHERS)
def test_other_filters_are_left_to_oxigraph(text: str) -> None:
    assert comparison_of(read(text)) is None


@pytest.mark.parametrize("part", range(4))
def test_random_filters_over_random_numbers(part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in many_seeds(5, 60, part, 4):
        random = Random(seed)
        check(_test(random, 2), [(_number(random), _number(random)) for _ in range(60)], monkeypatch)


def _number(random: Random) -> str:
    """A number, often one at a limit of its datatype or of what is decided for whole columns."""
    kind = random.choice(["integer", "decimal", "double", "double", "float"])
    if random.random() < 0.3:
        limits = {"integer": _INTEGERS, "decimal": _DECIMALS, "double": _DOUBLES + _LIMITS, "float": _DOUBLES}
        return f'"{random.choice(limits[kind])}"^^<{XSD}{kind}>'
    value = random.choice([random.randint(-3, 3), random.randint(-(10**12), 10**12)])
    fraction = "" if kind == "integer" else f".{random.choice([0, 5, 25, random.randrange(10**7)])}"
    return f'"{value}{fraction}"^^<{XSD}{kind}>'


def _test(random: Random, depth: int) -> str:
    if depth and random.random() < 0.6:
        one, other = _test(random, depth - 1), _test(random, depth - 1)
        return random.choice([f"{one} && {other}", f"({one}) || ({other})", f"!({one}) && {other}"])
    sign = random.choice(["<", "<=", ">", ">=", "=", "!="])
    return f"{_sum(random)} {sign} {_sum(random)}"


def _sum(random: Random) -> str:
    terms = random.choices(
        ["?x", "?y", "1", "-2", "0.5", "12345.678901", "(?x - ?y)", "(?x + ?x)"], k=random.choice([1, 1, 2, 3])
    )
    return random.choice([" + ", " - "]).join(terms)


def test_numbers_are_read_exactly() -> None:
    dictionary = Dictionary()
    found = read_numbers(dictionary, dictionary.intern(POOL).astype(np.int32))
    told = dict(zip(POOL, zip(found.kinds.tolist(), found.values.tolist(), strict=True), strict=True))
    assert told[f'"007"^^<{XSD}integer>'] == (EXACT, 7 * SCALE)
    assert told[f'"-99999999999"^^<{XSD}integer>'] == (EXACT, -99_999_999_999 * SCALE)
    assert told[f'"100000000000"^^<{XSD}integer>'] == (NO_NUMBER, 0)
    assert told[f'"2.123456"^^<{XSD}decimal>'] == (EXACT, 2_123_456)
    assert told[f'"1.5"^^<{XSD}decimal>'] == (EXACT, 1_500_000)
    assert told[f'"1.0"^^<{XSD}integer>'] == (NO_NUMBER, 0)
    assert told[f'"NaN"^^<{XSD}double>'] == (DOUBLE, 0)
    assert told["_:b"] == (NO_NUMBER, 0)


def test_a_variable_may_occur_once() -> None:
    assert comparison_of(Computed((Variable("x"), "<", Variable("x")))) is not None
