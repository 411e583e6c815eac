"""Sums of dates and durations in rules: XPath's results, in both orders, under any names of the variables."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product
from random import Random
from typing import Any, cast

import numpy as np
import pyoxigraph as ox
import pytest

from kgreason import KnowledgeGraph
from kgreason.materialize.operators.evaluation import results_of
from kgreason.rules.model import Computed
from kgreason.rules.parser import parse
from kgreason.terms.dictionary import Dictionary
from kgreason.terms.vocabulary import XSD
from tests.volume import many_seeds


def literal(kind: str, text: str) -> str:
    return f'"{text}"^^<{XSD}{kind}>'


MOMENTS = {"dateTime": "2020-01-31T23:59:59Z", "date": "2020-01-31", "time": "23:59:59"}
DURATIONS = {"duration": "P1MT2S", "yearMonthDuration": "P1M", "dayTimeDuration": "PT2S"}
OTHERS = {
    "integer": "2",
    "decimal": "2.5",
    "double": "2.5E0",
    "float": "1.5",
    "gYear": "2020",
    "gYearMonth": "2020-01",
    "string": "x",
    "boolean": "true",
}
TERMS = {kind: literal(kind, text) for kind, text in (MOMENTS | DURATIONS | OTHERS).items()}
SUMS = {
    ("dateTime", "duration"): "2020-03-01T00:00:01Z",
    ("dateTime", "yearMonthDuration"): "2020-02-29T23:59:59Z",
    ("dateTime", "dayTimeDuration"): "2020-02-01T00:00:01Z",
    ("date", "duration"): "2020-02-29",
    ("date", "yearMonthDuration"): "2020-02-29",
    ("date", "dayTimeDuration"): "2020-01-31",
    ("time", "duration"): "00:00:01",
    ("time", "yearMonthDuration"): None,
    ("time", "dayTimeDuration"): "00:00:01",
}
"""What XPath adds; `time + duration` is Oxigraph's own, which takes the seconds of the duration."""


def expected(sign: str, one: str, other: str) -> str | None:
    """The result of two terms of these kinds: by the table, else what Oxigraph has for two constants."""
    moment = one if one in MOMENTS else other
    duration = other if one in MOMENTS else one
    if sign == "+" and (moment, duration) in SUMS:
        text = SUMS[moment, duration]
        return None if text is None else literal(moment, text)
    ((found,),) = cast(Any, ox.Store().query(f"SELECT ({TERMS[one]} {sign} {TERMS[other]} AS ?z) {{}}"))
    return None if found is None else str(found)


def read(text: str) -> Computed:
    (rule,) = parse(f"p() :- q(?x, ?y, ?z, ?d, ?sum0), {text} .").rules
    return rule.computed[0]


def results(computed: Computed, rows: Sequence[Sequence[str]]) -> dict[tuple[str, ...], str | None]:
    """The result of each row of inputs; None if it has none. Of a FILTER, the inputs themselves."""
    dictionary = Dictionary()
    keys = dictionary.intern([term for row in rows for term in row]).astype(np.int32).reshape(len(rows), -1)
    found = [dictionary.decode(row) for row in results_of(computed, keys, dictionary, lambda: None)]
    width = len(computed.inputs())
    return {tuple(row): None for row in rows} | {tuple(row[:width]): row[-1] for row in found}


@pytest.mark.parametrize("sign", "+-")
def test_all_pairs_of_datatypes_in_both_orders_as_variables_and_as_constants(sign: str) -> None:
    wanted = {(TERMS[one], TERMS[other]): expected(sign, one, other) for one, other in product(TERMS, TERMS)}
    for names in ("?x", "?y"), ("?y", "?x"), ("?z", "?sum0"), ("?d", "?z"):
        assert results(read(f"BIND({names[0]} {sign} {names[1]} AS ?n)"), list(wanted)) == wanted
    for constant in TERMS.values():
        rows = [(term,) for term in TERMS.values()]
        before = results(read(f"BIND({constant} {sign} ?x AS ?n)"), rows)
        assert before == {(term,): wanted[constant, term] for (term,) in rows}
        after = results(read(f"BIND(?x {sign} {constant} AS ?n)"), rows)
        assert after == {(term,): wanted[term, constant] for (term,) in rows}


def test_numbers_are_added_as_ever() -> None:
    least, day = literal("integer", "-9223372036854775808"), TERMS["date"]
    found = results(read("BIND(IF(?x + ?y < 0, ?d, ?x) AS ?n)"), [(least, literal("integer", "1"), day)])
    assert list(found.values()) == [day]


def test_a_sum_inside_an_expression() -> None:
    day, span = TERMS["dateTime"], TERMS["dayTimeDuration"]
    later, node = literal("dateTime", "2020-02-01T00:00:01Z"), "_:b"
    assert list(results(read("FILTER(?x + ?y = ?d)"), [(span, day, later)]).values()) == [later]
    assert list(results(read("FILTER(!(?x + ?y = ?d))"), [(span, day, later)]).values()) == [None]
    assert list(results(read("FILTER(?x + ?y = ?d && isBlank(?z))"), [(span, day, later, node)]).values()) == [node]
    assert list(results(read("BIND(IF(isBlank(?z), ?x + ?y, 1) AS ?n)"), [(node, span, day)]).values()) == [later]
    assert list(results(read('BIND(COALESCE(?x + ?y, "no") AS ?n)'), [(span, day)]).values()) == [later]
    cast = f"<{XSD}dayTimeDuration>(?x) + <{XSD}dateTime>(?y)"
    assert list(results(read(f"BIND({cast} AS ?n)"), [('"PT2S"', f'"{MOMENTS["dateTime"]}"')]).values()) == [later]
    made = f'STRDT(?x, IRI("{XSD}dayTimeDuration")) + STRDT(?y, IRI("{XSD}dateTime"))'
    assert list(results(read(f"BIND({made} AS ?n)"), [('"PT2S"', f'"{MOMENTS["dateTime"]}"')]).values()) == [later]


@pytest.mark.parametrize("part", range(4))
def test_operands_of_plus_may_change_places_and_variables_their_names(part: int) -> None:
    for seed in many_seeds(0, 40, part, 4):
        _swap(Random(seed))


def _swap(random: Random) -> None:
    one, other = _sum(random, 3)
    kinds = [*MOMENTS, *DURATIONS, "integer", "double"]
    rows = [tuple(TERMS[random.choice(kinds)] for _ in "xyz") for _ in range(20)]
    texts = [f"BIND(IF(BOUND(?x) && BOUND(?y) && BOUND(?z), {text}, 0) AS ?n)" for text in (one, other)]
    other_names = re.sub(r"\?[xyz]", lambda found: {"?x": "?z", "?y": "?d", "?z": "?y"}[found[0]], texts[1])
    first, second = (results(read(text), rows) for text in (texts[0], other_names))
    assert first == second, one


def _sum(random: Random, depth: int) -> tuple[str, str]:
    """A random expression, and the same one with operands of some sums in the other order."""
    if not depth or random.random() < 0.2:
        term = random.choice(["?x", "?y", "?z", TERMS["dayTimeDuration"], TERMS["dateTime"], "1"])
        return term, term
    (one, one_), (two, two_) = _sum(random, depth - 1), _sum(random, depth - 1)
    return random.choice(
        [
            (f"({one}) + ({two})", f"({two_}) + ({one_})"),
            (f"{one} + ({two})", f"({two_}) + ({one_})"),
            (f"({one}) - ({two})", f"({one_}) - ({two_})"),
            (f"COALESCE({one}, {two})", f"COALESCE({one_}, {two_})"),
            (f"IF({one} < {two}, {one}, {two})", f"IF({one_} < {two_}, {one_}, {two_})"),
        ]
    )


def test_a_long_sum_is_no_long_text() -> None:
    text = " + ".join(["?x", *["?y"] * 40])
    found = results(read(f"BIND({text} AS ?n)"), [(TERMS["dayTimeDuration"], TERMS["yearMonthDuration"])])
    assert list(found.values()) == [literal("duration", "P3Y4MT2S")]


def test_brackets_may_be_deep() -> None:
    day, span, depth = TERMS["dateTime"], TERMS["dayTimeDuration"], 400
    found = results(read(f"BIND({'(' * depth}?x + ?y{')' * depth} AS ?n)"), [(span, day)])
    assert list(found.values()) == [literal("dateTime", "2020-02-01T00:00:01Z")]


def test_rules_add_durations_to_moments() -> None:
    day, span = TERMS["dateTime"], TERMS["dayTimeDuration"]
    rules = f"""
        [?y, <e:r>, ?z] :- [?y, <e:v>, ?t], [?y, <e:d>, ?d], BIND(?t + ?d AS ?z) .
        [?y, <e:s>, ?z] :- [?y, <e:v>, ?t], [?y, <e:d>, ?d], BIND(?d + ?t AS ?z) .
        [?y, <e:t>, ?z] :- [?y, <e:v>, ?t], BIND(?t + {span} AS ?z) .
        [?y, <e:u>, ?z] :- [?y, <e:d>, ?d], BIND({day} + ?d AS ?z) .
    """
    with KnowledgeGraph.open(rules=["none"]) as graph:
        with graph.transaction() as tx:
            tx.add_rules(rules).add(f"<e:x> <e:v> {day} ; <e:d> {span} .")
        later = literal("dateTime", "2020-02-01T00:00:01Z")
        assert sorted(row[0].value for row in graph.select(f"SELECT ?p {{ ?x ?p {later} }}")) == [
            f"e:{c}" for c in "rstu"
        ]
        graph.remove(f"<e:x> <e:d> {span} .")
        assert [row[0].value for row in graph.select(f"SELECT ?p {{ ?x ?p {later} }}")] == ["e:t"]


def test_variables_may_have_the_names_that_queries_of_an_evaluation_use() -> None:
    rules = """[?row, <e:r>, ?sum0] :- [?row, <e:v>, ?result], BIND(?result + 1 AS ?sum0) .
        [?row, <e:s>, ?result] :- [?row, <e:v>, ?subject], BIND(?subject + 2 AS ?result), FILTER(?result > 0) ."""
    with KnowledgeGraph.open(rules=["none"]) as graph:
        with graph.transaction() as tx:
            tx.add_rules(rules).add("<e:x> <e:v> 1 . _:b <e:v> 1 .")
        assert graph.ask("ASK { <e:x> <e:r> 2 ; <e:s> 3 . ?b <e:r> 2 ; <e:s> 3 FILTER(isBlank(?b)) }")
