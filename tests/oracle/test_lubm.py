"""LUBM(1,0) under OWL 2 RL: the counts that are known from elsewhere, the one that no query asks for among them."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from pyoxigraph import QuerySolutions, RdfFormat, Store

from tests.oracle import owl2rl
from tests.oracle.graph import Triple
from tests.oracle.tables.reading import read
from tests.oracle.vocabulary import TYPE

EMPLOYEE = "<http://swat.cse.lehigh.edu/onto/univ-bench.owl#Employee>"


@pytest.fixture(scope="module")
def lubm(shared_data: Path) -> set[Triple]:
    return read(shared_data / "lubm" / "lubm1.nt.gz") | read(shared_data / "lubm" / "univ-bench.owl")


@pytest.fixture(scope="module")
def closure(lubm: set[Triple]) -> set[Triple]:
    closed, contradictions = owl2rl.close(lubm)
    assert not contradictions
    return closed


def members(closed: set[Triple], class_: str) -> int:
    return sum((p, o) == (TYPE, class_) for _, p, o in closed)


def test_employees_need_scm_svf1(lubm: set[Triple], closure: set[Triple]) -> None:
    assert members(closure, EMPLOYEE) == 1087
    assert members(owl2rl.close(lubm, without=["scm-svf1"])[0], EMPLOYEE) == 540


def test_the_fourteen_queries(shared_data: Path, closure: set[Triple]) -> None:
    with (shared_data / "lubm" / "expected_counts.tsv").open() as file:
        expected = next(row for row in csv.DictReader(file, delimiter="\t") if row["scale"] == "1")
    store = Store()
    lines = (f"{s} {p} {o} .\n" for s, p, o in closure if not s.startswith('"') and p.startswith("<"))
    store.bulk_load("".join(lines).encode(), format=RdfFormat.N_TRIPLES)
    for query in sorted((shared_data / "lubm" / "queries").glob("q*.rq")):
        solutions = store.query(query.read_text())
        assert isinstance(solutions, QuerySolutions)
        assert len(list(solutions)) == int(expected[f"q{int(query.stem[1:])}"]), query.stem
