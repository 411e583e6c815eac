"""CONSTRUCT and DESCRIBE give the triples of the graph as the graph writes them.

The model holds triples with terms as they are written. A triple of the graph is given in its asserted spellings, a
renamed one as the triple that gave its object, and a computed value as Oxigraph gives it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import partial
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyoxigraph
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import RdfFormat

from kgreason.errors import QueryTimeoutError
from kgreason.graph.constructed import speller, state_speller
from kgreason.graph.constructed.keyed_rows import KeyedRows
from kgreason.graph.fork import fork
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.rdf.writing import write_results
from kgreason.server.queries.child import _Reader, _results
from kgreason.store.spellings import normal_forms
from kgreason.terms.dictionary import Dictionary
from tests.graph.updates.test_as_written import GRAPHS, LITERALS, PEOPLE, PROPERTIES, SHOWN
from tests.graph.updates.test_updates import PREFIXES
from tests.tables import table
from tests.volume import many

XSD = "http://www.w3.org/2001/XMLSchema#"
E = "http://e/"
EVERYTHING = "CONSTRUCT WHERE { ?s ?p ?o }"
DATA = ':a :n "1"^^xsd:unsignedLong . :b :n "07"^^xsd:int . :c :n 7 , "x"@en , :d .'
Fact = tuple[str, str, str]
Facts = set[Fact]
Placed = tuple[str, str, str, str]
Ask = Callable[[str], Facts]


def construct(graph: KnowledgeGraph, sparql: str, **options: Any) -> Facts:
    return set(map(of, graph.construct(PREFIXES + sparql, **options)))


def of(triple: pyoxigraph.Triple | pyoxigraph.Quad) -> Fact:
    subject, predicate = (str(term)[1:-1].removeprefix(E) for term in (triple.subject, triple.predicate))
    return subject, predicate, str(triple.object)


def own(model: Facts, rows: Facts) -> Facts:
    """What the graph has in place of `rows`; a row that it does not have stays."""
    found = {row: {fact for fact in model if (*fact[:2], SHOWN[fact[2]]) == row} for row in rows}
    return {fact for row, facts in found.items() for fact in facts or {row}}


def spellings(facts: Facts) -> Facts:
    return {(s, p, SHOWN[o]) for s, p, o in facts}


def renamed(model: Facts, p: str, q: str) -> Facts:
    """Each `?s p ?o` as `?s q ?o`: as the graph writes it, if it has such a triple, else as `?s p ?o` is written."""
    rows = {(s, q, SHOWN[o]) for s, each, o in model if each == p}
    have = spellings(model)
    return own(model, rows & have) | {(s, q, o) for s, each, o in model if each == p and (s, q, SHOWN[o]) not in have}


def computed(model: Facts) -> Facts:
    """STR of each value of p, as a value of the new property m."""
    return {(s, "m", str(pyoxigraph.Literal(o.rpartition('"')[0][1:]))) for s, p, o in spellings(model) if p == "p"}


QUERIES: dict[str, Callable[[Facts], Facts]] = {
    EVERYTHING: lambda model: model,
    "DESCRIBE :a": lambda model: {fact for fact in model if fact[0] == "a"},
    "CONSTRUCT { ?s :m ?o } WHERE { ?s :p ?o }": lambda model: renamed(model, "p", "m"),
    "CONSTRUCT { ?s :m ?v . } { { ?s :p ?o } BIND(?o AS ?v) } LIMIT 99": lambda model: renamed(model, "p", "m"),
    "CONSTRUCT { ?s :q ?o } WHERE { ?s :p ?o }": lambda model: renamed(model, "p", "q"),
    "CONSTRUCT { ?s :m ?o . ?s :p ?o } WHERE { ?s :q ?o, ?n . FILTER(isLITERAL(?n)) }": lambda model: (
        renamed(model, "q", "m") | renamed(model, "q", "p")
    ),
    "CONSTRUCT { ?s :m ?v } WHERE { ?s :p ?o BIND(STR(?o) AS ?v) }": computed,
    "CONSTRUCT { :new :m ?o } WHERE { ?s :p ?o }": lambda model: {
        ("new", "m", o) for s, p, o in spellings(model) if p == "p"
    },
    "CONSTRUCT { ?s :m ?o } WHERE { { ?s :p ?o } UNION { ?s :q ?o } }": lambda model: {
        (s, "m", o) for s, p, o in spellings(model) if p in "pq"
    },
}
facts = st.tuples(*map(st.sampled_from, (PEOPLE, PROPERTIES, LITERALS)))


def turtle(some: Facts) -> str:
    return "".join(f"<{E}{s}> <{E}{p}> {o} .\n" for s, p, o in sorted(some))


def by_a_server(store: Path, commit: int) -> Ask:
    """Ask as a query process of a server does."""
    reader = _Reader(store)

    def ask(sparql: str) -> Facts:
        request = {"sparql": PREFIXES + sparql, "base": None, "prefixes": None}
        request |= {"default_graphs": None, "named_graphs": None}
        return set(map(of, _results(reader.store(commit), request, partial(reader.spell, None))))  # type: ignore[arg-type]

    return ask


@settings(max_examples=many(4))
@given(st.sets(facts, max_size=12), st.sets(facts, max_size=4), st.sets(facts, max_size=4), st.data())
def test_constructed_triples_are_written_as_in_a_model_of_terms(
    first: Facts, added: Facts, removed: Facts, data: st.DataObject
) -> None:
    queries = data.draw(st.lists(st.sampled_from(list(QUERIES)), min_size=3, max_size=3, unique=True))
    model = (first - removed) | added
    with TemporaryDirectory() as folder:
        store = Path(folder) / "s"
        with KnowledgeGraph.open(store, rules=["none"]) as graph:
            graph.add(turtle(first))  # a snapshot of this, and the others in the journal
        with KnowledgeGraph.open(store) as graph:
            with graph.transaction() as tx:
                for sign, some in ((tx.remove, removed & first), (tx.add, added)):
                    if some:
                        sign(turtle(some))
            for query in queries:
                expected = QUERIES[query](model)
                assert construct(graph, query) == expected, query
                assert by_a_server(store, graph.commit)(query) == expected, query
        with KnowledgeGraph.open(store, read_only=True) as graph:
            for query in queries:
                assert construct(graph, query) == QUERIES[query](model), query


RULES = [
    "[?s, <http://e/q>, ?o] :- [?s, <http://e/p>, ?o] .",
    "[?s, <http://e/r>, ?n] :- [?s, <http://e/p>, ?o], BIND(?o + 1 AS ?n) .",
]
SAME = f"<{E}a> <http://www.w3.org/2002/07/owl#sameAs> <{E}b> .\n"


@settings(max_examples=many(4))
@given(st.sets(facts, max_size=8), st.booleans(), st.booleans())
def test_asserted_spellings_go_before_inferred_ones(some: Facts, has_rules: bool, are_equal: bool) -> None:
    with TemporaryDirectory() as folder:
        store = Path(folder) / "s"
        with KnowledgeGraph.open(store, rules=["owl2rl"]) as graph:
            with graph.transaction() as tx:
                tx.add(turtle(some) + SAME * are_equal)
                for rule in RULES * has_rules:
                    tx.add_rules(rule)
            expected = visible(graph)
            assert construct(graph, EVERYTHING) == expected
        with KnowledgeGraph.open(store, read_only=True) as graph:  # answers from the snapshot, without the engine
            assert construct(graph, EVERYTHING) == expected
            assert graph._started is None
            assert by_a_server(store, graph.commit)(EVERYTHING) == expected


def visible(graph: KnowledgeGraph) -> Facts:
    """The asserted triples, and the inferred ones that stand in rows of Oxigraph without an asserted one."""
    asserted, present = (
        {of(q) for q in graph.match(asserted=each) if isinstance(q.graph_name, pyoxigraph.DefaultGraph)}
        for each in (True, False)
    )
    texts = list({o for _, _, o in present})
    forms = dict(zip(texts, normal_forms(texts), strict=True))
    rows = {(s, p, forms[o]) for s, p, o in asserted}
    return asserted | {(s, p, o) for s, p, o in present if (s, p, forms[o]) not in rows}


def test_each_door_and_each_format_writes_terms_as_written(tmp_path: Path) -> None:
    integer = f"{XSD}integer"
    written = {
        ("a", "n", f'"1"^^<{XSD}unsignedLong>'),
        ("b", "n", f'"07"^^<{XSD}int>'),
        ("c", "n", f'"7"^^<{integer}>'),
        ("c", "n", '"x"@en'),
        ("c", "n", f"<{E}d>"),
    }
    with KnowledgeGraph.open(tmp_path / "s", rules=["none"], history="all") as graph:
        graph.update(PREFIXES + f"INSERT DATA {{ {DATA} }}")
        assert construct(graph, EVERYTHING) == construct(graph, EVERYTHING, timeout=60) == written
        for suffix in ("nt", "ttl", "rdf", "jsonld", "n3"):
            write_results(graph.construct(EVERYTHING), out := BytesIO(), suffix)  # type: ignore[arg-type]
            form = RdfFormat.from_extension(suffix)
            assert {of(quad) for quad in pyoxigraph.parse(out.getvalue(), form)} == written, suffix
        graph.update(PREFIXES + "DELETE DATA { :b :n 7 }; INSERT DATA { :b :n 7.0 }")
        with graph.as_of(1) as past:
            assert construct(past, EVERYTHING) == written
    with fork(tmp_path / "s") as graph:
        assert ("b", "n", f'"7.0"^^<{XSD}decimal>') in construct(graph, EVERYTHING)


def test_a_query_does_not_wait_for_a_transaction_of_another_thread() -> None:
    found: list[Facts] = []
    with KnowledgeGraph.open(rules=["none"]) as graph:
        graph.update(PREFIXES + 'INSERT DATA { :b :n "07"^^xsd:int }')
        with graph.transaction() as tx:
            tx.remove((f"{E}b", f"{E}n", f'"07"^^<{XSD}int>'))
            thread = threading.Thread(target=lambda: found.append(construct(graph, EVERYTHING)))
            thread.start()
            thread.join()
            assert construct(graph, EVERYTHING) == {("b", "n", f'"07"^^<{XSD}int>')}
        assert found == [{("b", "n", f'"7"^^<{XSD}integer>')}]


def test_rows_read_after_a_later_commit_stay_as_the_query_gave_them() -> None:
    with KnowledgeGraph.open(rules=["none"]) as graph:
        graph.update(PREFIXES + 'INSERT DATA { :b :n "07"^^xsd:int }')
        triples = graph.construct(EVERYTHING)
        graph.update(PREFIXES + 'DELETE DATA { :b :n 7 }; INSERT DATA { :b :n "+7"^^xsd:int }')
        assert list(map(of, triples)) == [("b", "n", f'"7"^^<{XSD}integer>')]


@table(
    ("where", "is_kept"),
    [
        (":b :n ?o", True),
        (":b :n ?o FILTER(?o > 6)", True),
        (":b :n ?n BIND(?n + 0 AS ?o)", False),
        ("VALUES ?o { 7 }", False),
        ("{ :b :n ?o } UNION { BIND(3 + 4 AS ?o) }", False),
        (":b :n ?n BIND(STRDT(STR(?n), xsd:integer) AS ?o)", False),
    ],
)
def test_a_renamed_property_keeps_the_spelling_and_a_computed_value_does_not(where: str, is_kept: bool) -> None:
    with KnowledgeGraph.open(rules=["none"]) as graph:
        graph.update(PREFIXES + f"INSERT DATA {{ {DATA} }}")
        written = f'"07"^^<{XSD}int>' if is_kept else f'"7"^^<{XSD}integer>'
        assert construct(graph, f"CONSTRUCT {{ :b :m ?o }} WHERE {{ {where} }}") == {("b", "m", written)}


TWO = 'GRAPH :g { :a :p "x"@en-GB, "07"^^xsd:int } GRAPH :h { :a :p 7 , "x"@EN-gb . :b :p "y"@EN }'
ONLY_G = {("a", "p", '"x"@en-GB'), ("a", "p", f'"07"^^<{XSD}int>')}
ONLY_H = {("a", "p", '"x"@EN-gb'), ("a", "p", f'"7"^^<{XSD}integer>'), ("b", "p", '"y"@EN')}
SHOWN_BY_BOTH = {("a", "p", '"x"@en-gb'), ("a", "p", f'"7"^^<{XSD}integer>'), ("b", "p", '"y"@EN')}
ONLY_Y = ("b", "p", '"y"@EN')
TO_M = "CONSTRUCT { ?s :m ?o } "


def to_m(facts: Facts) -> Facts:
    return {(s, "m", o) for s, _, o in facts}


OF_GRAPHS: dict[str, Facts] = {
    "CONSTRUCT { ?s ?p ?o } WHERE { GRAPH :g { ?s ?p ?o } }": ONLY_G,
    "CONSTRUCT { ?s ?p ?o } { GRAPH <http://e/h> { ?s ?p ?o { } } . } LIMIT 9": ONLY_H,
    "CONSTRUCT { ?s ?p ?o } FROM :g WHERE { ?s ?p ?o }": ONLY_G,
    "CONSTRUCT FROM :h WHERE { ?s ?p ?o }": ONLY_H,
    "CONSTRUCT { ?s ?p ?o } FROM NAMED :g WHERE { GRAPH :g { ?s ?p ?o } }": ONLY_G,
    "DESCRIBE :a FROM :g": ONLY_G,
    "DESCRIBE ?s WHERE { GRAPH :g { ?s ?p ?o } }": ONLY_G | {fact for fact in ONLY_H if fact[0] == "a"},
    f"{TO_M} WHERE {{ GRAPH :h {{ ?s :p ?o }} }}": to_m(ONLY_H),
    f"{TO_M} FROM :g WHERE {{ ?s :p ?o }}": to_m(ONLY_G),
    f"{TO_M} WHERE {{ ?s :p ?o }}": to_m(ONLY_G | ONLY_H),
    "CONSTRUCT WHERE { ?s ?p ?o }": ONLY_G | ONLY_H,
    "CONSTRUCT { ?s ?p ?o } FROM :g FROM :h WHERE { ?s ?p ?o }": SHOWN_BY_BOTH,
    "CONSTRUCT { ?s ?p ?o } WHERE { GRAPH ?g { ?s ?p ?o } }": SHOWN_BY_BOTH,
    "CONSTRUCT { ?s ?p ?o } WHERE { GRAPH :g { ?s ?p ?o } GRAPH :g { ?s ?p ?o } }": SHOWN_BY_BOTH - {ONLY_Y},
    "CONSTRUCT { ?s ?p ?o } WHERE { GRAPH :g { ?s ?p ?o GRAPH :h { ?s ?p ?o } } }": SHOWN_BY_BOTH - {ONLY_Y},
}


def test_triples_of_a_named_graph_are_written_as_in_this_graph(tmp_path: Path) -> None:
    """Also if the graph is another one after the snapshot: a server knows the records of the last commits."""
    prefixed = {"default_graph": f"{E}g"}
    with KnowledgeGraph.open(tmp_path / "s", rules=["none"]) as graph:
        graph.update(PREFIXES + 'INSERT DATA { GRAPH :h { :a :p "7"^^xsd:long } GRAPH :g { :b :p "y"@EN } }')
    with KnowledgeGraph.open(tmp_path / "s") as graph:
        edit = f"DROP GRAPH :g ; DROP GRAPH :h ; INSERT DATA {{ {TWO} }}"
        graph.update(PREFIXES + edit)
        for query, expected in OF_GRAPHS.items():
            assert construct(graph, query) == expected, query
            assert by_a_server(tmp_path / "s", graph.commit)(query) == expected, query
        assert construct(graph, EVERYTHING, **prefixed) == ONLY_G
    with KnowledgeGraph.open(tmp_path / "t", rules=["none"]) as graph:
        graph.update(PREFIXES + f"INSERT DATA {{ {TWO} }}")
    with KnowledgeGraph.open(tmp_path / "t", read_only=True) as graph:
        for query, expected in OF_GRAPHS.items():
            assert construct(graph, query) == expected, query
        assert construct(graph, EVERYTHING, **prefixed) == ONLY_G
        assert graph._started is None


placed = st.sets(st.tuples(*map(st.sampled_from, (PEOPLE, PROPERTIES, LITERALS, GRAPHS))), max_size=12)


@settings(max_examples=many(1))
@given(placed, placed, placed)
def test_a_graph_is_exported_as_it_is(first: set[Placed], added: set[Placed], removed: set[Placed]) -> None:
    def text(some: set[Placed]) -> str:
        return "".join(f"{f'<{E}{g}>' * bool(g)} {{ <{E}{s}> <{E}{p}> {o} }}\n" for s, p, o, g in some)

    model = (first - removed) | added
    with TemporaryDirectory() as folder:
        store = Path(folder) / "s"
        with KnowledgeGraph.open(store, rules=["none"]) as graph:
            graph.add(text(first))
        with KnowledgeGraph.open(store, read_only=True) as graph:
            assert construct(graph, "CONSTRUCT FROM :g WHERE { ?s ?p ?o }") == {q[:3] for q in first if q[3] == "g"}
            assert construct(graph, EVERYTHING) == {q[:3] for q in first}
        with KnowledgeGraph.open(store) as graph, graph.transaction() as tx:
            if removed & first:
                tx.remove(text(removed & first))
            tx.add(text(added))
        with KnowledgeGraph.open(store) as graph:
            for ask in (by_a_server(store, graph.commit), partial(construct, graph)):
                for name in "gh":
                    export = f"CONSTRUCT {{ ?s ?p ?o }} WHERE {{ GRAPH :{name} {{ ?s ?p ?o }} }}"
                    assert ask(export) == {quad[:3] for quad in model if quad[3] == name}
                assert ask(EVERYTHING) == {quad[:3] for quad in model}


def hub(store: Path, count: int) -> None:
    with KnowledgeGraph.open(store, rules=["none"]) as graph:
        graph.add("".join(f'<{E}a> <{E}p> "0{i}"^^<{XSD}int> .\n' for i in range(count)))


def test_each_object_of_a_hub_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hub(tmp_path / "s", 200)
    read: list[str] = []

    def noted(texts: Sequence[str]) -> list[str]:
        read.extend(texts)
        return normal_forms(texts)

    monkeypatch.setattr(state_speller, "normal_forms", noted)
    with KnowledgeGraph.open(tmp_path / "s", read_only=True) as graph:
        assert {o for _, _, o in construct(graph, EVERYTHING)} == {f'"0{i}"^^<{XSD}int>' for i in range(200)}
        assert sorted(read) == sorted(f'"0{i}"^^<{XSD}int>' for i in range(200))
        monkeypatch.setattr(state_speller, "_MOST", 100)
        graph._speller._known._size = 0  # type: ignore[union-attr]
        assert len(construct(graph, EVERYTHING)) == 200


def test_a_timeout_ends_the_spelling(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hub(tmp_path / "s", 9)
    now = [0.0]

    def slow(texts: Sequence[str]) -> list[str]:
        now[0] += 61
        return normal_forms(texts)

    monkeypatch.setattr(speller, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(state_speller, "normal_forms", slow)
    with KnowledgeGraph.open(tmp_path / "s", read_only=True) as graph:
        triples = graph.construct(EVERYTHING, timeout=60)
        assert next(triples).object.datatype.value == f"{XSD}int"  # type: ignore[union-attr]
        with pytest.raises(QueryTimeoutError, match="longer than 60 s"):
            next(triples)
        assert len(construct(graph, EVERYTHING)) == 9


def test_a_server_without_memory_for_the_state_gives_normal_forms(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> Any:
        raise MemoryError

    hub(tmp_path / "s", 1)
    monkeypatch.setattr(state_speller, "normal_forms", fail)
    assert by_a_server(tmp_path / "s", 1)(EVERYTHING) == {("a", "p", f'"0"^^<{XSD}integer>')}


def test_an_answer_from_the_snapshot_keeps_it_after_a_commit(tmp_path: Path) -> None:
    hub(tmp_path / "s", 9)
    with KnowledgeGraph.open(tmp_path / "s") as graph:
        triples = graph.construct(EVERYTHING)
        first = of(next(triples))
        graph.update(PREFIXES + 'DELETE DATA { :a :p 8 } ; INSERT DATA { :a :p "+8"^^xsd:int }')
        assert {first, *map(of, triples)} == {("a", "p", f'"0{i}"^^<{XSD}int>') for i in range(9)}


@given(st.data())
@settings(max_examples=many(10))
def test_keyed_rows_are_those_with_the_keys_and_a_literal(data: st.DataObject) -> None:
    dictionary = Dictionary()
    texts = ["<e:a>", '"x"', "_:b", '"y"@en', "<<( <e:a> <e:a> <e:a> )>>"]
    ids = dictionary.intern(texts).tolist()
    some = data.draw(st.lists(st.tuples(*[st.sampled_from(ids)] * 4), max_size=20))
    rows = np.array(some, dtype=np.int32).reshape(-1, 4)
    table = KeyedRows(rows, 1, dictionary)
    literals = {ids[1], ids[3], ids[4]}
    for _ in range(7):
        wanted = data.draw(st.sets(st.tuples(st.sampled_from(ids), st.sampled_from(ids)), max_size=4))
        keys = np.unique(np.array([s << 32 | p for s, p in wanted], dtype=np.int64))
        found = sorted(map(tuple, table.rows_with(keys, lambda: None).tolist()))
        assert found == sorted(row for row in some if row[1:3] in wanted and row[3] in literals)


@pytest.mark.parametrize("name", ["x@Foo", "x'@Foo"])
def test_a_property_that_looks_like_a_tag_may_be_renamed_to(name: str) -> None:
    with KnowledgeGraph.open(rules=["none"]) as graph:
        graph.update(f'{PREFIXES}INSERT DATA {{ :b :p "07"^^xsd:int }}')
        found = construct(graph, f"CONSTRUCT {{ ?s <{E}{name}> ?o }} WHERE {{ ?s :p ?o }}")
        assert found == {("b", name, f'"07"^^<{XSD}int>')}
