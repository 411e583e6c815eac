"""Results that go along with the facts of an edit: the rules run once, and nothing is computed twice."""

from __future__ import annotations

from collections.abc import Iterator
from unittest.mock import patch

import pytest

from kgreason import KnowledgeGraph
from kgreason.engine.engine import Engine
from kgreason.materialize.operators import evaluation, functions
from kgreason.zset.columns import Int32
from tests.expressions.test_language import NAMES, graph, objects


class Seen:
    """How often the engine ran, and which inputs were evaluated."""

    def __init__(self) -> None:
        self.runs, self.inputs = 0, list[list[int]]()


@pytest.fixture
def seen() -> Iterator[Seen]:
    found = Seen()
    apply, evaluated = Engine.apply, evaluation.results_of

    def applied(*arguments: object, **named: object) -> None:
        found.runs += 1
        apply(*arguments, **named)  # type: ignore[arg-type]

    def noted(computed: object, keys: Int32, *others: object) -> Int32:
        found.inputs += keys.tolist()
        return evaluated(computed, keys, *others)  # type: ignore[arg-type]

    with patch.object(Engine, "apply", applied), patch.object(functions, "results_of", noted):
        yield found


def test_a_filter_over_one_atom_takes_one_run(seen: Seen) -> None:
    with graph("[?x, a, :Big] :- [?x, :n, ?v], FILTER(?v > 5) .") as found:
        seen.runs = 0
        found.add(":a :n 7 . :b :n 3 .", prefixes=NAMES)
        assert seen.runs == 1
        assert len(seen.inputs) == 2
        assert objects(found, "http://www.w3.org/1999/02/22-rdf-syntax-ns#type")


def test_values_of_derived_facts_take_a_further_run(seen: Seen) -> None:
    """Rules derive :m, and two atoms say what :near asks for, so both take a further run."""
    rules = (
        "[?x, :m, ?v] :- [?x, :n, ?v] . [?x, :big, ?v] :- [?x, :m, ?v], FILTER(?v > 5) . "
        "[?x, :near, ?w] :- [?x, :n, ?v], [?x, :k, ?w], FILTER(?v > ?w) ."
    )
    with graph(rules) as found:
        seen.runs = 0
        found.add(":a :n 7 ; :k 2 . :b :n 3 .", prefixes=NAMES)
        assert seen.runs == 2
        assert len(objects(found, ":big")) == len(objects(found, ":near")) == 1


def test_a_rebuilt_graph_computes_only_what_is_new(seen: Seen) -> None:
    """A Bootstrap shows all facts again; results that an earlier commit computed are not computed once more."""
    with KnowledgeGraph.open(rules=["none"], strategy="bootstrap") as found:
        with found.transaction() as transaction:
            transaction.add_rules("[?x, a, <http://e/Big>] :- [?x, <http://e/n>, ?v], FILTER(?v > 5) .")
        found.add(":a :n 7 . :b :n 3 .", prefixes=NAMES)
        seen.inputs = []
        found.add(":c :n 8 .", prefixes=NAMES)
        assert len(seen.inputs) == 1


def test_values_that_a_dropped_attempt_foresaw_are_computed_again() -> None:
    """An update makes a rule with an expression and takes it back in one commit. The next commit has the rule again."""
    prefixes = "PREFIX : <http://e/> PREFIX swrl: <http://www.w3.org/2003/11/swrl#> "
    prefixes += "PREFIX swrlb: <http://www.w3.org/2003/11/swrlb#>"
    rule = """:x a swrl:Variable . :n a swrl:Variable .
        :h a swrl:ClassAtom ; swrl:classPredicate :Adult ; swrl:argument1 :x .
        :age1 a swrl:DatavaluedPropertyAtom ; swrl:propertyPredicate :age ; swrl:argument1 :x ; swrl:argument2 :n .
        :old a swrl:BuiltinAtom ; swrl:builtin swrlb:greaterThan ; swrl:arguments ( :n 17 ) .
        :adult swrl:head ( :h ) ; swrl:body ( :age1 :old ) ."""
    with KnowledgeGraph.open() as found:
        found.update(f"{prefixes} INSERT DATA {{ {rule} }}")
        found.update(
            f"{prefixes} INSERT DATA {{ :adult a swrl:Imp . :tom :age 30 }} ; DELETE DATA {{ :adult a swrl:Imp }} ;"
            " INSERT { :m :n :o } WHERE { :tom :age ?n }"
        )
        assert not found.ask("ASK { :tom a :Adult }", prefixes=NAMES)
        found.update(f"{prefixes} INSERT DATA {{ :adult a swrl:Imp }}")
        assert found.ask("ASK { :tom a :Adult }", prefixes=NAMES)
