"""What a knowledge graph stores: the closure in the default graph, quads in named ones, terms as they were written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings

from kgreason.errors import StoreError
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.graph.results.answers import Solutions
from kgreason.graph.state.statistics import COUNTS
from tests.graph.axioms.test_pieces import histories
from tests.graph.histories import Model
from tests.graph.states import as_written, in_default
from tests.graph.views import agrees, file_of, lines, normalize, quad_file, quads_in, rows, view
from tests.oracle import owl2rl
from tests.oracle.graph import Triple
from tests.oracle.notation import term, triples
from tests.oracle.tables import table8
from tests.strategies.ontologies import Quad, datasets, union
from tests.volume import many

ONTOLOGY = """
A rdfs:subClassOf B . p rdfs:domain A . q owl:inverseOf p . value rdf:type owl:FunctionalProperty .
_:r owl:onProperty value . _:r owl:hasValue "01"^^xsd:integer . B rdfs:subClassOf _:r . A owl:disjointWith C
"""
DATA = 'i p j . i p _:m . _:m q i . i value "01"^^xsd:integer . i value "1"^^xsd:integer . j rdf:type C . j rdf:type A'


@pytest.fixture(params=["memory", "disk"])
def graph(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[KnowledgeGraph]:
    """An empty graph, in memory or on disk."""
    with KnowledgeGraph.open(None if request.param == "memory" else tmp_path / "store") as opened:
        yield opened


def rdf(closure: set[Triple]) -> set[Triple]:
    """The triples that RDF allows."""
    return {(s, p, o) for s, p, o in closure if not s.startswith('"') and p.startswith("<")}


def expected_rows(quads: list[Quad]) -> set[Quad]:
    """The rows of the closure, and of the quads of named graphs."""
    return quads_in(normalize(Model(frozenset(quads)).lines()))


@settings(max_examples=many(5))
@given(pieces=histories())
def test_the_store_follows_every_load(tmp_path_factory: pytest.TempPathFactory, pieces: list[list[Quad]]) -> None:
    """In memory; pieces share blank nodes by being read from one file that changes."""
    path, loaded = tmp_path_factory.mktemp("files") / "data.nq", list[Quad]()
    with KnowledgeGraph.open() as graph:
        for piece in pieces:
            graph.load(quad_file(path, piece))
            loaded += piece
            assert quads_in(rows(graph)) == expected_rows(loaded)
            assert quads_in(lines(graph.dump(asserted=True, graphs=True))) == set(loaded)
            assert agrees(graph)


@settings(max_examples=8)
@given(quads=datasets())
def test_a_store_on_disk_is_the_same_when_it_is_opened_again(
    tmp_path_factory: pytest.TempPathFactory, quads: list[Quad]
) -> None:
    folder = tmp_path_factory.mktemp("store")
    path = quad_file(folder / "data.nq", quads[::2])
    with KnowledgeGraph.open(folder / "store") as graph:
        graph.load(path)
        first = view(graph)
    with KnowledgeGraph.open(folder / "store") as graph:
        assert view(graph) == first
        graph.load(quad_file(path, quads[1::2]))
        second = view(graph)
        assert quads_in(rows(graph)) == expected_rows(quads)
    with KnowledgeGraph.open(folder / "store", read_only=True) as graph:
        assert view(graph) == second
        assert agrees(graph)


def test_queries_read_the_closure(graph: KnowledgeGraph, tmp_path: Path) -> None:
    graph.load(file_of(tmp_path / "a.nq", ONTOLOGY), file_of(tmp_path / "b.nq", DATA))
    found = graph.query("SELECT ?x { ?x a <http://example.org/B> }")
    assert isinstance(found, Solutions)
    assert {as_written(str(solution["x"])) for solution in found} == {*map(term, "ij")}


def test_counts(graph: KnowledgeGraph, tmp_path: Path) -> None:
    """Facts are RDF triples; generalised triples and contradictions are counted apart."""
    text = "p owl:inverseOf q . A owl:disjointWith B . i p j . j rdf:type A . j rdf:type B"
    quads = [*in_default(triples(f'{text} . i p "1"')), ("<http://e/a>", "<http://e/p>", '"x"@en', "<http://e/g>")]
    stats = graph.load(quad_file(tmp_path / "a.nq", quads))
    closure = owl2rl.close(union(quads))[0]
    assert stats["asserted"] == len(quads)
    assert stats["facts"] == len(rdf(closure))
    assert stats["inferred"] == len(rdf(closure)) - len(quads)
    assert stats["hidden"] == len(closure - rdf(closure)) + stats["contradictions"]
    assert stats["contradictions"] == len(graph.contradictions()) == 1
    assert stats["named"] == 1
    assert graph.contradictions()[0].rule == "cax-dw"
    assert graph.contradictions()[0].terms == tuple(map(term, ("j", "A", "B")))


def test_asserted_and_inferred_part_the_closure(graph: KnowledgeGraph, tmp_path: Path) -> None:
    quads = in_default(triples(f"{ONTOLOGY} . {DATA}"))
    graph.load(quad_file(tmp_path / "a.nq", quads))
    everything, asserted, inferred = (list(graph.dump(asserted=flag)) for flag in (None, True, False))
    assert lines(asserted).isdisjoint(lines(inferred))
    assert lines(asserted) | lines(inferred) == lines(everything)
    assert quads_in(lines(asserted)) == set(quads)
    shown = table8.visible(rdf(owl2rl.close(union(quads))[0]), union(quads))
    assert quads_in(lines(everything)) == set(in_default(shown))


def test_a_dump_keeps_lexical_forms_that_the_store_does_not(graph: KnowledgeGraph, tmp_path: Path) -> None:
    path = tmp_path / "a.ttl"
    path.write_text('<http://e/i> <http://e/p> 01 , 1 , 1.50 , 1.5 , "PT24H"^^<http://e/own> , "x"@EN-us , "x"@en .')
    graph.load(path)
    objects = {line.removeprefix("<http://e/i> <http://e/p> ").removesuffix(" .") for line in lines(graph.dump())}
    integer, decimal = ("^^<http://www.w3.org/2001/XMLSchema#integer>", "^^<http://www.w3.org/2001/XMLSchema#decimal>")
    same = {'"PT24H"^^<http://e/own>', '"x"@EN-us', '"x"@en'}
    assert objects == {f'"01"{integer}', f'"1"{integer}', f'"1.50"{decimal}', f'"1.5"{decimal}', *same}
    assert len(rows(graph)) == 5


def test_blank_nodes_keep_their_labels(tmp_path: Path) -> None:
    one, other = file_of(tmp_path / "a.nq", "_:m p _:n"), file_of(tmp_path / "b.nq", "_:m p _:n")
    with KnowledgeGraph.open(tmp_path / "store") as graph:
        graph.load(one, other)
        dumped = lines(graph.dump())
        assert dumped == rows(graph)
        assert len({line.split(" ")[0] for line in dumped}) == 2
    with KnowledgeGraph.open(tmp_path / "store") as graph:
        assert lines(graph.dump()) == rows(graph) == dumped
        graph.load(one)
        assert lines(graph.dump()) == rows(graph) == dumped


@pytest.mark.parametrize("asserted", [True, None])
@settings(max_examples=5)
@given(quads=datasets(max_axioms=5))
def test_a_dump_of_quads_can_be_loaded(
    tmp_path_factory: pytest.TempPathFactory, asserted: bool | None, quads: list[Quad]
) -> None:
    folder = tmp_path_factory.mktemp("dump")
    with KnowledgeGraph.open() as graph, KnowledgeGraph.open() as copy:
        graph.load(quad_file(folder / "data.nq", quads))
        (folder / "dump.nq").write_bytes(b"".join(graph.dump(asserted=asserted, graphs=True)))
        copy.load(folder / "dump.nq")
        dumped = lines(graph.dump(asserted=asserted, graphs=True))
        assert quads_in(lines(copy.dump(asserted=True, graphs=True))) == labelled(dumped)
        assert quads_in(lines(copy.dump())) == labelled(lines(graph.dump()))


def labelled(texts: frozenset[str]) -> set[Quad]:
    """Lines as quads, their blank nodes as they are."""
    prefixed = {line.replace("_:", "_:b0123456789x") for line in texts}
    return quads_in(frozenset(prefixed))


def test_the_same_file_twice(graph: KnowledgeGraph, tmp_path: Path) -> None:
    quads = [*in_default(triples(f"{ONTOLOGY} . {DATA}")), ("<http://e/a>", "<http://e/p>", '"x"@en', "<http://e/g>")]
    path = quad_file(tmp_path / "a.nq", quads)
    graph.load(path)
    before = view(graph)
    graph.load(path)
    after = view(graph)
    assert after._replace(stats={}) == before._replace(stats={})
    counts = ("facts", "asserted", "inferred", "hidden", "named", "terms", "contradictions", "rules")
    assert [after.stats[name] for name in counts] == [before.stats[name] for name in counts]
    graph.load(path, path)
    assert view(graph)._replace(stats={}) == before._replace(stats={})


def test_empty_files(graph: KnowledgeGraph, tmp_path: Path) -> None:
    empty = file_of(tmp_path / "empty.nq", "")
    for paths in ([], [empty], [empty, empty]):
        assert graph.load(*paths)["facts"] == 0
        assert rows(graph) == frozenset()
    graph.load(file_of(tmp_path / "a.nq", ONTOLOGY), empty)
    before = view(graph)
    for paths in ([], [empty]):
        graph.load(*paths)
        assert view(graph)._replace(stats={}) == before._replace(stats={})
    assert agrees(graph)


def test_an_empty_graph(graph: KnowledgeGraph) -> None:
    assert not any(graph.stats()[count] for count in COUNTS)
    assert not [*graph.dump(), *graph.dump(graphs=True), *graph.contradictions(), *graph.warnings, *graph.rules()]
    assert rows(graph) == frozenset()


def saying(class_: str, cell: str) -> str:
    """A SWRL rule without a body: that i is in a class. The list of its head is one cell."""
    rule = f"{cell}-rule rdf:type swrl:Imp . {cell}-rule swrl:body rdf:nil . {cell}-rule swrl:head {cell}"
    atom = (
        f"{cell}-atom rdf:type swrl:ClassAtom . {cell}-atom swrl:classPredicate {class_} . {cell}-atom swrl:argument1 i"
    )
    return f"{rule} . {atom} . {cell} rdf:first {cell}-atom . {cell} rdf:rest rdf:nil"


AXIOMS = f"""
{saying("D", "cell")} .
D rdfs:subClassOf _:r . _:r owl:onProperty value . _:r owl:hasValue "300"^^xsd:byte . E rdfs:subClassOf _:s .
_:s owl:onProperty value . _:s owl:hasValue "300"^^xsd:integer . i rdf:type E . j rdf:type D . D rdfs:subClassOf F
"""
BREAK = "cell rdf:rest other"


@pytest.mark.parametrize("also", ["", ' . i value "+300"^^xsd:byte'])
def test_a_load_that_takes_rules_away(graph: KnowledgeGraph, tmp_path: Path, also: str) -> None:
    """A second rdf:rest breaks the rule: what followed from it goes, unless another literal has the same row.

    These are literals that the store takes for one, though their values are not: 300 is no byte.
    """
    graph.load(file_of(tmp_path / "a.nq", AXIOMS + also))
    before = lines(graph.dump())
    assert graph.warnings == []
    stats = graph.load(file_of(tmp_path / "b.nq", BREAK))
    gone = before - lines(graph.dump())
    assert stats["rules_removed"] > 0
    assert graph.warnings
    member, value = (
        "<http://example.org/i> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type>",
        '"300"^^<http://www.w3.org/2001/XMLSchema#byte>',
    )
    assert {line for line in gone if line.startswith(member)} >= {f"{member} <http://example.org/{c}> ." for c in "DF"}
    assert any(value in line for line in gone)
    assert [line for line in rows(graph) if line.startswith("<http://example.org/i> <http://example.org/value>")]
    compare_with_a_fresh_one(graph, tmp_path / "a.nq", tmp_path / "b.nq")


def compare_with_a_fresh_one(graph: KnowledgeGraph, *paths: Path) -> None:
    with KnowledgeGraph.open() as fresh:
        fresh.load(*paths)
        one, other = view(graph), view(fresh)
        assert one._replace(stats={}) == other._replace(stats={})
        assert agrees(graph)


def test_a_row_goes_with_the_last_of_its_spellings(graph: KnowledgeGraph, tmp_path: Path) -> None:
    lists = f"{saying('D', 'c')} . {saying('E', 'd')}"
    values = " . ".join(
        f'{x} rdfs:subClassOf {r} . {r} owl:onProperty value . {r} owl:hasValue "{form}"^^xsd:byte'
        for x, r, form in (("D", "_:r", "300"), ("E", "_:s", "+300"))
    )
    paths = [file_of(tmp_path / "a.nq", f"{lists} . {values}")]
    graph.load(*paths)
    row = '<http://example.org/i> <http://example.org/value> "300"^^<http://www.w3.org/2001/XMLSchema#integer> .'
    for cell, is_there in (("c", True), ("d", False)):
        assert row in rows(graph)
        paths.append(file_of(tmp_path / f"{cell}.nq", f"{cell} rdf:rest other"))
        graph.load(paths[-1])
        assert (row in rows(graph)) == is_there
        compare_with_a_fresh_one(graph, *paths)


def test_a_rule_is_broken_and_mended_by_nothing(graph: KnowledgeGraph, tmp_path: Path) -> None:
    """Rules go, come with other axioms, and go again."""
    paths = []
    for number, text in enumerate([AXIOMS, BREAK, "G owl:unionOf k . k rdf:first F", "k rdf:rest rdf:nil", BREAK]):
        paths.append(file_of(tmp_path / f"{number}.nq", text))
        graph.load(paths[-1])
        compare_with_a_fresh_one(graph, *paths)


def test_a_large_delta_is_not_one_transaction(
    graph: KnowledgeGraph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("store.rows", "graph.commits"):
        monkeypatch.setattr(f"kgreason.{module}.SMALL", 3)
    monkeypatch.setattr("kgreason.store.rows.CHUNK", 4)
    graph.load(file_of(tmp_path / "a.nq", AXIOMS))
    graph.load(file_of(tmp_path / "b.nq", BREAK), file_of(tmp_path / "c.nq", DATA))
    compare_with_a_fresh_one(graph, tmp_path / "a.nq", tmp_path / "b.nq", tmp_path / "c.nq")


def test_a_store_keeps_its_rules(tmp_path: Path) -> None:
    rules = tmp_path / "own.dl"
    rules.write_text(
        "@prefix : <http://example.org/> .\n@rule grand [?x, :grand, ?z] :- [?x, :p, ?y], [?y, :p, ?z] .\n"
    )
    with KnowledgeGraph.open(tmp_path / "store", rules=["rdfs", str(rules)], schema="data") as graph:
        graph.load(file_of(tmp_path / "a.nq", "i p j . j p k"))
        assert quads_in(lines(graph.dump(asserted=False))) == set(in_default(triples("i grand k")))
    rules.unlink()
    with KnowledgeGraph.open(tmp_path / "store") as graph:
        graph.load(file_of(tmp_path / "b.nq", "k p l . p rdfs:subPropertyOf q"))
        expected = triples("i grand k . j grand l . i q j . j q k . k q l")
        assert quads_in(lines(graph.dump(asserted=False))) == set(in_default(expected))
        assert "grand" in {rule["name"] for rule in graph.rules()}
    with pytest.raises(StoreError, match="rules rdfs"):
        KnowledgeGraph.open(tmp_path / "store", rules=["owl2rl"])
    with pytest.raises(StoreError, match="schema data"):
        KnowledgeGraph.open(tmp_path / "store", schema="axioms")


def test_equal_terms_hide_no_more_than_there_is() -> None:
    """Four equal terms with ten triples each: forty of them are kept once, and shown for each of the four."""
    with KnowledgeGraph.open(rules=["owl2rl"]) as graph:
        with graph.transaction() as tx:
            for number in range(3):
                tx.add(f"<http://e/{number}> <http://www.w3.org/2002/07/owl#sameAs> <http://e/{number + 1}> .")
            for number in range(40):
                tx.add(f"<http://e/{number % 4}> <http://e/p> <http://e/o{number}> .")
        stats = graph.stats()
    assert stats["facts"] >= 160
    assert 0 <= stats["hidden"] < 20
