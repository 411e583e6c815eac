"""`on_contradiction="refuse"`: a commit that raises a new contradiction is rolled back, and the error names it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, given, settings

from kgreason.errors import ContradictionError, InputError, StoreError
from kgreason.graph.fork import fork
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.graph.transaction import Transaction
from kgreason.options import SchemaMode
from kgreason.proofs.contradiction import Contradiction
from kgreason.terms import vocabulary as v
from tests.oracle.graph import Triple
from tests.strategies.ontologies import graphs
from tests.volume import many

HEAD = f"@prefix : <http://e/> . @prefix owl: <{v.OWL}> . @prefix rdfs: <{v.RDFS}> .\n"
SCHEMA = HEAD + ":Cat owl:disjointWith :Dog . :Siamese rdfs:subClassOf :Cat ."
RULE = "@prefix : <http://e/> . @rule {} false :- [?x, :barks, ?y], NOT [?x, a, :Dog] ."


def graph_with(*items: str, **options: Any) -> KnowledgeGraph:
    graph = KnowledgeGraph.open(on_contradiction="refuse", **options)
    for item in items:
        graph.add(HEAD + item)
    return graph


def state(graph: KnowledgeGraph) -> object:
    """Everything that a refused commit must leave as it was."""
    committer = graph._started
    assert committer is not None
    saved = committer.materializer.save()
    records = sorted(tuple(np.trim_zeros(row, "b").tolist()) for row in saved.records)  # tables may have become wider
    return records, len(committer.materializer.dictionary), sorted(map(str, graph.rules())), b"".join(graph.dump())


def check_refused(graph: KnowledgeGraph, edit: Callable[[KnowledgeGraph], object], *words: str) -> ContradictionError:
    before, number = state(graph), graph._home.last
    with pytest.raises(ContradictionError) as caught:
        edit(graph)
    assert state(graph) == before
    assert graph._home.last == number
    for word in words:
        assert word in str(caught.value)
    assert "\n" not in str(caught.value)
    return caught.value


@pytest.mark.parametrize("schema", ["axioms", "data"])
def test_a_new_contradiction_is_refused_by_name(schema: Any) -> None:
    with graph_with(SCHEMA, ":tom a :Siamese .", schema=schema) as graph:
        error = check_refused(
            graph,
            lambda graph: graph.add(HEAD + ":tom a :Dog . :rex a :Dog ."),
            "the commit raises a contradiction, and has changed nothing: cax-dw: <http://e/tom> is in",
            "which are disjoint",
        )
        (told,) = error.contradictions
        assert told.rule == "cax-dw"
        assert graph.add(HEAD + ":rex a :Dog .").commit == 3
        assert graph.contradictions() == []


def test_the_first_commit_is_refused_as_well(tmp_path: Path) -> None:
    file = tmp_path / "wrong.ttl"
    file.write_text(SCHEMA + " :tom a :Cat, :Dog . :kim a :Cat, :Dog .")
    for path in (None, tmp_path / "store"):
        with KnowledgeGraph.open(path, on_contradiction="refuse") as graph:
            with pytest.raises(ContradictionError, match=r"raises 2 contradictions, .* nothing: .*; and 1"):
                graph.load(file)
            assert (len(graph), graph._home.last) == (0, 0)
            graph.add(SCHEMA)
            assert len(graph) > 0


def _in_a_transaction(edit: Callable[[Transaction], object]) -> Callable[[KnowledgeGraph], object]:
    def commit(graph: KnowledgeGraph) -> None:
        with graph.transaction() as tx:
            edit(tx)

    return commit


@pytest.mark.parametrize(
    "edit",
    [
        lambda graph: graph.update("INSERT DATA { <http://e/tom> a <http://e/Dog> }"),
        lambda graph: graph.update(
            "INSERT DATA { <http://e/tom> <http://e/b> 1 } ; INSERT { ?x a <http://e/Dog> } WHERE { ?x <http://e/b> 1 }"
        ),
        lambda graph: graph.add(HEAD + ":Dog owl:equivalentClass :Siamese ."),
        lambda graph: graph.remove(HEAD + ":rex a :Dog ."),
        _in_a_transaction(lambda tx: tx.add_rules("@rule r false :- [?x, a, <http://e/Siamese>] .")),
        _in_a_transaction(lambda tx: tx.add(HEAD + ":tom owl:sameAs :rex .")),
    ],
    ids=["update", "two updates", "schema", "removal", "rules", "equal"],
)
@pytest.mark.parametrize("strategy", ["update", "bootstrap"])
def test_every_kind_of_edit_may_be_refused(edit: Callable[[KnowledgeGraph], object], strategy: Any) -> None:
    with graph_with(SCHEMA, ":tom a :Siamese . :rex a :Dog ; :barks 1 .", strategy=strategy) as graph:
        with graph.transaction() as tx:
            tx.add_rules(RULE.format("barks"))
        check_refused(graph, edit)


def test_a_contradiction_that_comes_and_goes_in_an_update_is_not_refused() -> None:
    insert, delete = (f"{word} DATA {{ <http://e/tom> a <http://e/Dog> }}" for word in ("INSERT", "DELETE"))
    where = "INSERT { ?x <http://e/was> 1 } WHERE { ?x a <http://e/Dog> }"
    with graph_with(SCHEMA, ":tom a :Siamese .") as graph:
        graph.update(f"{insert} ; {where} ; {delete}")
        assert ("http://e/tom", "http://e/was", 1) in graph


def _contradictory(path: Path) -> None:
    """A store that has a contradiction already, as an older version or a change by hand left it, and refuses more."""
    with KnowledgeGraph.open(path) as graph:
        graph.add(SCHEMA + " :tom a :Cat, :Dog .")
    manifest = path / "kgreason.json"
    assert '"keep"' in manifest.read_text()
    manifest.write_text(manifest.read_text().replace('"keep"', '"refuse"'))


@pytest.mark.parametrize("strategy", ["update", "bootstrap"])
def test_an_old_contradiction_does_not_refuse(tmp_path: Path, strategy: Any) -> None:
    _contradictory(tmp_path)
    with KnowledgeGraph.open(tmp_path, strategy=strategy) as graph:
        graph.add(HEAD + ":kim a :Siamese .")
        graph.add(HEAD + ":tom a :Siamese . :tim owl:sameAs :tom . :al owl:sameAs :tom .")
        graph.add(HEAD + ":Hound rdfs:subClassOf :Dog . :tom a :Hound .")
        assert len(graph.contradictions()) == 1
        check_refused(graph, lambda graph: graph.add(HEAD + ":kim a :Dog ."), "kim")
        graph.remove(HEAD + ":tom a :Dog, :Hound .")
        assert graph.contradictions() == []
        check_refused(graph, lambda graph: graph.add(HEAD + ":tom a :Dog ."))


def test_an_old_contradiction_by_another_rule_is_the_same(tmp_path: Path) -> None:
    _contradictory(tmp_path)
    with KnowledgeGraph.open(tmp_path) as graph:
        graph.add(HEAD + ":Dog owl:sameAs :Hund .")  # generic rules take the place of those of the axioms
        assert len(graph.contradictions()) == 1


@pytest.mark.parametrize("same_as", ["aliases", "representatives", "rules"])
def test_each_pair_of_equal_terms_that_are_different_is_new(tmp_path: Path, same_as: Any) -> None:
    with KnowledgeGraph.open(tmp_path, same_as=same_as) as graph:
        graph.add(HEAD + ":a owl:sameAs :b, :c ; owl:differentFrom :b . :d owl:differentFrom :c .")
    manifest = tmp_path / "kgreason.json"
    manifest.write_text(manifest.read_text().replace('"keep"', '"refuse"'))
    with KnowledgeGraph.open(tmp_path) as graph:
        _start(graph)
        check_refused(graph, lambda graph: graph.add(HEAD + ":c owl:differentFrom :a ."), "eq-diff1: ")
        check_refused(graph, lambda graph: graph.add(HEAD + ":d owl:sameAs :b ."), "eq-diff1: ")
        graph.add(HEAD + ":e owl:sameAs :b .")


@pytest.mark.parametrize("mode", ["keep", "refuse"])
def test_a_what_if_tells(mode: Any) -> None:
    with KnowledgeGraph.open(on_contradiction=mode) as graph:
        graph.add(SCHEMA + " :tom a :Siamese .")
        with graph.what_if() as tx:
            tx.add(HEAD + ":tom a :Dog .")
        assert [told.rule for told in tx.delta.contradictions] == ["cax-dw"]
        with graph.what_if() as tx:
            tx.add(HEAD + ":tom a :Cat .")
        assert tx.delta.contradictions == ()
        assert graph.add(HEAD + ":rex a :Dog .").contradictions == ()


def test_a_what_if_tells_what_is_new(tmp_path: Path) -> None:
    _contradictory(tmp_path)
    with KnowledgeGraph.open(tmp_path, read_only=True) as graph:
        with graph.what_if() as tx:
            tx.add(HEAD + ":kim a :Cat, :Dog . :al owl:sameAs :tom .")
        assert [str(told).split(" ")[1] for told in tx.delta.contradictions] == ["<http://e/kim>"]


def test_the_store_keeps_the_option(tmp_path: Path) -> None:
    with KnowledgeGraph.open(tmp_path, on_contradiction="refuse") as graph:
        graph.add(SCHEMA + " :tom a :Cat .")
    with KnowledgeGraph.open(tmp_path) as graph:
        check_refused(
            _start(graph), lambda graph: graph.update("INSERT DATA { <http://e/tom> a <http://e/Dog> }"), "cax-dw"
        )
    with pytest.raises(StoreError, match="made with on_contradiction refuse, which cannot be changed; leave on_contra"):
        KnowledgeGraph.open(tmp_path, on_contradiction="keep")
    KnowledgeGraph.open(tmp_path, on_contradiction="refuse").close()
    with fork(tmp_path) as graph:
        check_refused(graph, lambda graph: graph.add(HEAD + ":tom a :Dog ."))


def _start(graph: KnowledgeGraph) -> KnowledgeGraph:
    graph._committer()
    return graph


def test_a_wrong_option_is_an_error() -> None:
    with pytest.raises(InputError, match="on_contradiction 'no': it must be one of keep, refuse"):
        KnowledgeGraph.open(on_contradiction="no")  # type: ignore[arg-type]


def test_a_commit_without_contradictions_looks_at_no_fact(monkeypatch: pytest.MonkeyPatch) -> None:
    with graph_with(SCHEMA, ":tom a :Siamese .") as graph:
        graph.add(HEAD + ":b a :Cat .")
        materializer = graph._committer().materializer
        monkeypatch.setattr(materializer, "save", lambda: pytest.fail("a pass over the facts"))
        graph.add(HEAD + ":a a :Cat . :a owl:sameAs :b .")
        graph.remove(HEAD + ":a a :Cat .")


@pytest.mark.parametrize("schema", ["axioms", "data"])
@settings(max_examples=many(5), phases=[phase for phase in Phase if phase is not Phase.shrink])
@given(before=graphs(), after=graphs())
def test_a_random_commit_is_refused_if_contradictions_are_new(
    schema: SchemaMode, before: set[Triple], after: set[Triple]
) -> None:
    """Against a graph that keeps contradictions: what it lists after the commit, and did not list before it."""
    first, then = ([each for each in triples if not each[0].startswith('"')] for triples in (before, after - before))
    with KnowledgeGraph.open(schema=schema) as kept, KnowledgeGraph.open(schema=schema) as graph:
        for each in (kept, graph):
            _assert(each, first)
        graph._committer()._refuses = True  # as a store that has contradictions already
        old, state_before = set(kept.contradictions()), state(graph)
        _assert(kept, then)
        new = set(kept.contradictions()) - old
        told = _refusals(graph, then)
        assert set(told) <= new
        if told:
            assert state(graph) == state_before
        else:
            assert graph.contradictions() == kept.contradictions()
            known = {key for each in old for key in _keys(each)}
            names = [each for each in new if known.isdisjoint(_keys(each))]
            assert not names or any(v.OWL_SAME_AS in line.decode() for line in kept.dump())


def _keys(told: Contradiction) -> set[object]:
    """What makes two contradictions the same one."""
    return {(told.rule, told.terms), (told.rule, frozenset(told.facts))}


def _refusals(graph: KnowledgeGraph, triples: list[Triple]) -> tuple[Contradiction, ...]:
    """The contradictions for which a commit is refused."""
    try:
        _assert(graph, triples)
    except ContradictionError as error:
        return error.contradictions
    return ()


def _assert(graph: KnowledgeGraph, triples: list[Triple]) -> None:
    with graph.transaction() as tx:
        tx.add_lines("".join(f"{' '.join(triple)} .\n" for triple in sorted(triples)).encode())
