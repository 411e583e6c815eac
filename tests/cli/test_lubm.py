"""LUBM(1,0) through the command line and through the library: the official answers, as sets."""

from __future__ import annotations

import csv
import tarfile
from pathlib import Path

import pytest

from kgreason import KnowledgeGraph
from kgreason.resources import resource
from tests.cli.calling import answers, succeed

UB = "http://swat.cse.lehigh.edu/onto/univ-bench.owl#"
EMPLOYEES = f"SELECT ?x {{ ?x a <{UB}Employee> }}"
Answers = set[tuple[str, ...]]


@pytest.fixture(scope="module")
def lubm(shared_data: Path) -> Path:
    return shared_data / "lubm"


@pytest.fixture(scope="module")
def queries(lubm: Path) -> list[str]:
    return [path.read_text() for path in sorted((lubm / "queries").glob("q*.rq"))]


@pytest.fixture(scope="module")
def official(lubm: Path) -> list[Answers]:
    """The official answers to queries 1 to 14."""
    with tarfile.open(lubm / "answers_lubm1_swat.tar.gz") as archive:
        members = [archive.extractfile(f"answers/answers_query{number}.txt") for number in range(1, 15)]
        texts = [member.read().decode() for member in members if member]
    return [{tuple(line.split()) for line in text.splitlines()[1:] if line.strip()} for text in texts]


@pytest.fixture(scope="module")
def store(lubm: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The original ontology and data in a store on disk."""
    path = tmp_path_factory.mktemp("lubm") / "store"
    succeed("load", "-l", path, "-f", lubm / "univ-bench.owl", lubm / "lubm1.nt.gz", "--rules", "owl2rl")
    return path


def test_the_official_answers_have_the_expected_counts(lubm: Path, official: list[Answers]) -> None:
    with (lubm / "expected_counts.tsv").open() as file:
        [expected] = [row for row in csv.DictReader(file, delimiter="\t") if row["scale"] == "1"]
    assert [len(found) for found in official] == [int(expected[f"q{number}"]) for number in range(1, 15)]


def test_the_official_answers_on_disk(store: Path, queries: list[str], official: list[Answers]) -> None:
    assert [answers(store, query) for query in queries] == official


def test_employees_on_disk(store: Path) -> None:
    assert len(answers(store, EMPLOYEES)) == 1087


def test_the_official_answers_in_memory(lubm: Path, queries: list[str], official: list[Answers]) -> None:
    with KnowledgeGraph.open(rules=["owl2rl"]) as graph:
        graph.load(lubm / "univ-bench.owl", lubm / "lubm1.nt.gz")
        assert [answers_of(graph, query) for query in queries] == official
        assert len(answers_of(graph, EMPLOYEES)) == 1087


def answers_of(graph: KnowledgeGraph, sparql: str) -> Answers:
    return {tuple(term.value for term in solution if term) for solution in graph.select(sparql)}


def test_our_ontology_and_our_queries_give_the_official_answers(
    lubm: Path, official: list[Answers], tmp_path: Path
) -> None:
    from kgreason.lubm import queries as ours

    succeed("load", "-l", tmp_path / "store", "-f", resource("ontologies", "univ-bench.ttl"), lubm / "lubm1.nt.gz")
    assert [answers(tmp_path / "store", query) for query in ours().values()] == official
    assert len(answers(tmp_path / "store", EMPLOYEES)) == 1087
