"""Turtle in, rules out, and rules as text to compare them with."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pyoxigraph as ox

from kgreason.ontology.translate.translate import Profile, translate
from kgreason.rules.canonical_form import canonical
from kgreason.rules.model import Rule, Triple
from kgreason.rules.parser import parse

PREFIXES = {
    "": "http://e/",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "owl": "http://www.w3.org/2002/07/owl#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
_DECLARED = "".join(f"@prefix {prefix}: <{namespace}> .\n" for prefix, namespace in PREFIXES.items())
_FORMATS = {
    ".owl": ox.RdfFormat.RDF_XML,
    ".nq": ox.RdfFormat.N_QUADS,
    ".ttl": ox.RdfFormat.TURTLE,
    ".n3": ox.RdfFormat.N3,
}


def turtle(text: str) -> set[Triple]:
    """The triples of a Turtle text; blank nodes keep their labels."""
    return {_triple(quad) for quad in ox.parse(_DECLARED + text, format=ox.RdfFormat.TURTLE)}


def document(path: Path) -> set[Triple]:
    """The triples of an RDF file, compressed or not."""
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    format_ = _FORMATS[path.with_suffix("").suffix if path.suffix == ".gz" else path.suffix]
    return {_triple(quad) for quad in ox.parse(data, format=format_, base_iri="http://e/base")}


def _triple(quad: ox.Triple | ox.Quad) -> Triple:
    return str(quad.subject), str(quad.predicate), str(quad.object)


def rules(text: str) -> set[Rule]:
    """The rules of a rule text in canonical form, with their names; groups are left out."""
    return named(parse(_DECLARED + text).rules)


def named(found: Iterable[Rule]) -> set[Rule]:
    """Rules as `rules` gives them."""
    return {canonical(replace(rule, group="")) for rule in found}


def translated(text: str, profile: Profile = "owl2rl") -> set[Rule]:
    """The rules of a schema in Turtle."""
    return named(translate(turtle(text), profile).rules)


def ontologies(folder: Path) -> Iterator[Path]:
    """The ontologies among the shared data."""
    yield folder / "lubm" / "univ-bench.owl"
    yield from sorted((folder / "ontologies").glob("*.gz"))
