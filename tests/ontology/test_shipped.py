"""The ontologies that are shipped: univ-bench says what the benchmark says, and the family what it promises."""

from __future__ import annotations

from pathlib import Path

import pyoxigraph as ox

from kgreason.resources import resource
from kgreason.rules.model import Triple
from kgreason.terms import vocabulary as v

from .pipeline import materialize
from .reading import document, turtle

ANNOTATIONS = {v.RDFS_LABEL, v.RDFS_COMMENT, f"<{v.OWL}versionInfo>"}
FAMILY = "@prefix : <http://example.org/family#> ."


def shape(graph: set[Triple]) -> ox.Dataset:
    """The logical triples, blank nodes under canonical labels."""
    text = "".join(f"{s} {p} {o} .\n" for s, p, o in graph if p not in ANNOTATIONS)
    dataset = ox.Dataset(quad for quad in ox.parse(text, format=ox.RdfFormat.N_QUADS))
    dataset.canonicalize(ox.CanonicalizationAlgorithm.UNSTABLE)
    return dataset


def test_univ_bench_has_the_axioms_of_the_benchmark(shared_data: Path) -> None:
    ours = document(resource("ontologies", "univ-bench.ttl"))
    theirs = document(shared_data / "lubm" / "univ-bench.owl")
    assert set(shape(ours)) == set(shape(theirs))


def test_univ_bench_has_43_classes_and_32_properties() -> None:
    graph = document(resource("ontologies", "univ-bench.ttl"))
    classes = {s for s, p, o in graph if (p, o) == (v.RDF_TYPE, f"<{v.OWL}Class>")}
    properties = {s for s, p, o in graph if p == v.RDF_TYPE and o.endswith("Property>")}
    assert (len(classes), len(properties)) == (43, 32)
    assert {s for s, p, _ in graph if p == v.RDFS_LABEL} >= classes | properties


def test_family() -> None:
    closure = materialize(document(resource("ontologies", "family.ttl")))
    expected = """
        :berta :hasChild :ada ; a :Mother , :Parent ; owl:sameAs :bertie . :carl a :Father .
        :ada :hasAncestor :berta , :carl ; :hasGrandparent :carl . :axel :marriedTo :ada .
        :bertie a :Mother ; :hasParent :carl ."""
    assert turtle(FAMILY + expected) <= closure.triples
    assert not closure.contradictions


def test_family_finds_contradictions() -> None:
    graph = document(resource("ontologies", "family.ttl"))
    wrong = turtle(FAMILY + ":carl a :Woman . :berta a :Childless .")
    assert len(materialize(graph | wrong).contradictions) >= 2


def test_shipped_ontologies_use_standard_terms_only() -> None:
    for name in ("univ-bench.ttl", "family.ttl"):
        for _, predicate, _ in document(resource("ontologies", name)):
            namespace = predicate.partition("#")[0][1:] + "#"
            assert namespace in (v.RDF, v.RDFS, v.OWL, "http://example.org/family#")
