"""A commit leaves the parts alone that its rows do not concern: the facts are those of asking every part each time."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kgreason.engine.changes import Changes
from kgreason.errors import StratificationError
from kgreason.materialize.edit import Change, Edit, Facts
from kgreason.materialize.materializer import Materializer
from kgreason.materialize.quads.asserted_quads import AssertedChange
from kgreason.materialize.selection import select
from kgreason.options import SameAsMode, SchemaMode
from kgreason.rules.parser import parse
from kgreason.terms.vocabulary import XSD
from tests.oracle.graph import Triple
from tests.oracle.notation import term
from tests.volume import many

OWN = parse(f"""
    @prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix xsd: <{XSD}> .
    @rule integer [?x, a, :N] :- [?x, :p, ?y], [?y, a, xsd:integer] .
    @rule string [?x, a, :S] :- [?x, :p, ?y], [?y, a, xsd:string] .
    @rule types [?x, :has, ?c] :- [?x, a, ?c] .
    @rule named [?x, a, :A] :- [?x, :p, :b] .
    @rule one [?x, a, :One] :- [?x, :p, 1] .
    @rule linked [?x, :near, ?y] :- [?x, owl:sameAs, ?y] .
    @rule derived [?x, owl:sameAs, ?y] :- [?x, :same, ?y] .
    @rule typed [?y, a, xsd:integer] :- [?x, :q, ?y] .
    @rule alone [?x, a, :Alone] :- [?x, :p, ?y], NOT [?x, :q, ?y] .
    @rule counted [?x, :count, ?n] :- AGGREGATE([?x, :q, ?y] ON ?x BIND COUNT(?y) AS ?n) .
    @rule least [?x, :least, ?y] :- AGGREGATE([?x, :same, ?z], [?x, :p, ?n] ON ?x BIND MIN(?n) AS ?y) .
    @rule shouted [?x, :loud, ?t] :- [?x, :same, ?y], BIND(UCASE(STR(?y)) AS ?t) .
    @rule room [?x, :in, ?r] :- [?x, :q, ?y], BIND(SKOLEM("room", ?x) AS ?r) .
    @rule said [?x, :said, ?y] :- DATA [?x, :p, ?y], NOT [?y, a, :A] .
""").rules
NAMES = [term(name) for name in ("a", "b", "c", "A", "B", "p", "q", "same")]
INTEGER, STRING = f"<{XSD}integer>", f"<{XSD}string>"
LITERALS = ['"x"', '"x"@en', f'"x"^^<{XSD}token>', *(f'"{text}"^^{INTEGER}' for text in ("1", "01", "2", "x"))]
PREDICATES = [
    *(term(name) for name in ("p", "q", "same")),
    *map(term, ("owl:sameAs", "rdf:type", "rdfs:subClassOf", "rdfs:domain", "rdfs:range", "rdfs:subPropertyOf")),
]
triples = st.tuples(
    st.sampled_from(NAMES),
    st.sampled_from(PREDICATES),
    st.sampled_from([*NAMES, *LITERALS, INTEGER, STRING, term("owl:FunctionalProperty")]),
)
graphs = st.sampled_from(["", "", "", "<http://e/g>"])
quads = st.frozensets(st.tuples(triples, graphs), max_size=4)


class Step(NamedTuple):
    """One change of a commit: what it removes and adds, the user's rules from now on, and how the commit goes on."""

    removed: frozenset[tuple[Triple, str]]
    added: frozenset[tuple[Triple, str]]
    own: frozenset[int] | None
    end: str


steps = st.builds(
    Step,
    quads,
    quads,
    st.none() | st.frozensets(st.integers(0, len(OWN) - 1)),
    st.sampled_from(["accept", "accept", "accept", "rollback", "go on"]),
)


def adding(*added: tuple[str, str, str | int], own: AbstractSet[int] | None = None) -> Step:
    """A commit that adds triples of names, or of the numbers of literals, and has these rules from now on."""
    texts = (tuple(LITERALS[each] if isinstance(each, int) else term(each) for each in row) for row in added)
    rows = frozenset(((s, p, o), "") for s, p, o in texts)
    return Step(frozenset(), rows, None if own is None else frozenset(own), "accept")


class Asking(Materializer):
    """Asks the parts for equal terms and for literals and the operators in every commit."""

    def _concerns_operators(self, asserted: AssertedChange, facts: Facts) -> bool:
        return super()._concerns_operators(asserted, facts) or True

    def _note_parts_with_work(self, is_linked: bool, has_datatype: bool, changes: Changes | None = None) -> None:
        super()._note_parts_with_work(is_linked, has_datatype, changes)
        if self.equality:
            self._touched[self.equality] = None
        if self.literals:
            self._touched[self.literals] = None
            self.datatypes_in_use(self.literals)


def take(materializer: Materializer, step: Step) -> Change | str:
    """Carry out a step; the change, or the error. A commit that is rolled back forgets its terms, as a graph does."""
    known = len(materializer.dictionary)
    removed, added = (
        materializer.dictionary.intern(text for triple, graph in sorted(part) for text in (*triple, graph or "-"))
        .reshape(-1, 4)
        .copy()
        for part in (step.removed - step.added, step.added)
    )
    for part in (removed, added):
        part[part[:, 3] == materializer.dictionary.find(["-"])[0], 3] = 0
    own = None if step.own is None else tuple(OWN[number] for number in sorted(step.own))
    try:
        change = materializer.change(Edit(removed, added, own), strategy="update")
    except StratificationError as error:
        materializer.rollback()
        return str(error)
    if step.end == "accept":
        materializer.accept()
    elif step.end == "rollback":
        materializer.rollback()
        if not removed.size or removed.max() <= known:
            materializer.dictionary.truncate(known)
    return change


def parts_of(change: Change | str) -> object:
    """All of a change, as values that can be compared."""
    if isinstance(change, str):
        return change
    return [np.asarray(part).tolist() for part in change[:6]], change.work


def state(materializer: Materializer) -> tuple[object, ...]:
    """Facts with stamps and supports, flags, rules and warnings."""
    saved = materializer.save()
    records = saved.records[np.lexsort(saved.records.T)]
    return (
        records.tolist(),
        materializer.flags,
        set(materializer.rules),
        materializer.warnings,
        materializer.dictionary.decode(range(len(materializer.dictionary))),
    )


@pytest.mark.parametrize(
    ("schema", "same_as"), [("axioms", "aliases"), ("axioms", "rules"), ("data", "representatives")]
)
@settings(max_examples=many(5), deadline=None)
@example(history=[adding(("a", "q", 2)), adding(own={7})]).via("a literal gets a type that it does not have")
@example(history=[adding(("a", "p", 3)), adding(own={0})]).via("a rule asks for another datatype")
@example(history=[adding(("a", "same", "b"), own={6}), adding(("a", "p", "c"))]).via("a row of a clique")
@example(history=[adding(("a", "p", 3), ("a", "p", 4)), adding(own={4})]).via("a rule brings a spelling of a literal")
@example(history=[adding(own={8}), adding(("a", "q", "b")), adding(("a", "p", "b"))]).via("a negated fact comes first")
@example(history=[adding(("q", "rdfs:subPropertyOf", "p"), own={8, 9}), adding(("a", "q", "b"))]).via("derived")
@example(history=[adding(("a", "q", "b"), own={12}), adding(("a", "owl:sameAs", "c"))]).via("a blank node of equals")
@example(history=[adding(("a", "p", "b"), own={13}), adding(("b", "rdf:type", "A"))]).via("DATA and NOT")
@given(history=st.lists(steps, max_size=7))
def test_a_part_that_is_not_asked_has_nothing_to_say(
    schema: SchemaMode, same_as: SameAsMode, history: list[Step]
) -> None:
    selection = select(["owl2rl"], schema, same_as)
    lives = Materializer(selection), Asking(selection)
    for step in history:
        one, other = (take(materializer, step) for materializer in lives)
        assert parts_of(one) == parts_of(other)
        assert state(lives[0]) == state(lives[1])


def test_a_fact_of_iris_touches_the_engine_alone() -> None:
    materializer = Materializer(select(["owl2rl"]))
    first, second = (
        Step(frozenset(), frozenset([((term(name), term("p"), term("b")), "")]), None, "accept") for name in "ac"
    )
    take(materializer, first)
    take(materializer, second)
    assert [*materializer._touched] == [materializer.engine]


def test_a_fact_that_no_operator_reads_asks_no_operator() -> None:
    materializer = Materializer(select(["owl2rl"]))
    take(materializer, adding(("a", "p", "b"), own={8, 9, 10, 11, 12}))
    take(materializer, adding(("a", "rdf:type", "B")))
    assert materializer.operators not in materializer._touched
    take(materializer, adding(("a", "q", "c")))
    assert materializer.operators in materializer._touched


@pytest.mark.parametrize("number", range(8, 14))
def test_a_fact_that_an_operator_reads_asks_the_operators(number: int) -> None:
    materializer = Materializer(select(["owl2rl"]))
    take(materializer, adding(own={number}))
    take(materializer, adding(("a", "p", "b"), ("a", "q", "b"), ("a", "same", "b")))
    assert materializer.operators in materializer._touched
