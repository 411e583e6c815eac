"""The RDF 1.1 and 1.2 semantics tests of the W3C: simple, RDF and RDFS entailment.

A case says in which regime its action entails its result, or does not. A result of `false` is a contradiction: the
action is inconsistent, or is not. The regime RDFS is that of `rules="rdfs"`; the regime RDF has those rules of
rulesets/rdfs.dl that are of RDF.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from pyoxigraph import RdfFormat

from kgreason import entails
from kgreason.rules.formatter import format_program
from kgreason.rules.parser import ruleset
from kgreason.rules.program import Program
from tests.w3c.gaps import Named, check_gaps, parameters
from tests.w3c.shared import IS_THERE, MF, archive, entries, graph, name, node, several

_ARCHIVE = "rdf11-mt_rdf12-semantics.tar.gz"
_SUITES = {
    "RDF 1.1": ("rdf/rdf11/rdf-mt/", "https://w3c.github.io/rdf-tests/rdf/rdf11/rdf-mt/"),
    "RDF 1.2": ("rdf/rdf12/rdf-semantics/", "https://w3c.github.io/rdf-tests/rdf/rdf12/rdf-semantics/"),
}
_RDFS = "rdfs"


class Case(NamedTuple):
    """A case: the regime, the datatypes that are recognized, and the documents."""

    regime: str
    datatypes: tuple[str, ...]
    folder: str
    action: str
    result: str | None


def _cases() -> Iterator[tuple[Named, Case]]:
    if not IS_THERE:
        return
    for suite, (folder, base) in _SUITES.items():
        manifest = graph(archive(_ARCHIVE)[f"{folder}manifest.ttl"], RdfFormat.TURTLE, f"{base}manifest.ttl")
        for entry in entries(manifest):
            yield Named(suite, name(entry), _kind(manifest, entry)), _case(manifest, entry, folder, base)


def _kind(manifest: Any, entry: Any) -> str:
    types = set(map(name, manifest.objects(entry, node("http://www.w3.org/1999/02/22-rdf-syntax-ns#type"))))
    sign = "positive" if "PositiveEntailmentTest" in types else "negative"
    return f"{sign} entailment"


def _case(manifest: Any, entry: Any, folder: str, base: str) -> Case:
    result = str(manifest.value(entry, node(f"{MF}result")))
    return Case(
        str(manifest.value(entry, node(f"{MF}entailmentRegime"))),
        tuple(sorted(map(str, several(manifest, entry, f"{MF}recognizedDatatypes")))),
        folder,
        str(manifest.value(entry, node(f"{MF}action"))).removeprefix(base),
        None if result == "false" else result.removeprefix(base),
    )


_CASES = list(_cases())


def _rules(regime: str, folder: Path) -> str:
    """The rules of a regime: a rule set with groups, or a file."""
    if regime == "simple":
        return "none"
    if regime != "RDF":
        return _RDFS
    chosen = (rule for rule in ruleset("rdfs").rules if rule.group == "property" or rule.name == "rdf-axiomatic")
    path = folder / "rdf.dl"
    path.write_text(format_program(Program(tuple(chosen))))
    return str(path)


def _file(case: Case, path: str, folder: Path) -> Path:
    file = folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(archive(_ARCHIVE)[case.folder + path])
    return file


@pytest.mark.parametrize(("named", "case"), parameters(_CASES))
def test_rdf_semantics(named: Named, case: Case, tmp_path: Path) -> None:
    rules = [_rules(case.regime, tmp_path)]
    action = _file(case, case.action, tmp_path)
    datatypes = [f"<{each}>" for each in case.datatypes]
    if case.result is None:  # from a contradiction anything follows
        result = tmp_path / "anything.ttl"
        result.write_text("<http://example.org/any> <http://example.org/any> <http://example.org/any> .")
    else:
        result = _file(case, case.result, tmp_path)
    is_entailed = entails(action, result, rules=rules, datatypes=datatypes)
    assert is_entailed == (named.kind == "positive entailment")


def test_gaps() -> None:
    check_gaps(_SUITES, _CASES)
