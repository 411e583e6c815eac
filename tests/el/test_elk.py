"""What ELK finds, the rule set owl2el finds: ELK's own suite, and two published ontologies."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from kgreason.graph.knowledge_graph import KnowledgeGraph
from tests.el.elk import FOLDER, IS_THERE, MISSING, NOTHING, SAME, SUB, THING, TYPE, Case, cases, classes_of, closed
from tests.oracle.graph import Triple
from tests.oracle.vocabulary import OWL

UNDECLARED = {"AssertionsPropertyRanges"}


def facts(graph: KnowledgeGraph) -> set[Triple]:
    """The subsumptions and types of names."""
    rows = {(str(s), str(p), str(o)) for p in (SUB, SAME, TYPE) for s, p, o, *_ in graph.match(None, p, None)}
    return {row for row in rows if "_:" not in row[0] + row[2]}


def reasoned(text: str, path: Path, rules: str) -> set[Triple]:
    path.write_text(text)
    with KnowledgeGraph.open(rules=[rules]) as graph:
        graph.load(path)
        return facts(graph)


@pytest.mark.skipif(not IS_THERE, reason=MISSING)
@pytest.mark.parametrize("case", [*cases("classification"), *cases("realization")], ids=lambda case: case.name)
def test_the_suite_of_elk(case: Case, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    if case.name in UNDECLARED:
        reason = "in RDF an undeclared property with a range may be an annotation property, which links no individuals"
        request.applymarker(pytest.mark.xfail(reason=reason, strict=True))
    expected = reasoned(case.expected, tmp_path / "expected.ofn", "none")
    names = classes_of(expected)
    wanted = closed(expected, names)
    found = closed(reasoned(case.ontology, tmp_path / "ontology.ofn", "owl2el"), names)
    if (THING, SUB, NOTHING) in wanted:
        assert (THING, SUB, NOTHING) in found
    else:
        assert {row for row in found if row[1] == case.predicate} == {row for row in wanted if row[1] == case.predicate}


@pytest.mark.skipif(not IS_THERE, reason=MISSING)
@pytest.mark.parametrize("name", ["kidney", "pato-base"])
def test_published_ontologies(name: str, tmp_path: Path) -> None:
    """Every pair that ELK 0.6 finds, and no other; the pairs with owl:Thing say nothing."""
    path = tmp_path / "ontology.ttl"
    path.write_bytes(gzip.decompress((FOLDER / f"{name}.stripped.ttl.gz").read_bytes()))
    lines = gzip.decompress((FOLDER / f"{name}.stripped.elk.tsv.gz").read_bytes()).decode().splitlines()
    pairs = [tuple(f"<{iri}>" for iri in line.split("\t")) for line in lines]
    with KnowledgeGraph.open(rules=["owl2el"]) as graph:
        graph.load(path)
        found = {(s, o) for s, p, o in facts(graph) if p == SUB}
    assert found == {(c, d) for c, d in pairs if THING not in (c, d) and c != d}
    assert not [name for name, above in found if above == f"<{OWL}Nothing>"]
