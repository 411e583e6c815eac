"""The Datalog oracle against results found another way: by hand, by Floyd and Warshall, by its own definitions."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgreason.rules import model
from tests.oracle.datalog import (
    Atom,
    Fact,
    Index,
    Rule,
    State,
    Var,
    close,
    derivations,
    materialize,
    stamp_of,
    violations,
)
from tests.strategies.programs import fact_sets, programs

X, Y, Z = Var("x"), Var("y"), Var("z")
EDGE_PATH = Rule((Atom("path", (X, Y)),), (Atom("edge", (X, Y)),))
PATH_EDGE = Rule((Atom("path", (X, Z)),), (Atom("path", (X, Y)), Atom("edge", (Y, Z))))
CLOSURE = [EDGE_PATH, PATH_EDGE]


def edges(*pairs: str) -> set[Fact]:
    return {("edge", tuple(pair)) for pair in pairs}


@given(st.sets(st.tuples(*[st.sampled_from("abcdef")] * 2)))
def test_transitive_closure_is_that_of_floyd_and_warshall(pairs: set[tuple[str, str]]) -> None:
    nodes = sorted({node for pair in pairs for node in pair})
    length = {(a, b): 1 if (a, b) in pairs else 99 for a in nodes for b in nodes}
    for via, a, b in product(nodes, repeat=3):
        length[a, b] = min(length[a, b], length[a, via] + length[via, b])
    expected = {pair: steps for pair, steps in length.items() if steps < 99}
    stamps = close([("edge", pair) for pair in pairs], CLOSURE)
    assert {terms: stamp for (relation, terms), stamp in stamps.items() if relation == "path"} == expected


def test_stamps_and_supports_of_a_diamond() -> None:
    state = materialize(edges("ab", "ac", "bd", "cd"), CLOSURE)
    assert state["edge", ("a", "b")] == State(0, 0, True)
    assert state["path", ("a", "b")] == State(stamp_of(1, 1), 1, False)
    assert state["path", ("a", "d")] == State(stamp_of(2, 2), 2, False)


def test_a_derivation_through_an_equal_or_newer_stamp_is_not_counted() -> None:
    state = materialize(edges("ab", "ba"), CLOSURE)
    assert state["path", ("a", "a")] == State(stamp_of(2, 1), 1, False)
    assert state["path", ("a", "b")] == State(stamp_of(1, 1), 1, False), "a-b-a-b comes later than a-b"


def test_of_two_facts_of_one_level_the_frailer_one_is_supported_by_the_other() -> None:
    one, two, weak, strong = ((name, ()) for name in ("one", "two", "weak", "strong"))
    bodies = [(strong, one), (strong, two), (weak, one), (weak, strong), (strong, weak)]
    state = materialize([one, two], [Rule((Atom(*head),), (Atom(*body),)) for head, body in bodies])
    assert state[strong] == State(128 + 125, 2, False)
    assert state[weak] == State(128 + 126, 2, False), "its derivation from `strong` counts, the other way round not"


@pytest.mark.parametrize(("derivations", "stamp"), [(1, 254), (2, 253), (126, 129), (127, 128), (1_000, 128)])
def test_no_fact_is_less_frail_than_with_127_derivations(derivations: int, stamp: int) -> None:
    facts: set[Fact] = {("p", (str(number),)) for number in range(derivations)}
    state = materialize(facts, [Rule((Atom("q", ()),), (Atom("p", (X,)),))])
    assert state["q", ()] == State(stamp, derivations, False)


def test_an_asserted_fact_has_stamp_0_and_counts_empty_bodies_alone() -> None:
    rules = [EDGE_PATH, Rule((Atom("path", ("a", "b")),), ())]
    state = materialize({*edges("ab"), ("path", ("a", "b"))}, rules)
    assert state["path", ("a", "b")] == State(0, 1, True)


def test_empty_bodies_fire_without_facts() -> None:
    rules = [Rule((Atom("go", ()), Atom("on", ("a",))), ()), Rule((Atom("gone", ()),), (Atom("go", ()),))]
    assert materialize([], rules) == {
        ("go", ()): State(stamp_of(1, 1), 1, False),
        ("on", ("a",)): State(stamp_of(1, 1), 1, False),
        ("gone", ()): State(stamp_of(2, 1), 1, False),
    }


def test_nothing_comes_of_nothing() -> None:
    assert close([], CLOSURE) == {}


def test_a_triple_and_a_ternary_atom_never_match() -> None:
    rules = [Rule((Atom("hit", (X,)),), (Atom(None, (X, Y, Z)),))]
    assert ("hit", ("a",)) not in close([("", ("a", "b", "c")), ("r", ("a", "b", "c"))], rules)
    assert ("hit", ("a",)) in close([(None, ("a", "b", "c"))], rules)


def test_one_name_serves_several_arities() -> None:
    assert close([("edge", ("a",)), ("edge", ("a", "b", "c"))], CLOSURE).keys() == {
        ("edge", ("a",)),
        ("edge", ("a", "b", "c")),
    }


def test_repeated_variables_and_constants_select() -> None:
    rules = [
        Rule((Atom("loop", (X,)),), (Atom("edge", (X, X)),)),
        Rule((Atom("from_a", (X,)),), (Atom("edge", ("a", X)),)),
    ]
    derived = close(edges("aa", "ab", "bc"), rules).keys() - edges("aa", "ab", "bc")
    assert derived == {("loop", ("a",)), ("from_a", ("a",)), ("from_a", ("b",))}


def test_the_variable_of_a_predicate_binds() -> None:
    rules = [Rule((Atom(None, (Y, X, Z)),), (Atom(None, (X, "inverse", X)), Atom(None, (Z, X, Y))))]
    assert (None, ("b", "p", "a")) in close([(None, ("p", "inverse", "p")), (None, ("a", "p", "b"))], rules)


def test_a_derivation_is_a_rule_with_a_substitution() -> None:
    twice = Rule((Atom("some", (X,)), Atom("some", (Y,))), (Atom("edge", (X, Y)),))
    state = materialize(edges("aa", "ab"), [twice])
    assert state["some", ("a",)].support == 2, "a-a gives both heads once, a-b the first"
    assert state["some", ("b",)].support == 1


def test_rules_that_differ_in_variable_names_are_one() -> None:
    renamed = Rule((Atom("path", (Z, X)),), (Atom("edge", (Z, X)),))
    assert materialize(edges("ab"), [EDGE_PATH, renamed]) == materialize(edges("ab"), [EDGE_PATH])
    labelled = Rule(EDGE_PATH.heads, EDGE_PATH.body, ("", "other"))
    assert materialize(edges("ab"), [EDGE_PATH, labelled])["path", ("a", "b")].support == 2


def test_an_unsafe_rule_is_refused() -> None:
    with pytest.raises(ValueError, match="no body atom binds"):
        close([], [Rule((Atom("path", (X, Y)),), (Atom("edge", (X, X)),))])


def test_rules_and_facts_of_the_model_are_taken_as_they_are() -> None:
    x, y = model.Variable("x"), model.Variable("y")
    rule = model.Rule((model.Atom("path", (y, x)),), (model.triple(x, "p", y),), name="turn")
    assert close([model.triple("a", "p", "b")], [rule])["path", ("b", "a")] == 1


@given(fact_sets(), programs())
def test_every_state_of_the_oracle_keeps_the_invariants(facts: set[model.Atom], rules: list[model.Rule]) -> None:
    assert violations(materialize(facts, rules), rules) == []


@given(fact_sets(), programs())
def test_a_level_is_one_more_than_the_best_derivation(facts: set[model.Atom], rules: list[model.Rule]) -> None:
    levels = close(facts, rules)
    best: dict[Fact, int] = {(fact.relation, fact.terms): 0 for fact in facts}  # type: ignore[misc]
    for derivation in derivations(Index(levels), [Rule(rule.heads, rule.body) for rule in map(_own, rules)]):
        level = 1 + max((levels[fact] for fact in derivation.body), default=0)
        for head in derivation.heads:
            best[head] = min(level, best.get(head, level))
    assert best == levels


def _own(rule: model.Rule) -> Rule:
    def atom(of: model.Atom) -> Atom:
        return Atom(of.relation, tuple(term if isinstance(term, str) else Var(term.name) for term in of.terms))

    return Rule(tuple(map(atom, rule.heads)), tuple(map(atom, rule.body)))


@given(fact_sets(), fact_sets(), programs())
def test_more_facts_never_take_one_away(facts: set[model.Atom], more: set[model.Atom], rules: list[model.Rule]) -> None:
    assert close(facts, rules).keys() <= close({*facts, *more}, rules).keys()


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        (State(stamp_of(1, 1), 2, False), "support 2, not 1"),
        (State(0, 0, False), "neither asserted nor supported"),
        (None, "derivable, but absent"),
    ],
)
def test_violations_are_found(changed: State | None, problem: str) -> None:
    state = materialize(edges("ab"), CLOSURE)
    fact = ("path", ("a", "b"))
    del state[fact]
    if changed is not None:
        state[fact] = changed
    assert any(found.startswith(problem) for found in violations(state, CLOSURE))
