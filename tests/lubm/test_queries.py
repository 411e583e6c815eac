"""Our texts of the 14 queries ask what the published ones ask, and have answers in our data.

The closure is another program's (`reasonable`), so that nothing of kgreason's own reasoning is taken for granted.
"""

import csv
import gzip
from collections.abc import Iterable
from pathlib import Path

import pyoxigraph as ox
import pytest

from kgreason.lubm import generate, queries

reasonable = pytest.importorskip("reasonable", reason="needs the bench extra")


def answers(shared_data: Path, folder: Path, lines: Iterable[str]) -> list[int]:
    """How many answers each query has over the closure of `lines` with the ontology."""
    reasoner = reasonable.PyReasoner()
    ontology = ox.parse(path=shared_data / "lubm" / "univ-bench.owl", format=ox.RdfFormat.RDF_XML, base_iri="http://e/")
    ox.serialize(ontology, folder / "ontology.ttl", format=ox.RdfFormat.N_TRIPLES)
    (folder / "data.ttl").write_text("".join(lines), encoding="ascii")
    for name in ("ontology.ttl", "data.ttl"):
        reasoner.load_file(str(folder / name))
    closed = "\n".join(" ".join(term.n3() for term in row) + " ." for row in reasoner.reason())
    store = ox.Store()
    store.bulk_load(input=closed, format=ox.RdfFormat.N_TRIPLES)
    return [count(store, text) for text in queries().values()]


def count(store: ox.Store, text: str) -> int:
    solutions = store.query(text)
    assert isinstance(solutions, ox.QuerySolutions)
    return sum(1 for _ in solutions)


def test_there_are_14_queries_each_with_a_comment() -> None:
    assert list(queries()) == list(range(1, 15))
    assert all(text.startswith(f"# LUBM query {number}.") for number, text in queries().items())


def test_counts_over_the_original_data_are_the_published_ones(shared_data: Path, tmp_path: Path) -> None:
    with (shared_data / "lubm" / "expected_counts.tsv").open(encoding="utf-8") as file:
        [expected] = [row for row in csv.DictReader(file, delimiter="\t") if row["scale"] == "1"]
    with gzip.open(shared_data / "lubm" / "lubm1.nt.gz", "rt", encoding="ascii") as data:
        assert answers(shared_data, tmp_path, data) == [int(expected[f"q{number}"]) for number in range(1, 15)]


def test_every_query_has_an_answer_in_our_data(shared_data: Path, tmp_path: Path) -> None:
    lines = (line for _, lines in generate(1) for line in lines)
    assert all(answers(shared_data, tmp_path, lines))
