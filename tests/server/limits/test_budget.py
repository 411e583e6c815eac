"""The budget of a server: an edit that needs more work is refused, and changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kgreason import KnowledgeGraph
from kgreason.cpus import memory
from kgreason.errors import LimitError
from tests.cli.calling import succeed
from tests.server.conftest import ZOO
from tests.server.serving import client, served

from kgreason.server import serve as serving  # isort: skip
from kgreason.server.settings import LEAST_MEMORY, Settings  # isort: skip

CHAIN = " ".join(f":c{n} rdfs:subClassOf :c{n + 1} . :i{n} a :c{n} ." for n in range(20))
PREFIXES = "PREFIX : <http://e/> PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>"


def test_an_edit_over_the_budget_is_refused(tmp_path: Path) -> None:
    with served(tmp_path / "store", text=ZOO, budget=30) as address, client(address) as http:
        before = http.get("/health").json()["commit"]
        large = {"update": f"{PREFIXES} INSERT DATA {{ {CHAIN} }}"}
        turtle = f"@prefix : <http://e/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . {CHAIN}"
        for answer in (
            http.post("/update", data=large),
            http.post("/update", params={"budget": 10**9}, data=large),  # a client cannot have more
            http.post("/what-if", data=large),
            http.post("/store?default", content=turtle, headers={"Content-Type": "text/turtle"}),
        ):
            assert answer.status_code == 422, answer.text
            assert "more than its budget of 30 rewrites" in answer.json()["detail"]
        assert http.get("/health").json()["commit"] == before
        assert http.post("/update", data={"update": f"{PREFIXES} INSERT DATA {{ :kim a :Cat }}"}).status_code == 204


def test_the_command_line_passes_its_limits_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with KnowledgeGraph.open(tmp_path / "store") as graph:
        graph.add(ZOO)

    def run(graph: KnowledgeGraph, settings: Settings, _: Callable[[str, object], object]) -> None:
        assert (settings.budget, settings.streams, settings.kept) == (30, 7, 1000)
        assert settings.query_bytes == max(memory() // 16, LEAST_MEMORY)
        with pytest.raises(LimitError, match="budget of 30"):
            graph.update(f"{PREFIXES} INSERT DATA {{ {CHAIN} }}")

    monkeypatch.setattr(serving, "serve", run)
    succeed("serve", "-l", tmp_path / "store", "--budget", 30, "--streams", 7, "--keep-changes", 1000)
