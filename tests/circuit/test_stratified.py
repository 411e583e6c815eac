"""Rules with NOT, FILTER, BIND and AGGREGATE in the three circuits: what each commit changes, by example."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kgreason.circuit import kit
from kgreason.circuit.functions import Functions, Values
from kgreason.circuit.kit import Direction, Prefix, Query
from kgreason.circuit.reference import ReferenceCircuit
from kgreason.circuit.zset import plus
from kgreason.errors import RuleError, StratificationError
from kgreason.rules.model import DATA, Aggregate, Atom, Computed, Not, Rule, triple
from kgreason.rules.parser import parse
from tests.circuit.following import KINDS, Kind, by_definition
from tests.circuit.programs import CHAIN, CLOSURE, X, Y, Z, edge, path
from tests.histories.functions import FUNCTIONS
from tests.oracle.aggregates import number

every_kind = pytest.mark.parametrize("kind", KINDS)
LAST = Rule((Atom("last", (Y,)),), (edge(X, Y),), negated=(Not((edge(Y, Z),), (Z,)),))


def rules(text: str, sign: int = 1) -> dict[Rule, int]:
    return dict.fromkeys(parse(f"@prefix : <http://e/> . {text}").rules, sign)


def unary(relation: str, *terms: str) -> set[Atom]:
    return {Atom(relation, (term,)) for term in terms}


def circuit_of(kind: Kind) -> ReferenceCircuit:
    return ReferenceCircuit(kind, by_definition(FUNCTIONS))


@every_kind
def test_an_absent_fact_derives(kind: Kind) -> None:
    circuit = circuit_of(kind)
    assert circuit.commit(CHAIN, {LAST: 1}).keys() - CHAIN.keys() == unary("last", "d")
    assert circuit.commit({edge("d", "e"): 1}, {}) == {
        edge("d", "e"): 1, Atom("last", ("d",)): -1, Atom("last", ("e",)): 1
    }  # fmt: skip
    assert circuit.commit({edge("d", "f"): 1}, {}) == {edge("d", "f"): 1, Atom("last", ("f",)): 1}
    assert circuit.commit({edge("d", "e"): -1}, {}) == {edge("d", "e"): -1, Atom("last", ("e",)): -1}
    assert circuit.commit({}, {LAST: -1}) == {Atom("last", ("f",)): -1}


@every_kind
def test_a_stratum_reads_the_model_below(kind: Kind) -> None:
    """Nodes that do not reach d, and then nodes that all of these reach."""
    program = {
        **CLOSURE,
        **rules("far(?x) :- edge(?x, ?y), NOT path(?x, :d) . near(?x) :- path(?z, ?x), NOT far(?x), NOT far(?z) ."),
    }
    goal = {edge("c", "d"): -1, edge("c", "<http://e/d>"): 1}
    circuit = circuit_of(kind)
    circuit.commit({**CHAIN, **goal, edge("d", "x"): 1}, program)
    assert {fact for fact in circuit.facts() if fact.relation == "far"} == unary("far", "d")
    assert circuit.levels()[-2:] == [unary("far", "d"), unary("near", "b", "c", "<http://e/d>")]
    assert circuit.commit({edge("b", "c"): -1}, {}) == {
        **dict.fromkeys([edge("b", "c"), path("b", "c"), path("a", "c")], -1),
        **dict.fromkeys([path("b", "<http://e/d>"), path("a", "<http://e/d>")], -1),
        Atom("far", ("a",)): 1,
        **dict.fromkeys(unary("near", "b", "c"), -1),
    }


@every_kind
def test_a_stratum_may_come_late_and_rules_move_up(kind: Kind) -> None:
    circuit = circuit_of(kind)
    circuit.commit(CHAIN, {})
    assert circuit.commit({}, {LAST: 1}) == {Atom("last", ("d",)): 1}
    assert circuit.commit({}, rules("lost(?x) :- edge(?x, ?y), NOT last(?x) .")) == dict.fromkeys(
        unary("lost", *"abc"), 1
    )
    # `last` now waits for `hidden`, and `lost` for `last`: both go up by one.
    derived = Rule((edge("d", "e"),), (edge("a", "b"),))
    assert circuit.commit({}, {derived: 1}) == {
        edge("d", "e"): 1, Atom("last", ("d",)): -1, Atom("last", ("e",)): 1, Atom("lost", ("d",)): 1
    }  # fmt: skip
    assert circuit.commit({edge("a", "b"): -1, edge("e", "e"): 1}, {}) == {
        **dict.fromkeys([edge("a", "b"), edge("d", "e")], -1),
        Atom("last", ("e",)): -1, Atom("last", ("d",)): 1, edge("e", "e"): 1, Atom("lost", ("a",)): -1,
        Atom("lost", ("d",)): -1, Atom("lost", ("e",)): 1,
    }  # fmt: skip
    assert circuit.commit({}, {derived: -1}) == {}


@every_kind
def test_a_filter_and_an_assignment(kind: Kind) -> None:
    circuit = circuit_of(kind)
    circuit.commit({Atom("p", (number(n),)): 1 for n in (1, 4, 5, 6)} | {Atom("p", ("<http://e/a>",)): 1}, {})
    steps = Computed((X, "+", "1"), Y), Computed((Y, ">=", "-2", "&&", Y, "<", "6"))
    count = Rule((Atom("p", (Y,)),), (Atom("p", (X,)),), computed=steps)
    assert circuit.commit({}, {count: 1}).keys() == unary("p", *map(number, range(2, 4)))
    assert circuit.commit({Atom("p", (number(1),)): -1}, {}).keys() == unary("p", *map(number, range(1, 4)))


@every_kind
def test_a_function_may_have_many_results(kind: Kind) -> None:
    def expression(computed: Computed, values: Values) -> Iterator[str]:
        yield from "".join(values.values())

    circuit = ReferenceCircuit(kind, Functions(expression, lambda *_: None))
    split = Rule((Atom("q", (X, Y)),), (Atom("p", (X,)),), computed=(Computed((X,), Y),))
    assert circuit.commit({Atom("p", ("aba",)): 1, Atom("p", ("",)): 1}, {split: 1}).keys() == {
        *unary("p", "aba", ""), Atom("q", ("aba", "a")), Atom("q", ("aba", "b"))
    }  # fmt: skip
    assert circuit.commit({Atom("p", ("aba",)): -1}, {}).keys() == {
        *unary("p", "aba"), Atom("q", ("aba", "a")), Atom("q", ("aba", "b"))
    }  # fmt: skip


@every_kind
def test_the_value_of_a_group_is_replaced(kind: Kind) -> None:
    circuit = circuit_of(kind)
    program = rules("""
        n(?x, ?n) :- AGGREGATE(edge(?x, ?y) ON ?x BIND COUNT(*) AS ?n) .
        all(?n) :- AGGREGATE(n(?x, ?c) BIND SUM(?c) AS ?n) .
        max(?n) :- AGGREGATE(n(?y, ?c) BIND MAX(?c) AS ?n) .
        most(?x) :- n(?x, ?n), max(?n) .
    """)
    circuit.commit(CHAIN, program)
    assert unary("all", number(3)) | unary("most", *"abc") <= circuit.facts()
    assert circuit.commit({edge("b", "x"): 1}, {}) == {
        edge("b", "x"): 1,
        Atom("n", ("b", number(1))): -1, Atom("n", ("b", number(2))): 1,
        Atom("all", (number(3),)): -1, Atom("all", (number(4),)): 1,
        Atom("max", (number(1),)): -1, Atom("max", (number(2),)): 1,
        Atom("most", ("a",)): -1, Atom("most", ("c",)): -1,
    }  # fmt: skip
    gone = circuit.commit(dict.fromkeys([*CHAIN, edge("b", "x")], -1), {})
    assert set(gone.values()) == {-1}
    assert circuit.facts() == set()


@every_kind
def test_asserted_triples(kind: Kind) -> None:
    circuit = circuit_of(kind)
    told, p, q = "<http://e/told>", "<http://e/p>", "<http://e/q>"
    program = rules("""
        [?x, :p, ?y] :- [?x, :q, ?y] . [?x, :told, ?y] :- DATA [?x, :p, ?y] .
        guess(?x) :- [?x, :p, ?y], NOT DATA [?x, :p, ?y] .
    """)
    circuit.commit({triple("a", q, "b"): 1}, program)
    assert circuit.facts() == {triple("a", q, "b"), triple("a", p, "b"), *unary("guess", "a")}
    changes = {triple("a", told, "b"): 1, Atom("guess", ("a",)): -1}
    assert circuit.commit({triple("a", p, "b"): 1}, {}) == changes
    assert circuit.commit({triple("a", p, "b"): -1}, {}) == {fact: -weight for fact, weight in changes.items()}
    assert not any(fact.relation == DATA for fact in circuit.facts())


@every_kind
def test_a_program_without_strata_changes_nothing(kind: Kind) -> None:
    circuit = circuit_of(kind)
    circuit.commit(CHAIN, {LAST: 1})
    before = circuit.levels()
    with pytest.raises(StratificationError):
        circuit.commit({edge("d", "e"): 1}, rules("edge(?x, ?x) :- edge(?x, ?y), NOT last(?x) ."))
    assert circuit.levels() == before
    assert circuit.commit({edge("d", "a"): 1}, {}) == {edge("d", "a"): 1, Atom("last", ("d",)): -1}


@every_kind
def test_a_function_that_raises_undoes_the_commit(kind: Kind) -> None:
    """Also a commit that needs a stratum more: the stratum sees all facts at the next commit."""
    raised = [False]

    def expression(computed: Computed, values: Values) -> tuple[str, ...]:
        if raised:
            raise ValueError(raised.pop())
        return (*values.values(), "")

    circuit = ReferenceCircuit(kind, Functions(expression, lambda *_: None))
    above = Rule((Atom("found", (X,)),), (edge(X, Y),), computed=(Computed((X,), Z),), negated=(Not((path(Y, X),)),))
    circuit.commit(CHAIN, CLOSURE)
    before = circuit.levels()
    raised[:] = [True]
    with pytest.raises(ValueError, match="True"):
        circuit.commit({edge("d", "a"): 1}, {above: 1})
    assert circuit.levels() == before
    assert circuit.commit({edge("d", "e"): 1}, {above: 1}).keys() == {
        edge("d", "e"), *(path(x, "e") for x in "abcd"), *unary("found", *"abcd")
    }  # fmt: skip


@every_kind
def test_many_strata_need_no_deep_stack(kind: Kind) -> None:
    count = 25
    circuit = circuit_of(kind)
    program = rules(" ".join(f"p{n + 1}(?x) :- d(?x), NOT p{n}(?x) ." for n in range(count)))
    circuit.commit({Atom("d", ("a",)): 1}, program)
    held = {fact.relation for fact in circuit.facts()}
    assert held == {"d", *(f"p{n}" for n in range(1, count + 1, 2))}
    circuit.commit({Atom("p0", ("a",)): 1}, {})
    assert {fact.relation for fact in circuit.facts()} == {"d", *(f"p{n}" for n in range(0, count + 1, 2))}


def test_functions_must_be_given() -> None:
    circuit = ReferenceCircuit()
    for text in ("p(?x) :- q(?x), FILTER(?x < 1) .", "p(?n) :- AGGREGATE(q(?x) BIND COUNT(*) AS ?n) ."):
        with pytest.raises(RuleError, match="this circuit has no functions"):
            circuit.commit({}, rules(f"@rule r {text}"))
    assert circuit.commit({edge("a", "b"): 1}, {LAST: 1}) == {edge("a", "b"): 1, Atom("last", ("b",)): 1}


RULE = Rule(
    (Atom("s", (X,)),),
    (edge(X, Y),),
    computed=(Computed((X, "<", Y)),),
    negated=(Not((edge(Y, Z), path(Z, X)), (Z,)),),
    aggregates=(Aggregate((path(X, Z),), (Computed((Z, "<", "1")),), (X,), "COUNT", None, Y),),
)


def test_the_kit_of_a_rule_that_says_everything() -> None:
    (atom,), (aggregate,), (computed,), (negated,) = RULE.body, RULE.aggregates, RULE.computed, RULE.negated
    body: Prefix = (atom, aggregate, computed, negated)
    program = {RULE: 2}
    for place, kind in enumerate((Atom, Aggregate, Computed, Not)):
        assert kit.directions(program, kind) == {Direction(body[:place], body[: place + 1]): 2}
    assert kit.signals(program) == {kit.Signal(body, RULE.heads[0]): 2}
    under: Prefix = negated.atoms
    inside: Prefix = (*aggregate.atoms, *aggregate.computed)
    assert kit.queries(program, Not) == {Query(under, negated): 2}
    assert kit.queries(program, Aggregate) == {Query(inside, aggregate): 2}
    inner = kit.inner_bodies(program)
    assert kit.directions(inner) == {
        Direction((), under[:1]): 2, Direction(under[:1], under): 2, Direction((), inside[:1]): 2
    }  # fmt: skip
    assert kit.directions(inner, Computed) == {Direction(inside[:1], inside): 2}


def test_the_inner_kit_is_linear_in_the_program() -> None:
    a, b = {RULE: 1, LAST: 2}, {LAST: -1}
    assert kit.inner_bodies(plus(a, b)) == plus(kit.inner_bodies(a), kit.inner_bodies(b))
    assert kit.queries(plus(a, b), Not) == plus(kit.queries(a, Not), kit.queries(b, Not))
