"""The OWL 2 test cases of the W3C: those of profile RL, and all of RDF-based semantics besides.

A case may be of several kinds: its premises are consistent, or not, and entail its conclusion, or do not. Documents are
in RDF/XML or functional syntax; what they import is in the catalogue. Where a case is meant for both semantics, the
conclusion is read as Direct Semantics do. The cases of profile RL run in the quick lane.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from pyoxigraph import RdfFormat

from kgreason import check, entails
from kgreason.entailment.entails import Semantics
from kgreason.rdf.catalogue import Catalogue
from tests.w3c.gaps import Named, check_gaps, parameters
from tests.w3c.shared import FOLDER, IS_THERE, graph, name, node

_TEST = "http://www.w3.org/2007/OWL/testOntology#"
_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
_KINDS = {
    "ConsistencyTest": "consistency",
    "InconsistencyTest": "inconsistency",
    "PositiveEntailmentTest": "positive entailment",
    "NegativeEntailmentTest": "negative entailment",
}


class Document(NamedTuple):
    """An ontology document: its text, and the suffix of its format."""

    text: str
    suffix: str


class Case(NamedTuple):
    """A case: its premise, and the conclusion that it entails, or does not."""

    semantics: Semantics
    premise: Document
    conclusion: Document | None


@cache
def _catalogue() -> Any:
    text = gzip.decompress((FOLDER / "owl2-test-cases.all.rdf.gz").read_bytes())
    text = re.sub(rb"<!ENTITY (\w+) '([^']*)'", rb'<!ENTITY \1 "\2"', text)  # Oxigraph reads double quotes only
    return graph(text, RdfFormat.RDF_XML, "http://owl.semanticweb.org/")


def _texts(subject: Any, predicate: str) -> list[str]:
    return sorted(map(str, _catalogue().objects(subject, node(_TEST + predicate))))


def _document(subject: Any, kind: str) -> Document | None:
    """A document of a case: in the syntax that the case says is the one that counts, if it has it."""
    by_syntax = {"RDFXML": ("rdfXml", "rdf"), "FUNCTIONAL": ("fs", "ofn")}
    preferred = [by_syntax[name(each)] for each in _texts(subject, "normativeSyntax") if name(each) in by_syntax]
    for prefix, suffix in sorted(preferred, reverse=True) + list(by_syntax.values()):
        if found := _texts(subject, f"{prefix}{kind}Ontology"):
            return Document(found[0], suffix)
    return None


@cache
def _imports() -> dict[str, Document]:
    """The documents that cases import, by their names."""
    documents = {}
    for subject, iri in _catalogue().subject_objects(node(f"{_TEST}importedOntologyIRI")):
        document = _document(subject, "Input")
        assert document
        documents[str(iri)] = document
    return documents


def _cases() -> Iterator[tuple[Named, Case]]:
    if not IS_THERE:
        return
    for subject in sorted(_catalogue().subjects(node(_TYPE), node(f"{_TEST}TestCase"))):
        is_rl = "RL" in map(name, _texts(subject, "profile"))
        semantics = set(map(name, _texts(subject, "semantics")))
        types = set(map(name, _catalogue().objects(subject, node(_TYPE))))
        premise = _document(subject, "Premise")
        if premise is None or not (is_rl or "RDF-BASED" in semantics):
            continue
        for type_ in sorted(types & _KINDS.keys()):
            conclusion = {"Positive": "Conclusion", "Negative": "NonConclusion"}.get(
                type_.removesuffix("EntailmentTest")
            )
            case = Case(
                "direct" if "DIRECT" in semantics else "rdf-based",
                premise,
                _document(subject, conclusion) if conclusion else None,
            )
            identifier = _texts(subject, "identifier")[0]
            yield Named("OWL 2 RL" if is_rl else "OWL 2 other", identifier, _KINDS[type_]), case


_CASES = list(_cases())


def _file(folder: Path, name: str, document: Document) -> Path:
    path = folder / f"{name}.{document.suffix}"
    path.write_text(document.text)
    return path


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory: pytest.TempPathFactory) -> Catalogue:
    """What cases import."""
    folder = tmp_path_factory.mktemp("imports")
    documents = enumerate(_imports().items() if IS_THERE else ())
    return Catalogue.of({iri: _file(folder, str(number), document) for number, (iri, document) in documents})


@pytest.mark.parametrize(("named", "case"), parameters(_CASES))
def test_owl2(named: Named, case: Case, tmp_path: Path, catalogue: Catalogue) -> None:
    premise = _file(tmp_path, "premise", case.premise)
    if case.conclusion is None:
        assert bool(check(premise, catalogue=catalogue)) == (named.kind == "inconsistency")
        return
    conclusion = _file(tmp_path, "conclusion", case.conclusion)
    is_entailed = entails(premise, conclusion, semantics=case.semantics, catalogue=catalogue)
    assert is_entailed == (named.kind == "positive entailment")


def test_gaps() -> None:
    check_gaps(["OWL 2 RL", "OWL 2 other"], _CASES)
