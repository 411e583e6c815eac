"""IDIV is the quotient rounded towards zero, MOD is what is left: as XPath has it, for numbers of any size."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from math import trunc

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kgreason import KnowledgeGraph
from kgreason.errors import RuleSyntaxError
from kgreason.materialize.expressions import reals
from kgreason.materialize.operators.evaluation import results_of
from kgreason.rules.model import Computed, Variable
from kgreason.rules.parser import parse
from kgreason.rules.srl.writer import format_as
from kgreason.terms.dictionary import Dictionary
from kgreason.terms.vocabulary import XSD_DECIMAL, XSD_DOUBLE, XSD_INTEGER

A, B, RESULT = Variable("a"), Variable("b"), Variable("result")
_SIZES = st.sampled_from([10, 1_000, 10**8, 10**9, 2**63, 10**40])
INTEGERS = _SIZES.flatmap(lambda size: st.integers(-size, size))
PLACES = st.integers(0, 20)


def value(name: str, one: str, other: str) -> str | None:
    """What a rule makes of `name(one, other)`, two literals."""
    dictionary = Dictionary(())
    keys = dictionary.intern([one, other]).astype(np.int32).reshape(1, 2)
    rows = results_of(Computed((name, "(", A, ",", B, ")"), RESULT), keys, dictionary, lambda: None)
    return dictionary.decode(rows[:, 2])[0] if len(rows) else None


def _literal(number: int, places: int) -> tuple[str, Fraction]:
    if not places:
        return f'"{number}"^^{XSD_INTEGER}', Fraction(number)
    text = format(Decimal(number).scaleb(-places), "f")
    return f'"{text}"^^{XSD_DECIMAL}', Fraction(text)


@given(INTEGERS, st.just(0) | PLACES, INTEGERS, st.just(0) | PLACES)
@example(9223372036854775806, 0, 9223372036854775807, 0)
@example(-9223372036854775808, 0, -1, 0)
@example(10**30 - 1, 0, 10**30, 0)
@example(-7, 0, 2, 0)
@example(7, 1, -2, 0)
def test_a_number_is_the_divisor_times_the_quotient_and_the_rest(one: int, i: int, other: int, j: int) -> None:
    (left, a), (right, b) = _literal(one, i), _literal(other, j)
    found = [value(name, left, right) for name in ("IDIV", "MOD")]
    if not b:
        assert found == [None, None]
        return
    whole = trunc(a / b)
    quotient, rest = (number for text in found if text and (number := reals.read(text)))
    assert (quotient.kind, quotient.value) == (reals.INTEGER, whole)
    assert (rest.kind, Fraction(rest.value)) == (reals.DECIMAL if i or j else reals.INTEGER, a - b * whole)


@pytest.mark.parametrize("double", ["7.5", "-7.5", "1e30", "INF", "NaN"])
def test_doubles_give_integers_or_nothing(double: str) -> None:
    found = value("IDIV", f'"{double}"^^{XSD_DOUBLE}', f'"2"^^{XSD_INTEGER}')
    number = float(double.replace("INF", "inf"))
    assert found == (f'"{trunc(number / 2)}"^^{XSD_INTEGER}' if abs(number) < float("inf") else None)


def test_rounding_down_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def rounded_down(name: str, first: reals.Number, second: reals.Number) -> reals.Number:
        return reals.Number(reals.INTEGER, Decimal(int(first.value) // int(second.value)))

    monkeypatch.setattr(reals, "divide", rounded_down)
    with pytest.raises(AssertionError):
        test_a_number_is_the_divisor_times_the_quotient_and_the_rest.hypothesis.inner_test(-(10**30), 0, 7, 0)  # type: ignore[attr-defined]


def test_they_stand_anywhere_in_an_expression_and_in_an_aggregate() -> None:
    rules = """
        odd(?x) :- n(?x), FILTER(?x > 0 && MOD(?x + IDIV(1, 2), MOD(8, 3)) = 1) .
        tens(?s) :- AGGREGATE(n(?x), FILTER(!(mod(?x, 2) = 0)) BIND SUM(IDIV(?x, 10) * 2) AS ?s) .
    """
    with KnowledgeGraph.open(rules=["none"]) as graph:
        with graph.transaction() as tx:
            tx.add_rules(rules)
            tx.relation("n").insert([(13,), (21,), (22,), (35,)])
        assert len(list(graph.relation("odd").facts())) == 3
        (row,) = graph.relation("tens").facts()
        assert str(row[0]) == f'"12"^^{XSD_INTEGER}'
        assert "MOD(13 + IDIV(1, 2), MOD(8, 3))" in re.sub(
            r'"(\d+)"\^\^<[^>]*>', r"\1", graph.relation("odd").explain((13,)).to_text()
        )


def test_sparql_rl_has_what_they_stand_for() -> None:
    program = parse(
        "[?x, <urn:p>, ?y] :- [?x, <urn:q>, ?v], NOT EXISTS ([?x, <urn:r>, ?v], FILTER(MOD(?v, 2) = 1)), "
        "BIND(IDIV(?v, 3) AS ?y) ."
    )
    text = format_as(program, "srl", lambda text: parse(text, syntax="srl"))
    assert "MOD" not in text
    assert "IDIV" not in text
    with pytest.raises(RuleSyntaxError, match="MOD is no function of SPARQL"):
        parse("CONSTRUCT { ?x <urn:p> ?y } WHERE { ?x <urn:q> ?v BIND(MOD(?v, 2) AS ?y) }", syntax="rq")


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("IDIV(?x)", "IDIV takes 2 arguments, and 1 is given"),
        ("1 + MOD(?x, 1, 2)", "MOD takes 2 arguments, and 3 are given"),
        ("?x MOD 2", r"\?x MOD 2 is no SPARQL expression"),
        ("?x % 2", r"% is no operator: write MOD\(\?x, \?y\)"),
        ("MOD(?x, " * 11 + "2" + ")" * 11, "more than 10 of"),
    ],
)
def test_a_mistake_is_named(expression: str, words: str) -> None:
    with pytest.raises(RuleSyntaxError, match=words):
        parse(f"p(?y) :- q(?x), BIND({expression} AS ?y) .")
