"""Two versions of a real ontology (PROV-O): what one entails and the other does not, by axiom, and through a server."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import kgreason
from kgreason import KnowledgeGraph
from kgreason.entailment.versions.comparison import compare
from tests.cli.calling import succeed
from tests.server.serving import served

PROV, RDFS = "http://www.w3.org/ns/prov#", "http://www.w3.org/2000/01/rdf-schema#"
AXIOMS = (
    f"<{PROV}Person> <{RDFS}subClassOf> <{PROV}Agent> .",
    f"<{PROV}wasDerivedFrom> <{RDFS}subPropertyOf> <{PROV}wasInfluencedBy> .",
)
DATA = f"<http://e/tim> a <{PROV}Person> . <http://e/copy> <{PROV}wasDerivedFrom> <http://e/original> ."
FOLLOWS = {
    AXIOMS[0]: f"<http://e/tim> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <{PROV}Agent>",
    AXIOMS[1]: f"<http://e/copy> <{PROV}wasInfluencedBy> <http://e/original>",
}


@pytest.fixture
def versions(shared_data: Path, tmp_path: Path) -> tuple[Path, Path, Path]:
    """PROV-O without two of its axioms, PROV-O, and some data."""
    text = gzip.decompress((shared_data / "ontologies" / "prov.nq.gz").read_bytes()).decode()
    lines = [f"{line.rpartition(' <')[0]} ." for line in text.splitlines()]
    assert set(AXIOMS) <= set(lines)
    old, new, data = (tmp_path / name for name in ("old.nt", "new.nt", "data.ttl"))
    old.write_text("\n".join(line for line in lines if line not in AXIOMS), "utf-8")
    new.write_text("\n".join(lines), "utf-8")
    data.write_text(DATA, "utf-8")
    return old, new, data


def test_compare_names_the_axioms(versions: tuple[Path, Path, Path]) -> None:
    old, new, data = versions
    found = compare(old, new, data=[data])
    groups = {" ".join(axiom): group.triples for group in found.gained.groups for axiom in group.axioms}
    for axiom, triple in FOLLOWS.items():
        assert any(" ".join(each) == triple for each in groups[axiom.removesuffix(" .")]), groups.keys()
    text = succeed("compare", old, new, "--data", data)
    assert f"<{PROV}Person> SubClassOf <{PROV}Agent>" in text


def test_a_server_names_them_too(versions: tuple[Path, Path, Path], tmp_path: Path) -> None:
    old, _, data = versions
    with KnowledgeGraph.open(tmp_path / "store", history="all") as graph:
        graph.load(old, data)
    axioms = tmp_path / "axioms.nt"
    axioms.write_text("\n".join(AXIOMS), "utf-8")
    with served(tmp_path / "store") as address:
        told = succeed("diff", "-l", address, "-f", axioms)
        with kgreason.connect(address) as graph:
            delta = graph.add("\n".join(AXIOMS))
            assert delta.commit == 2
            past = [set(graph.changes(1, 2).appeared()), set(delta.appeared())]
            assert past[0] == past[1]
            for axiom, triple in FOLLOWS.items():
                assert triple.split()[0] in told
                assert axiom.split()[0].rpartition("#")[2][:-1] in told
                asked = f"ASK {{ {triple} }}"
                assert [graph.as_of(number).ask(asked) for number in (1, 2)] == [False, True]
                assert axiom.split()[2] in str(graph.explain(triple))
        shown = succeed("log", "-l", address, "--diff", "1", "2")
    assert "tim" in shown
    assert "Agent" in shown
