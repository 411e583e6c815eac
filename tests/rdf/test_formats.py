"""Names, suffixes and first bytes say what format a file is in."""

from __future__ import annotations

from pathlib import Path

from kgreason.rdf.formats import Format, exact_format, format_named, format_of, formats
from tests.tables import table

XML = b'<?xml version="1.0"?>\n<!-- <Ontology> -->\n'


@table("name", formats())
def test_every_format_has_its_suffix_and_compressions(name: str) -> None:
    assert (
        format_named(name) == format_named(f".{name.upper()}") == format_of(Path(f"a.b/c.{name}")) == Format(name, "")
    )
    assert format_of(Path(f"c.{name}.gz")) == format_named(f"{name}.gz") == Format(name, "gz")


@table(
    ("head", "name"),
    [
        (b"@prefix : <http://e/> .", "ttl"),
        (b"# Ontology(\n<urn:x> a <urn:y> .", "ttl"),
        (b"<http://e/o> a <urn:y> .", "ttl"),
        (b"PREFIX : <http://e/>", "ttl"),
        (b"", "ttl"),
        (XML + b"<rdf:RDF xmlns='x'>", "rdf"),
        (b"<rdf:RDF\n>", "rdf"),
        (XML + b'<!DOCTYPE rdf:RDF [\n <!ENTITY owl "x>y" >\n ]>\n<rdf:RDF>', "rdf"),
        (XML + b'<owl:Ontology rdf:about="http://e/"/>', "rdf"),
        (XML + b'<Ontology xmlns="http://www.w3.org/2002/07/owl#" ontologyIRI="http://e/">', "owx"),
        (b'<!DOCTYPE Ontology [ <!ENTITY x "y" > ]>\n<owl:Ontology >', "owx"),
        (b"# comment\n Prefix (:=<http://e/>)", "ofn"),
        (b"Ontology(<http://e/>", "ofn"),
    ],
)
def test_the_head_of_an_owl_file_tells(head: bytes, name: str) -> None:
    assert exact_format("owl", head) == name
    assert exact_format("nt", head) == "nt"


def test_an_xml_file_is_one_of_two() -> None:
    assert exact_format("xml", b"<a xmlns='x'/>") == exact_format("xml", b"") == "rdf"
    assert exact_format("xml", b"<Ontology>") == "owx"
