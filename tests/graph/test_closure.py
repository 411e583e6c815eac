"""The whole pipeline against the tables by the book: the closure, however the schema is read and the data arrives."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from kgreason.graph.materializer import Materializer
from kgreason.graph.report import contradictions
from kgreason.graph.selection import SchemaMode
from kgreason.rules.model import FALSE, Rule, Term, Variable
from tests.oracle import owl2rl
from tests.oracle.graph import Contradiction, Graph, Triple
from tests.oracle.notation import triples
from tests.oracle.rdfs import rdfs_close, rhodf_close
from tests.strategies.axioms import KINDS, META
from tests.strategies.ontologies import Quad, datasets, graphs, nquads, union
from tests.strategies.sampling import sample

from .states import as_written, checks_that_failed, materialized, materializer, rows_of, triples_of, visible

MODES: tuple[SchemaMode, SchemaMode] = ("axioms", "data")

ROWS_OF = {
    "subclass": ["cax-sco", "scm-sco"],
    "subproperty": ["prp-spo1", "scm-spo"],
    "domain": ["prp-dom", "scm-dom1", "scm-dom2"],
    "range": ["prp-rng", "scm-rng1", "scm-rng2"],
    "equivalence": ["cax-eqc1", "cax-eqc2", "prp-eqp1", "prp-eqp2", "scm-eqc1", "scm-eqc2", "scm-eqp1", "scm-eqp2"],
    "inverse": ["prp-inv1", "prp-inv2"],
    "symmetric": ["prp-symp"],
    "transitive": ["prp-trp"],
    "functional": ["prp-fp"],
    "inverse functional": ["prp-ifp"],
    "intersection": ["cls-int1", "cls-int2", "scm-int"],
    "union": ["cls-uni", "scm-uni"],
    "someValuesFrom": ["cls-svf1", "cls-svf2", "scm-svf1", "scm-svf2"],
    "allValuesFrom": ["cls-avf", "scm-avf1", "scm-avf2"],
    "hasValue": ["cls-hv1", "cls-hv2", "scm-hv"],
    "oneOf": ["cls-oo"],
    "chains": ["prp-spo2"],
    "keys": ["prp-key"],
    "cardinality": ["cls-maxc2", "cls-maxqc3", "cls-maxqc4"],
    "sameAs": ["eq-sym", "eq-trans", "eq-rep-s", "eq-rep-p", "eq-rep-o"],
}
CHECKS_OF = {
    "complement": ["cls-com"],
    "disjointness": ["cax-dw", "cax-adc", "prp-pdw", "prp-adp"],
    "difference": ["eq-diff1", "eq-diff2", "eq-diff3"],
    "irreflexive and asymmetric": ["prp-irp", "prp-asyp"],
    "negative assertions": ["prp-npa1", "prp-npa2"],
    "nothing": ["cls-nothing2"],
    "maximum of none": ["cls-maxc1", "cls-maxqc1", "cls-maxqc2"],
}
_TAXONOMY = {"domain", "range", "subClassOf", "subPropertyOf", "equivalentClass", "equivalentProperty"}
SAMPLE = [*sample(graphs(max_axioms=10), 300), *sample(graphs(_TAXONOMY), 60)]


@pytest.fixture(scope="module")
def fired() -> dict[str, int]:
    """For each row, in how many graphs of the sample it says something in the first round, or a check fails."""
    counts = dict.fromkeys([*owl2rl.ROWS, *owl2rl.CHECKS], 0)
    for graph in SAMPLE:
        closure, found = owl2rl.close(graph)
        index = Graph(closure)
        names = {name for name, row in owl2rl.ROWS.items() if any(triple not in graph for triple in row(index))}
        for name in names | {each.rule for each in found}:
            counts[name] += 1
    return counts


@pytest.mark.parametrize("construct", [*ROWS_OF, *CHECKS_OF])
def test_the_sample_covers_the_construct(construct: str, fired: dict[str, int]) -> None:
    rows = (ROWS_OF | CHECKS_OF)[construct]
    assert {row for row in rows if fired[row] < 3} == set()


def test_no_row_is_left_out() -> None:
    assert {row for rows in ROWS_OF.values() for row in rows} == owl2rl.ROWS.keys() - owl2rl.NOISE
    assert {row for rows in CHECKS_OF.values() for row in rows} == owl2rl.CHECKS.keys()


def compare(graph: set[Triple], schema: SchemaMode = "axioms") -> None:
    """Closure, asserted flags and contradictions are those of the tables."""
    closure, found = owl2rl.close(graph)
    live = materialized(graph, schema=schema)
    assert triples_of(live) == closure
    assert triples_of(live, asserted=True) == graph
    compare_contradictions(live, found, closure)


def compare_contradictions(live: Materializer, found: set[Contradiction], closure: set[Triple]) -> None:
    """Every name is one that the tables give; every contradiction of the tables is reported with its facts.

    Of two axioms that say the same (a class is disjoint with another, and its complement) one is reported, as of two
    rows of which one asks for more facts (cls-maxqc1 where cls-maxqc2 holds). That a term is equal to itself the tables
    know by eq-ref, which is off: no facts are left of a contradiction that needs no more.
    """
    assert checks_that_failed(live) <= {each.rule for each in found}
    facts = {visible(each.facts) for each in found}
    bodies = reported_bodies(live, closure)
    assert {each for each in least(facts) if not any(each <= body for body in bodies)} == set()
    if live.selection.schema == "axioms" and not (live.rulebook.same_as or live.rulebook.exceeded):
        assert least(bodies) == least(facts)


def least(bodies: set[frozenset[Triple]]) -> set[frozenset[Triple]]:
    """The sets of facts of which no part is one."""
    return {each for each in bodies if each and not any(other and other < each for other in bodies)}


def reported_bodies(live: Materializer, closure: set[Triple]) -> set[frozenset[Triple]]:
    """The triples that the bodies of the rules say, for each contradiction that is reported."""
    rules = [rule for rule in live.rulebook.program.reasons if rule.heads == (FALSE,)]
    bodies = set()
    for each, rule in product(contradictions(live.save(), live.dictionary), rules):
        body = body_of(rule, each.terms) if rule.name == each.rule else frozenset()
        if visible(body) <= closure:
            bodies.add(visible(body))
    return bodies


def body_of(rule: Rule, values: tuple[str, ...]) -> frozenset[Triple]:
    """The triples of a rule's body where its variables, in order, have these values."""
    variables = list(dict.fromkeys(term for atom in rule.body for term in atom.terms if isinstance(term, Variable)))
    if len(variables) != len(values):
        return frozenset()
    binding: dict[Term, str] = dict(zip(variables, values, strict=True))
    patterns = (atom.terms for atom in rule.body if atom.relation is None)
    return frozenset((binding.get(s, str(s)), binding.get(p, str(p)), binding.get(o, str(o))) for s, p, o in patterns)


@pytest.mark.parametrize("part", range(4))
def test_the_sample_has_the_closure_of_the_tables(part: int) -> None:
    for graph in SAMPLE[part::4]:
        compare(graph)


@settings(max_examples=50)
@given(graphs(KINDS - META))
def test_the_closure_is_that_of_the_tables(graph: set[Triple]) -> None:
    compare(graph)


@settings(max_examples=50)
@given(graphs(META | {"subClassOf", "inverseOf", "domain", "range", "intersectionOf"}))
def test_the_closure_is_that_of_the_tables_where_schema_and_data_mix(graph: set[Triple]) -> None:
    compare(graph)


@settings(max_examples=50)
@given(graphs())
def test_the_schema_read_as_data_gives_the_same_closure(graph: set[Triple]) -> None:
    compare(graph, "data")


@pytest.mark.slow
@pytest.mark.parametrize("schema", MODES)
@settings(max_examples=2000)
@given(graph=graphs(max_axioms=10))
def test_many_closures_are_those_of_the_tables(schema: SchemaMode, graph: set[Triple]) -> None:
    compare(graph, schema)


@pytest.mark.parametrize("schema", MODES)
@settings(max_examples=40)
@given(graph=graphs())
def test_the_closure_of_rdfs(schema: SchemaMode, graph: set[Triple]) -> None:
    assert visible(triples_of(materialized(graph, "rdfs", schema))) == visible(rdfs_close(graph))


@pytest.mark.parametrize("schema", MODES)
@settings(max_examples=40)
@given(graph=graphs())
def test_the_closure_of_rho_df(schema: SchemaMode, graph: set[Triple]) -> None:
    assert visible(triples_of(materialized(graph, "rhodf", schema))) == visible(rhodf_close(graph))


def test_a_number_of_another_type_is_no_cardinality_of_the_table() -> None:
    """Read as an axiom it is one: the front end reads numbers by their value."""
    graph = triples(
        """A rdfs:subClassOf r . r owl:onProperty p . r owl:maxCardinality "1"^^xsd:integer . i rdf:type A .
        i p j . i p k"""
    )
    same = triples("j owl:sameAs k")
    assert not same & owl2rl.close(graph)[0]
    assert not same & triples_of(materialized(graph, schema="data"))
    assert same <= triples_of(materialized(graph))


@settings(max_examples=25)
@given(quads=datasets())
def test_a_file_of_many_graphs(tmp_path_factory: pytest.TempPathFactory, quads: list[Quad]) -> None:
    """Reasoning is over the union; blank nodes, non-canonical literals and language tags stay as they are written."""
    path = tmp_path_factory.mktemp("files") / "data.nq"
    path.write_text(nquads(quads))
    live = materializer()
    live.load([path])
    written = {tuple(map(as_written, triple)) for triple in triples_of(live)}
    assert written == owl2rl.close(union(quads))[0]
    assert {tuple(map(as_written, triple)) for triple in triples_of(live, asserted=True)} == union(quads)
    assert quads_of(live) == set(quads)


def quads_of(live: Materializer) -> set[Quad]:
    """The asserted quads, as `Saved.graphs` shows them."""
    found = set()
    for rows in live.save().graphs(True):
        for row in rows.tolist():
            s, p, o, g = [*map(as_written, live.dictionary.decode(row)), ""][:4]
            found.add((s, p, o, g or None))
    return found


# Piece by piece


@st.composite
def histories(draw: DrawFn) -> list[list[Quad]]:
    """A dataset in two to four pieces, in any order; axioms and lists are cut anywhere."""
    quads = draw(datasets(max_axioms=10))
    cuts = sorted(draw(st.lists(st.integers(0, len(quads)), min_size=1, max_size=3)))
    return [quads[low:high] for low, high in zip([0, *cuts], [*cuts, len(quads)], strict=True)]


def compare_pieces(pieces: list[list[Quad]], rules: str, schema: SchemaMode) -> None:
    """Facts and asserted flags do not depend on the pieces, nor do contradictions."""
    quads = [quad for piece in pieces for quad in piece]
    grown, whole = materializer(rules, schema), materializer(rules, schema)
    for piece in pieces:
        grown.add(rows_of(grown, piece))
    whole.add(rows_of(whole, quads))
    assert triples_of(grown) == triples_of(whole)
    assert triples_of(grown, asserted=True) == union(quads)
    assert quads_of(grown) == quads_of(whole) == set(quads)
    assert checks_that_failed(whole) <= checks_that_failed(grown) <= checks_of_the_tables(quads)
    if grown.rulebook.program.reasons == whole.rulebook.program.reasons:
        assert contradictions(grown.save(), grown.dictionary) == contradictions(whole.save(), whole.dictionary)


def checks_of_the_tables(quads: list[Quad]) -> set[str]:
    return {each.rule for each in owl2rl.close(union(quads))[1]}


def said(text: str) -> list[Quad]:
    """The triples of the notation, all of the default graph."""
    return [(s, p, o, None) for s, p, o in sorted(triples(text))]


@pytest.mark.parametrize("schema", MODES)
@settings(max_examples=40)
@given(pieces=histories())
def test_pieces_are_the_whole(schema: SchemaMode, pieces: list[list[Quad]]) -> None:
    compare_pieces(pieces, "owl2rl", schema)


@pytest.mark.parametrize("rules", ["rdfs", "rhodf"])
@settings(max_examples=20)
@given(pieces=histories())
def test_pieces_are_the_whole_under_rdfs(rules: str, pieces: list[list[Quad]]) -> None:
    compare_pieces(pieces, rules, "axioms")


@pytest.mark.slow
@pytest.mark.parametrize("schema", MODES)
@settings(max_examples=2000)
@given(pieces=histories())
def test_many_pieces_are_the_whole(schema: SchemaMode, pieces: list[list[Quad]]) -> None:
    compare_pieces(pieces, "owl2rl", schema)


PIECES = {
    "axioms after data": ["i rdf:type A . i p j", "A rdfs:subClassOf B . p rdfs:domain C", "C rdfs:subClassOf A"],
    "an axiom that makes shortcuts": ["A rdfs:subClassOf C . i rdf:type A", "A rdfs:subClassOf B . B rdfs:subClassOf C"],
    "equal classes after their axioms": ["A rdfs:subClassOf B . i rdf:type C", "A owl:sameAs C"],
    "equal classes before their axioms": ["A owl:sameAs C . i rdf:type C", "A rdfs:subClassOf B"],
    "equal properties before one is transitive": ["p owl:sameAs q . i q j . j q k", "p rdf:type owl:TransitiveProperty"],
    "equal properties before a characteristic of neither name": [
        "p owl:sameAs q . i p j",
        "r rdfs:subPropertyOf q",
        "i r k . p rdf:type owl:SymmetricProperty",
    ],
    "equality that is inferred before the axioms": [
        "f rdf:type owl:FunctionalProperty . i f A . i f B",
        "A rdfs:subClassOf C . j rdf:type B",
    ],
    "equality that is inferred after the axioms": [
        "f rdf:type owl:FunctionalProperty . A rdfs:subClassOf C . j rdf:type B . i f A",
        "i f B",
    ],
    "a schema triple that is inferred, then its consequence": [
        "Kind rdfs:subClassOf owl:TransitiveProperty . p rdf:type Kind",
        "i p j . j p k",
    ],
    "what makes an inferred axiom arrives last": [
        "i p j . j p k . p rdf:type Kind",
        "Kind rdfs:subClassOf owl:TransitiveProperty",
    ],
    "an inferred axiom that is asserted later": [
        "p rdfs:subPropertyOf rdfs:subClassOf . A p B",
        "A rdfs:subClassOf B . i rdf:type A",
        "B rdfs:subClassOf C",
    ],
    "a list that is completed": ["A owl:unionOf _:l . _:l rdf:first B . i rdf:type B", "_:l rdf:rest rdf:nil"],
    "a list that is given before its axiom": ["LIST _:l p q . i p j . j q k", "r owl:propertyChainAxiom _:l"],
    "a long list, cut in two": [
        "A owl:intersectionOf _:a . _:a rdf:first B . _:a rdf:rest _:b . _:b rdf:first C . _:b rdf:rest _:c",
        "i rdf:type B . i rdf:type C . i rdf:type D",
        "_:c rdf:first D . _:c rdf:rest rdf:nil",
    ],
    "equality joins two halves of a restriction": [
        "r owl:sameAs s",
        "r owl:someValuesFrom B . s owl:onProperty p . i p j . j rdf:type B",
    ],
    "inferred equality joins two halves of a restriction": [
        "f rdf:type owl:FunctionalProperty . k f r . k f s",
        "r owl:someValuesFrom B . s owl:onProperty p . i p j . j rdf:type B",
    ],
    "equality joins two halves of a list": [
        "_:m owl:sameAs _:n",
        "A owl:unionOf _:l . _:l rdf:first B . _:l rdf:rest _:m . _:n rdf:first C . _:n rdf:rest rdf:nil . i rdf:type C",
    ],
    "another name for a keyword": ["below owl:sameAs rdfs:subClassOf", "A below B . i rdf:type A"],
    "the equality of list items": ["A owl:oneOf _:l . LIST _:l i", "i owl:sameAs j", "j p k"],
    "an asserted triple that was inferred": ["A rdfs:subClassOf B . i rdf:type A", "i rdf:type B", "i rdf:type B"],
    "contradictions": ["A owl:disjointWith B . i rdf:type A", "C rdfs:subClassOf B . i rdf:type C", "j rdf:type Z"],
}


@pytest.mark.parametrize("schema", MODES)
@pytest.mark.parametrize("name", PIECES)
def test_pieces_in_either_order(name: str, schema: SchemaMode) -> None:
    pieces = [said(text) for text in PIECES[name]]
    compare_pieces(pieces, "owl2rl", schema)
    compare_pieces(pieces[::-1], "owl2rl", schema)
    compare({triple for piece in pieces for triple in union(piece)}, schema)


@pytest.mark.parametrize("schema", MODES)
def test_adding_everything_again_changes_nothing(schema: SchemaMode) -> None:
    for graph in SAMPLE[::20]:
        live = materialized(graph, schema=schema)
        before = triples_of(live)
        changes = live.add(rows_of(live, [(*triple, None) for triple in graph]))
        assert [len(change.appeared) + len(change.disappeared) for change in changes] == [0]
        assert triples_of(live) == before


@pytest.mark.slow
def test_lubm(shared_data: Path) -> None:
    live = materializer()
    live.load([shared_data / "lubm" / "univ-bench.owl", shared_data / "lubm" / "lubm1.nt.gz"])
    asserted = triples_of(live, asserted=True)
    assert len(asserted) == 100_543 + 293
    assert triples_of(live) == owl2rl.close(asserted)[0]
