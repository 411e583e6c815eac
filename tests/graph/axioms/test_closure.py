"""The whole pipeline against the tables by the book: the closure, however the schema is read."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings

from kgreason.materialize.edit import Edit
from kgreason.materialize.materializer import Materializer
from kgreason.ontology.twins import twins
from kgreason.options import SchemaMode
from kgreason.proofs.contradictions import contradictions
from kgreason.rdf.reader import read_files
from kgreason.rules.model import FALSE, Rule, Term, Variable, contradiction
from tests.graph.named import LOUD, is_coherent, named
from tests.graph.states import (
    as_written,
    checks_that_failed,
    materialize,
    new_materializer,
    quads_of,
    triples_of,
    visible,
)
from tests.oracle import owl2rl
from tests.oracle.graph import Contradiction, Graph, Triple
from tests.oracle.notation import triples
from tests.oracle.rdfs import rdfs_close, rhodf_close
from tests.oracle.tables.table8 import MEMBERS
from tests.oracle.vocabulary import DIFFERENT_FROM, SAME_AS, TYPE
from tests.strategies.axioms import META
from tests.strategies.ontologies import Quad, datasets, graphs, nquads, union
from tests.strategies.sampling import sample
from tests.volume import many

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
    "datatypes": ["dt-type2", "dt-eq", "dt-diff"],
    "sameAs": ["eq-sym", "eq-trans", "eq-rep-s", "eq-rep-p", "eq-rep-o"],
}
CHECKS_OF = {
    "complement": ["cls-com"],
    "disjointness": ["cax-dw", "cax-adc", "prp-pdw", "prp-adp"],
    "difference": ["eq-diff1", "eq-diff2", "eq-diff3"],
    "irreflexive and asymmetric": ["prp-irp", "prp-asyp"],
    "negative assertions": ["prp-npa1", "prp-npa2"],
    "nothing": ["cls-nothing2"],
    "literals of the wrong type": ["dt-not-type"],
    "maximum of none": ["cls-maxc1", "cls-maxqc1", "cls-maxqc2"],
}
_TAXONOMY = {"domain", "range", "subClassOf", "subPropertyOf", "equivalentClass", "equivalentProperty"}


@cache
def sample_graphs() -> list[set[Triple]]:
    """A sample that tests share and must not change. Drawing takes seconds, so no other test shall wait for it."""
    return [*sample(graphs(max_axioms=10), 300), *sample(graphs(_TAXONOMY), 60)]


@pytest.fixture(scope="module")
def row_counts() -> dict[str, int]:
    """For each row, in how many graphs of the sample it says something in the first round, or a check fails."""
    counts = dict.fromkeys([*owl2rl.ROWS, *owl2rl.CHECKS], 0)
    for graph in sample_graphs():
        closure, found = owl2rl.close(graph)
        index = Graph(closure)
        names = {name for name, row in owl2rl.ROWS.items() if any(triple not in graph for triple in row(index))}
        for name in names | {each.rule for each in found}:
            counts[name] += 1
    return counts


@pytest.mark.parametrize("construct", [*ROWS_OF, *CHECKS_OF])
def test_the_sample_covers_the_construct(construct: str, row_counts: dict[str, int]) -> None:
    rows = (ROWS_OF | CHECKS_OF)[construct]
    assert {row for row in rows if row_counts[row] < 3} == set()


def test_no_row_is_left_out() -> None:
    assert {row for rows in ROWS_OF.values() for row in rows} == owl2rl.ROWS.keys() - owl2rl.NOISE
    assert {row for rows in CHECKS_OF.values() for row in rows} == owl2rl.CHECKS.keys()


def compare(graph: set[Triple], schema: SchemaMode = "axioms") -> None:
    """Closure, asserted flags and contradictions are those of the tables.

    Nothing is said that all rules together do not say; of named things all that they say, and of other things what the
    groups say that are on. Of restrictions that say the same, some may speak for the others.
    """
    closure, found = owl2rl.close(graph)
    loud, loudly = owl2rl.close(graph, noise=LOUD)
    materializer = materialize(graph, schema=schema)
    shown, represented = without_datatypes(triples_of(materializer)), twins(graph)
    assert shown <= without_datatypes(loud)
    assert {triple for triple in without_datatypes(closure) if represented.keys().isdisjoint(triple)} <= shown
    if is_coherent(loud):
        assert named(shown, loud) == named(without_datatypes(loud), loud)
    assert triples_of(materializer, asserted=True) == graph
    assert checks_that_failed(materializer) <= {each.rule for each in loudly}
    if found == loudly and not represented:
        compare_contradictions(materializer, found, closure)


def without_datatypes(graph: Iterable[Triple]) -> set[Triple]:
    """Triples without `x rdf:type datatype` of literals and what is the same as one.

    A graph says of a literal that it is in a datatype where rules ask for it; so the rest is not told of an IRI either
    that turns out to be the same.
    """
    triples = set(graph)
    literals = {s for s, p, o in triples if p == SAME_AS and o.startswith('"')}
    return {(s, p, o) for s, p, o in triples if p != TYPE or o not in MEMBERS or not (s[0] == '"' or s in literals)}


def compare_contradictions(materializer: Materializer, found: set[Contradiction], closure: set[Triple]) -> None:
    """Every name is one that the tables give; every contradiction of the tables is reported with its facts.

    Of two axioms that say the same (a class is disjoint with another, and its complement) one is reported, as of two
    rows of which one asks for more facts (cls-maxqc1 where cls-maxqc2 holds). That a term is equal to itself the tables
    know by eq-ref, which is off: no facts are left of a contradiction that needs no more. What is said of equal terms
    is reported of some of them.
    """
    assert checks_that_failed(materializer) <= {each.rule for each in found}
    first = firsts(closure)
    facts = {visible(of_firsts(each.facts, first)) for each in found}
    bodies = {visible(of_firsts(body, first)) for body in reported_bodies(materializer, closure)}
    assert {each for each in least(facts) if not any(each <= body for body in bodies)} == set()
    if materializer.selection.schema == "axioms" and not any(materializer.flags):
        assert least(bodies) == least(facts)


def firsts(closure: set[Triple]) -> dict[str, str]:
    """For each term that is the same as another the first of those that are the same."""
    return {s: min(s, *(o for other, q, o in closure if (other, q) == (s, p))) for s, p, _ in closure if p == SAME_AS}


def of_firsts(facts: frozenset[Triple], first: dict[str, str]) -> frozenset[Triple]:
    """Facts that say of the first of equal terms what they say of the others."""
    return frozenset((first.get(s, s), first.get(p, p), first.get(o, o)) for s, p, o in facts)


def least(bodies: set[frozenset[Triple]]) -> set[frozenset[Triple]]:
    """The sets of facts of which no part is one."""
    return {each for each in bodies if each and not any(other and other < each for other in bodies)}


def reported_bodies(materializer: Materializer, closure: set[Triple]) -> set[frozenset[Triple]]:
    """The triples that the bodies of the rules say, for each contradiction that is reported."""
    rules = [rule for rule in materializer.rules if rule.heads == (FALSE,)]
    bodies = set()
    for each, rule in product(
        contradictions(materializer.save(), materializer.dictionary, materializer.false_rules), rules
    ):
        body = body_of(rule, each.terms) if rule.name == each.rule else frozenset()
        if visible(body) <= closure:
            bodies.add(visible(body))
    return bodies


def body_of(rule: Rule, values: tuple[str, ...]) -> frozenset[Triple]:
    """The triples of a rule's body, if these are the values of its variables and its constants.

    Of a rule over literals of different values those of eq-diff1, by which the tables report them.
    """
    _, *terms = contradiction(rule).terms
    binding: dict[Term, str] = dict(zip(terms, values, strict=False))
    constants = {term: value for term, value in binding.items() if not isinstance(term, Variable)}
    if len(terms) != len(values) or any(term != value for term, value in constants.items()):
        return frozenset()
    apart = [atom.terms for atom in rule.body if rule.name.endswith("-literals") and atom.relation == "dt_differ"]
    linked: list[tuple[Term, ...]] = [(x, p, y) for x, y in apart for p in (SAME_AS, DIFFERENT_FROM)]
    patterns = linked or [atom.terms for atom in rule.body if atom.relation is None]
    return frozenset((binding.get(s, str(s)), binding.get(p, str(p)), binding.get(o, str(o))) for s, p, o in patterns)


@pytest.mark.parametrize("part", range(4))
def test_the_sample_has_the_closure_of_the_tables(part: int) -> None:
    for graph in sample_graphs()[part::4]:
        compare(graph)


@settings(max_examples=many(5))
@given(graphs(META | {"subClassOf", "inverseOf", "domain", "range", "intersectionOf"}))
def test_the_closure_is_that_of_the_tables_where_schema_and_data_mix(graph: set[Triple]) -> None:
    compare(graph)


@pytest.mark.parametrize("schema", MODES)
@settings(max_examples=many(150))
@given(graph=graphs(max_axioms=10))
def test_the_closure_is_that_of_the_tables(schema: SchemaMode, graph: set[Triple]) -> None:
    compare(graph, schema)


@pytest.mark.parametrize("schema", MODES)
@settings(max_examples=many(5))
@given(graph=graphs())
def test_the_closure_of_rdfs(schema: SchemaMode, graph: set[Triple]) -> None:
    assert visible(triples_of(materialize(graph, "rdfs", schema))) == visible(rdfs_close(graph))


@pytest.mark.parametrize("schema", MODES)
@settings(max_examples=many(5))
@given(graph=graphs())
def test_the_closure_of_rho_df(schema: SchemaMode, graph: set[Triple]) -> None:
    assert visible(triples_of(materialize(graph, "rhodf", schema))) == visible(rhodf_close(graph))


def test_a_number_of_another_type_is_no_cardinality_of_the_table() -> None:
    """Read as an axiom it is one: the front end reads numbers by their value."""
    graph = triples(
        """A rdfs:subClassOf r . r owl:onProperty p . r owl:maxCardinality "1"^^xsd:integer . i rdf:type A .
        i p j . i p k"""
    )
    same = triples("j owl:sameAs k")
    assert not same & owl2rl.close(graph)[0]
    assert not same & triples_of(materialize(graph, schema="data"))
    assert same <= triples_of(materialize(graph))


@settings(max_examples=many(5))
@given(quads=datasets())
def test_a_file_of_many_graphs(tmp_path_factory: pytest.TempPathFactory, quads: list[Quad]) -> None:
    """Reasoning is over the union; blank nodes, non-canonical literals and language tags stay as they are written."""
    path = tmp_path_factory.mktemp("files") / "data.nq"
    path.write_text(nquads(quads))
    materializer = new_materializer()
    materializer.change(Edit(added=read_files([path], materializer.dictionary)))
    materializer.accept()
    written = {(as_written(s), as_written(p), as_written(o)) for s, p, o in triples_of(materializer)}
    loud, _ = owl2rl.close(union(quads), noise=LOUD)
    assert without_datatypes(written) <= without_datatypes(loud)
    if is_coherent(loud):
        assert named(without_datatypes(written), loud) == named(without_datatypes(loud), loud)
    assert {tuple(map(as_written, triple)) for triple in triples_of(materializer, asserted=True)} == union(quads)
    assert quads_of(materializer) == set(quads)


def test_lubm(shared_data: Path) -> None:
    materializer = new_materializer()
    materializer.change(
        Edit(
            added=read_files(
                [shared_data / "lubm" / "univ-bench.owl", shared_data / "lubm" / "lubm1.nt.gz"], materializer.dictionary
            )
        )
    )
    materializer.accept()
    asserted = triples_of(materializer, asserted=True)
    assert len(asserted) == 100_543 + 293
    assert triples_of(materializer) == owl2rl.close(asserted)[0]
