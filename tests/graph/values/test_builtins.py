"""SWRL rules with built-ins in a graph: values against plain Python, edits, proofs, reopening, equal terms."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_EVEN, Decimal
from pathlib import Path
from typing import Any

import pytest

from kgreason import KnowledgeGraph
from kgreason.terms import vocabulary as v
from kgreason.terms.quoting import quote

HEADER = """@prefix : <http://e/> . @prefix swrl: <http://www.w3.org/2003/11/swrl#> .
@prefix swrlb: <http://www.w3.org/2003/11/swrlb#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:x a swrl:Variable . :a a swrl:Variable . :b a swrl:Variable . :c a swrl:Variable .
"""
Value = Any


def atom(property_: str, value: str) -> str:
    return (
        f"[ a swrl:DatavaluedPropertyAtom ; swrl:propertyPredicate :{property_} ;"
        f" swrl:argument1 :x ; swrl:argument2 {value} ]"
    )


def implication(name: str, head: str, arguments: str, built_in: str, read: str = "ab") -> str:
    """The rule `head :- [?x, :a, ?a], [?x, :b, ?b], swrlb:built_in(arguments)`."""
    body = " ".join(atom(letter, f":{letter}") for letter in read)
    call = f"[ a swrl:BuiltinAtom ; swrl:builtin swrlb:{built_in} ; swrl:arguments :{name}-1 ]"
    cells = arguments.split()
    lists = " ".join(
        f":{name}-{place} <http://www.w3.org/1999/02/22-rdf-syntax-ns#first> {cell} ;"
        f" <http://www.w3.org/1999/02/22-rdf-syntax-ns#rest> "
        f"{f':{name}-{place + 1}' if place < len(cells) else '()'} ."
        for place, cell in enumerate(cells, 1)
    )
    return f":{name} a swrl:Imp ; swrl:body ( {body} {call} ) ; swrl:head ( {head} ) . {lists} "


def text_of(value: Value) -> str:
    """A Python value as an RDF literal."""
    if isinstance(value, str):
        return quote(value)
    datatype, text = {
        bool: (v.XSD_BOOLEAN, str(value).lower()),
        int: (v.XSD_INTEGER, str(value)),
        Decimal: (v.XSD_DECIMAL, str(value)),
        float: (v.XSD_DOUBLE, "INF" if value == math.inf else repr(value)),
    }.get(type(value)) or (
        (v.XSD_DATE_TIME if isinstance(value, datetime) else v.XSD_DATE, value.isoformat())
        if isinstance(value, date)
        else (f"<{v.XSD}dayTimeDuration>", f"P{value.days}D")
    )
    return f'"{text}"^^{datatype}'


def closure(rule: str, pairs: list[tuple[Value, Value]]) -> dict[int, str]:
    """The value of :r for each pair of values of :a and :b."""
    data = "".join(f":x{place} :a {text_of(a)} ; :b {text_of(b)} . " for place, (a, b) in enumerate(pairs))
    with KnowledgeGraph.open() as graph:
        graph.add(HEADER + rule + data)
        assert not graph.warnings
        return {
            int(str(found.subject)[len("<http://e/x") : -1]): str(found.object)
            for found in graph.match(None, "<http://e/r>", None)
        }


NUMBERS: list[Value] = [0, 1, -7, 7, 2, 10**12, Decimal("2.5"), Decimal("-0.5"), Decimal("3.0"), 2.5, -1.5, 1e10, 0.0]
STRINGS: list[Value] = ["", "a", "Abc", "aBC", "abcabc", "b", "ä Ö", " a  b\tc ", "a.c", "2"]
DATES: list[Value] = [date(2020, 2, 29), date(1999, 12, 31), date(2020, 3, 1)]
TIMES: list[Value] = [datetime(2020, 2, 29, 23, 59, 58), datetime(2020, 3, 1), datetime(1999, 1, 1, 12, 30)]
MIXED = [*NUMBERS[:4], *STRINGS[:3], True, False, DATES[0], TIMES[0]]
NUMERIC = (int, float, Decimal)


def _are_numbers(*values: Value) -> bool:
    return all(isinstance(value, NUMERIC) and not isinstance(value, bool) for value in values)


def _compare(test: Callable[[Value, Value], bool]) -> Callable[[Value, Value], bool]:
    """A comparison of two values of one kind; values of two kinds, and an order of booleans, satisfy nothing."""

    def satisfied(a: Value, b: Value) -> bool:
        if isinstance(a, bool) and a is not b:
            return False
        return (_are_numbers(a, b) or type(a) is type(b)) and test(a, b)

    return satisfied


TESTS: dict[str, Callable[[Value, Value], bool]] = {
    "equal": _compare(lambda a, b: bool(a == b)),
    "lessThan": _compare(lambda a, b: bool(a < b)),
    "lessThanOrEqual": _compare(lambda a, b: bool(a <= b)),
    "greaterThan": _compare(lambda a, b: bool(a > b)),
    "greaterThanOrEqual": _compare(lambda a, b: bool(a >= b)),
    "stringEqualIgnoreCase": lambda a, b: a.lower() == b.lower(),
    "contains": lambda a, b: b in a,
    "containsIgnoreCase": lambda a, b: b.lower() in a.lower(),
    "startsWith": lambda a, b: a.startswith(b),
    "endsWith": lambda a, b: a.endswith(b),
}


@pytest.mark.parametrize("name", TESTS)
def test_a_test_is_satisfied_as_in_python(name: str) -> None:
    is_of_strings = "s" in name[1:] and name.startswith(("contains", "starts", "ends", "string"))
    values = STRINGS if is_of_strings else [*MIXED, *NUMBERS]
    pairs = [(a, b) for a in values for b in values]
    found = closure(implication("r", atom("r", '"yes"'), ":a :b", name), pairs)
    assert found.keys() == {place for place, pair in enumerate(pairs) if TESTS[name](*pair)}


def _integer_divide(a: Value, b: Value) -> Value:
    return None if b == 0 else int(abs(Decimal(a)) // abs(Decimal(b))) * (1 if (a < 0) == (b < 0) else -1)


def _mod(a: Value, b: Value) -> Value:
    return None if b == 0 else Decimal(a) % Decimal(b)


EXACT: list[Value] = [value for value in NUMBERS if not isinstance(value, float)]
DAYS: list[Value] = [timedelta(days=1), timedelta(days=365), timedelta(0)]
_EVEN = Decimal(1)
RESULTS: dict[str, tuple[list[Value], list[Value], Callable[[Value, Value], Value]]] = {
    "add": (EXACT, EXACT, lambda a, b: a + b),
    "subtract": (EXACT, EXACT, lambda a, b: a - b),
    "multiply": (EXACT, EXACT[:5], lambda a, b: a * b),
    "divide": ([0, 1, -3, Decimal("0.5")], [0, 2, Decimal("2.5")], lambda a, b: Decimal(a) / Decimal(b) if b else None),
    "integerDivide": (EXACT, EXACT, _integer_divide),
    "mod": (EXACT, EXACT, _mod),
    "abs": (NUMBERS, [0], lambda a, _: abs(a)),
    "unaryMinus": (EXACT, [0], lambda a, _: -a),
    "unaryPlus": (EXACT, [0], lambda a, _: a),
    "floor": (EXACT, [0], lambda a, _: math.floor(a)),
    "ceiling": (EXACT, [0], lambda a, _: math.ceil(a)),
    "round": (EXACT, [0], lambda a, _: math.floor(Decimal(a) + Decimal("0.5"))),
    "roundHalfToEven": (
        [*EXACT, *map(Decimal, ("1.5", "0.5", "-1.5", "-2.5", "2.4"))],
        [0],
        lambda a, _: Decimal(a).quantize(_EVEN, ROUND_HALF_EVEN),
    ),
    "pow": ([0, 2, -3, Decimal("2.5")], [0, 1, 3], lambda a, b: float(a) ** b if isinstance(a, Decimal) else a**b),
    "sin": ([0, 1, 2.5], [0], lambda a, _: math.sin(a)),
    "cos": ([0, 1, 2.5], [0], lambda a, _: math.cos(a)),
    "tan": ([0, 1, 2.5], [0], lambda a, _: math.tan(a)),
    "booleanNot": ([True, False], [0], lambda a, _: not a),
    "stringLength": (STRINGS, [0], lambda a, _: len(a)),
    "upperCase": (STRINGS, [0], lambda a, _: a.upper()),
    "lowerCase": (STRINGS, [0], lambda a, _: a.lower()),
    "normalizeSpace": (STRINGS, [0], lambda a, _: " ".join(a.split())),
    "stringConcat": (STRINGS, STRINGS, lambda a, b: a + b),
    "substring": (STRINGS, [1, 2, 3], lambda a, b: a[b - 1 :]),
    "substringBefore": (STRINGS, STRINGS, lambda a, b: a.split(b)[0] if b and b in a else ""),
    "substringAfter": (STRINGS, STRINGS, lambda a, b: a.split(b, 1)[1] if b and b in a else "" if b else a),
    "subtractDates": (DATES, DATES, lambda a, b: a - b),
    "addDayTimeDurationToDate": (DATES, DAYS, lambda a, b: a + b),
    "addDayTimeDurationToDateTime": (TIMES, DAYS, lambda a, b: a + b),
    "subtractDayTimeDurationFromDateTime": (TIMES, DAYS, lambda a, b: a - b),
}


def _same(found: str, expected: Value) -> bool:
    """Whether a literal has the value."""
    text = found.split('"')[1]
    if isinstance(expected, timedelta):
        return text in (f"P{expected.days}D", f"-P{-expected.days}D", "PT0S" if not expected else "")
    if isinstance(expected, bool) or not isinstance(expected, NUMERIC):
        return found == text_of(expected)
    return float(text) == expected if isinstance(expected, float) else Decimal(text) == Decimal(expected)


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_is_that_of_python(name: str) -> None:
    left, right, function = RESULTS[name]
    pairs = [(a, b) for a in left for b in right]
    inputs = ":a" if right == [0] else ":a :b"
    found = closure(implication("r", atom("r", ":c"), f":c {inputs}", name), pairs)
    for place, pair in enumerate(pairs):
        expected = function(*pair)
        assert (place in found) == (expected is not None), pair
        assert expected is None or _same(found[place], expected), (pair, found[place])


def test_a_duration_that_is_a_constant_is_added() -> None:
    week = text_of(timedelta(7))
    pairs: list[tuple[Value, Value]] = [(each, 1) for each in [*DATES, *TIMES]]
    for name, count in (("addDayTimeDurationToDate", 1), ("addDayTimeDurationToDateTime", 2)):
        found = closure(implication(f"r{count}", atom("r", ":c"), f":c :a {week}", name, "a"), pairs)
        assert found == {place: text_of(each + timedelta(7)) for place, (each, _) in enumerate(pairs)}


def test_a_result_that_is_known_is_compared() -> None:
    pairs: list[tuple[Value, Value]] = [(3, 4), (3, 5), (Decimal("3.0"), 4), ("x", 4)]
    assert closure(implication("r", atom("r", '"yes"'), ":b :a 1", "add"), pairs).keys() == {0, 2}


def test_a_call_whose_result_is_known_is_compared() -> None:
    pairs: list[tuple[Value, Value]] = [(3, 9), (3, 8), (-3, 9), ("x", 9), (Decimal("1.5"), 2.25)]
    assert closure(implication("r", atom("r", '"yes"'), ":b :a 2", "pow"), pairs).keys() == {0, 2, 4}


def test_characters_and_tokens() -> None:
    found = closure(implication("r", atom("r", ":c"), ':c :a "abc" "xy"', "translate"), [("aabbcc", 1), (5, 1)])
    assert found == {0: '"xxyy"'}
    with KnowledgeGraph.open() as graph:
        graph.add(HEADER + implication("r", atom("r", ":c"), ':c :a ",[^a-z]*"', "tokenize", "a") + ':s :a "a, b,c" .')
        objects = graph.match("<http://e/s>", "<http://e/r>", None)
        assert sorted(str(found.object) for found in objects) == ['"a"', '"b"', '"c"']


def test_a_group_in_a_pattern_of_tokenize_is_no_token() -> None:
    with KnowledgeGraph.open() as graph:
        graph.add(HEADER + implication("r", atom("r", ":c"), ':c :a "(,|-)"', "tokenize", "a"))
        graph.add(':s :a "-x,y-z-" .', prefixes={"": "http://e/"})
        objects = graph.match("<http://e/s>", "<http://e/r>", None)
        assert sorted(str(found.object) for found in objects) == ['"x"', '"y"', '"z"']


def test_arithmetic_of_what_is_no_number_gives_nothing() -> None:
    pairs = [(a, b) for a in MIXED for b in MIXED if not _are_numbers(a, b)]
    assert not closure(implication("r", atom("r", ":c"), ":c :a :b", "multiply"), pairs)


def test_the_parts_of_a_date_are_read_and_put_together() -> None:
    for value, name, parts in (
        (date(2020, 2, 9), "date", "2020 2 9"),
        (datetime(850, 12, 31, 1, 2, 3), "dateTime", "850 12 31 1 2 3"),
    ):
        made = closure(implication("r", atom("r", ":c"), f":c {parts}", name), [(1, 1)])
        assert made == {0: text_of(value)}
        first, *others = parts.split()
        read = closure(implication("r", atom("r", ":c"), f":a :c {' '.join(others)}", name), [(value, 1), ("x", 1)])
        assert read == {0: text_of(int(first))}
    assert not closure(implication("r", atom("r", ":c"), ":c 2021 2 29", "date"), [(1, 1)])
    [far] = closure(implication("r", atom("r", ":c"), ":c 12020 2 9", "date"), [(1, 1)]).values()
    assert far == '"12020-02-09"^^<http://www.w3.org/2001/XMLSchema#date>'


ADULT = implication(
    "r", "[ a swrl:ClassAtom ; swrl:classPredicate :Adult ; swrl:argument1 :x ]", ":a 18", "greaterThanOrEqual", "a"
).replace(":a ;", ":age ;", 1)
TOM = ("<http://e/tom>", "a", "<http://e/Adult>")


def test_facts_and_arguments_are_edited_live(tmp_path: Path) -> None:
    with KnowledgeGraph.open(tmp_path / "store") as graph:
        graph.add(HEADER + ADULT + ":tom :age 17 .")
        assert TOM not in graph
        with graph.what_if() as tx:
            tx.remove(HEADER + ":tom :age 17 .").add(HEADER + ":tom :age 18 .")
        assert list(tx.delta.appeared(asserted=False))
        assert TOM not in graph
        graph.add(HEADER + ":tom :age 20 .")
        assert TOM in graph
        proof = graph.explain(TOM).to_text()
        assert "20 >= 18" in proof
        assert "swrl" in proof
        cell = "<http://e/r-2> <http://www.w3.org/1999/02/22-rdf-syntax-ns#first> "
        with graph.transaction() as tx:
            tx.remove(cell + "18 .")
        assert TOM not in graph
        assert len(graph.warnings) == 1
        with graph.transaction() as tx:
            tx.add(cell + "21 .")
        assert not graph.warnings
        assert TOM not in graph
        with graph.transaction() as tx:
            tx.remove(cell + "21 .").add(cell + "19 .")
        assert TOM in graph
    with KnowledgeGraph.open(tmp_path / "store") as graph:
        assert TOM in graph
        graph.remove(HEADER + ":tom :age 20 .")
        assert TOM not in graph
    with KnowledgeGraph.open(tmp_path / "store", read_only=True) as graph:
        assert not graph.warnings
        assert TOM not in graph


@pytest.mark.parametrize("same_as", ["aliases", "representatives", "rules"])
def test_equal_terms_have_the_same_results(same_as: Any) -> None:
    with KnowledgeGraph.open(same_as=same_as) as graph:
        graph.add(
            HEADER + ADULT + ":age <http://www.w3.org/2002/07/owl#sameAs> :years . :tom :years 30 . :tim :age 8 ."
        )
        assert TOM in graph
        graph.add(HEADER + ":tim <http://www.w3.org/2002/07/owl#sameAs> :tom .")
        assert sum(1 for _ in graph.match(None, "a", "<http://e/Adult>")) == (1 if same_as == "representatives" else 2)
        graph.remove(HEADER + ":tom :years 30 .")
        assert not list(graph.match(None, "a", "<http://e/Adult>"))


def test_a_contradiction_with_a_built_in_names_the_values() -> None:
    rule = implication("r", "", ":a 0", "lessThan", "a")
    with KnowledgeGraph.open() as graph:
        graph.add(HEADER + rule + ":tom :a 3 .")
        assert not list(graph.contradictions())
        graph.add(HEADER + ":tom :a -1 .")
        [found] = graph.contradictions()
        assert "-1" in found.to_text()


def test_generic_rules_read_no_swrl() -> None:
    with KnowledgeGraph.open(schema="data") as graph:
        graph.add(HEADER + ADULT + ":tom :age 20 .")
        assert TOM not in graph
