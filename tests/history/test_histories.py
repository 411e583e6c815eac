"""Random histories: the graph as of every commit is the graph of then, and changes are the difference of two states."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from kgreason.graph.changes.delta import Delta
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.options import SameAsMode
from tests.graph.histories import Edit, histories
from tests.graph.views import Lines, View, lasting, lines, view
from tests.oracle.tables.table8 import value
from tests.volume import many

SAME_AS = "<http://www.w3.org/2002/07/owl#sameAs>"
FACTS = ("<urn:a>", "<urn:b>", '"5"^^<http://www.w3.org/2001/XMLSchema#integer>')


class State(NamedTuple):
    """What a graph shows after a commit, and the facts of its relations."""

    seen: View
    facts: tuple[frozenset[str], frozenset[str]]
    own: frozenset[str]


def state(graph: KnowledgeGraph) -> State:
    facts = [frozenset(graph.dump_relations(asserted=each)) for each in (True, False)]
    seen = lasting(view(graph))
    seen.stats.pop("hidden", None)
    return State(seen, (facts[0], facts[1]), frozenset(str(rule) for rule in graph.own_rules()))


def check_state(graph: KnowledgeGraph, wanted: State, number: int) -> None:
    """Check that a graph shows a state.

    Before its first commit a graph has not begun to list rules and to count. Helper facts (`hidden`) may stay longer
    than they are needed.
    """
    seen = state(graph)
    if not number:
        seen, wanted = (each._replace(seen=each.seen._replace(rules=(), stats={})) for each in (seen, wanted))
    for name in View._fields:
        if name != "contradictions":
            assert getattr(seen.seen, name) == getattr(wanted.seen, name), name
    assert named(seen.seen) == named(wanted.seen)
    assert [(each.facts, each.own) for each in (seen, wanted)] == 2 * [(wanted.facts, wanted.own)]


def check_same(graph: KnowledgeGraph, wanted: State, number: int, same_as: SameAsMode) -> None:
    """Check that a graph shows a state that it had before.

    Which of equal terms is the representative depends on the order of edits. So if users see representatives alone, the
    triples are compared after the first term of each clique has taken the place of the others.
    """
    if same_as != "representatives":
        check_state(graph, wanted, number)
        return
    seen = state(graph)
    assert (seen.seen.quads, seen.seen.asserted, seen.own) == (wanted.seen.quads, wanted.seen.asserted, wanted.own)
    assert folded(seen.seen) == folded(wanted.seen)


def named(seen: View) -> set[tuple[str, tuple[str, ...], frozenset[tuple[str, ...]]]]:
    """The contradictions of a view over the first term of each clique: a contradiction names a representative."""
    first = first_terms([*triples_of(seen), *(fact.terms for each in seen.contradictions for fact in each.facts)])
    return {
        (each.rule, over(first, each.terms), frozenset(over(first, fact.terms) for fact in each.facts))
        for each in seen.contradictions
    }


def over(first: dict[str, str], terms: Iterable[object]) -> tuple[str, ...]:
    """The terms, each as the first term of its clique."""
    return tuple(first.get(str(term), str(term)) for term in terms)


def folded(seen: View) -> set[tuple[str, ...]]:
    """The triples of a view over the first term of each clique."""
    found = triples_of(seen)
    first = first_terms(found)
    return {over(first, triple) for triple in found}


def triples_of(seen: View) -> list[tuple[str, ...]]:
    """The triples of a view, as terms."""
    return [tuple(line.removesuffix(" .").split(" ", 2)) for line in seen.asserted | seen.inferred]


def first_terms(found: Iterable[Iterable[object]]) -> dict[str, str]:
    """For each term of some facts the first term of its clique.

    Literals with the same value are one clique, although no triple says so.
    """
    facts = [tuple(map(str, terms)) for terms in found]
    first = {term: term for terms in facts for term in terms}
    spellings: dict[object, str] = {}
    literals = sorted(term for term in first if term.startswith('"'))
    links = [(term, spellings.setdefault(value(term), term)) for term in literals if value(term) is not None]
    links += [(terms[0], terms[2]) for terms in facts if len(terms) == 3 and terms[1] == SAME_AS]
    for _ in first:
        for one, other in links:
            first[one] = first[other] = min(first[one], first[other])
    return first


def commit(graph: KnowledgeGraph, edit: Edit, number: int) -> None:
    """Make an edit; every second commit also edits a relation that the user's rules know."""
    with graph.transaction({"number": str(number)}) as tx:
        edit.tell(tx)
        relation = tx.relation("near", 2)
        if number % 2:
            relation.insert([(FACTS[number % 3], FACTS[1])])
        else:
            relation.delete([(FACTS[(number - 1) % 3], FACTS[1])])


def lines_of(delta: Delta, *, appeared: bool, asserted: bool | None) -> Lines:
    triples = (delta.appeared if appeared else delta.disappeared)(asserted=asserted)
    return frozenset(f"{' '.join(triple)} ." for triple in triples)


def check_changes(graph: KnowledgeGraph, states: list[State], m: int, n: int) -> None:
    """The delta of two commits is the difference of their states."""
    before, after = states[m].seen, states[n].seen
    delta = graph.changes(m, n)
    was, is_ = before.asserted | before.inferred, after.asserted | after.inferred
    assert lines_of(delta, appeared=True, asserted=True) == after.asserted - was
    assert lines_of(delta, appeared=True, asserted=False) == after.inferred - was
    assert lines_of(delta, appeared=False, asserted=True) == before.asserted - is_
    assert lines_of(delta, appeared=False, asserted=False) == before.inferred - is_
    turned = frozenset(f"{' '.join(triple)} ." for triple in delta.turned(asserted=True))
    assert turned == before.inferred & after.asserted
    removed, added = delta.lines([delta.removed_quads], [delta.added_quads])
    assert lines([added]) == after.quads - before.quads
    assert lines([removed]) == before.quads - after.quads
    come, gone = set[str](), set[str]()
    for name in delta.relations:
        for arity in (1, 2):
            changed = delta.relation(name, arity)
            come |= {f"{name}({', '.join(terms)}) ." for terms in changed.appeared()}
            gone |= {f"{name}({', '.join(terms)}) ." for terms in changed.disappeared()}
    old, new = (states[number].facts[0] | states[number].facts[1] for number in (m, n))
    assert come == new - old
    assert gone == old - new
    assert sum(sign for sign, _ in delta.rules) == len(states[n].own) - len(states[m].own)


@contextmanager
def folder(on_disk: bool) -> Iterator[Path | None]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name) / "store" if on_disk else None


def check_history(edits: list[Edit], same_as: SameAsMode, on_disk: bool, checkpoint: int, reopened: int) -> None:
    with folder(on_disk) as path:
        graph = KnowledgeGraph.open(path, same_as=same_as, history="all")
        states = [state(graph)]
        for number, edit in enumerate(edits, 1):
            commit(graph, edit, number)
            states.append(state(graph))
            if on_disk and number == checkpoint:
                graph._committer().checkpoint()
            if on_disk and number == reopened:
                graph.close()
                graph = KnowledgeGraph.open(path)
        with graph:
            assert [head.commit for head in graph.log()] == list(range(len(edits), 0, -1))
            for n, wanted in enumerate(states):
                with graph.as_of(n) as past:
                    assert past.commit == n
                    check_same(past, wanted, n, same_as)
                check_changes(graph, states, n, len(edits))
                check_changes(graph, states, len(edits), n)
                check_changes(graph, states, n // 2, n)
            for number, delta in enumerate(graph.deltas_since(0), 1):
                assert delta.commit == number
            for n in range(len(edits), 0, -1):
                assert not graph.revert(n).conflicts
                check_same(graph, states[n - 1], n - 1, same_as)


def example(name: str) -> str:
    return f"<http://example.org/{name}>"


def quad(subject: str, predicate: str, value: str) -> tuple[str, str, str, str]:
    return subject, example("p") if predicate == "p" else owl(predicate), value, example("g1")


def owl(name: str) -> str:
    return f"<http://www.w3.org/2002/07/owl#{name}>"


LINK = quad(example("p"), "equivalentProperty", example("q"))
RENAMED = [
    Edit(
        (),
        (
            (example("j"), example("p"), example("i"), None),
            (example("p"), "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>", owl("InverseFunctionalProperty"), None),
            LINK,
            ("_:m", example("p"), example("i"), None),
            quad(example("p"), "propertyDisjointWith", example("q")),
            quad(example("i"), "p", "_:m"),
        ),
        (),
        ("same",),
    ),
    Edit((LINK,), (), (), ()),
]


def test_a_contradiction_may_name_another_representative_after_a_revert() -> None:
    """The clique was i, j and m. When it comes back, its representative can be another one of them."""
    check_history(RENAMED, "aliases", False, 0, 0)


INTEGER = "^^<http://www.w3.org/2001/XMLSchema#integer>"
ONE = ("_:m", example("p"), f'"1"{INTEGER}', example("g2"))
SPELLED = [
    Edit((), (ONE, (example("j"), example("q"), '"1.0"^^<http://www.w3.org/2001/XMLSchema#decimal>', None)), (), ()),
    Edit((), ((example("j"), example("q"), f'"01"{INTEGER}', None),), (), ()),
    Edit((ONE,), (), (), ()),
]


def test_a_value_may_have_another_spelling_in_the_past() -> None:
    """The literals "1", "1.0" and "01" are one value. As of a commit another one of them can stand for it."""
    check_history(SPELLED, "representatives", True, 0, 0)


@pytest.mark.parametrize("same_as", ["aliases", "rules", "representatives"])
@settings(max_examples=many(7), phases=[Phase.reuse, Phase.generate])  # shrinking takes minutes
@given(histories(steps=6), st.booleans(), st.integers(0, 7), st.integers(0, 7))
def test_histories(same_as: SameAsMode, edits: list[Edit], on_disk: bool, checkpoint: int, reopened: int) -> None:
    check_history(edits, same_as, on_disk, checkpoint, reopened)
