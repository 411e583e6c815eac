"""/backup: a tar file of the store while others edit it, and the store that it becomes again."""

from __future__ import annotations

import io
import tarfile
import threading
import time
from pathlib import Path

from kgreason import KnowledgeGraph
from tests.server.operation.operating import ADMIN, READ, WRITE, Operated, bearer, operated


def insert(server: Operated, number: int) -> None:
    update = f"INSERT DATA {{ <http://e/n{number}> a <http://e/Cat> }}"
    server.http.post("/update", data={"update": update}, headers=bearer(WRITE)).raise_for_status()


def left(store: Path) -> list[str]:
    """What is beside the store; the server removes its copy a moment after the answer."""
    end = time.monotonic() + 10
    while (found := [each.name for each in store.parent.iterdir() if "backup" in each.name]) and time.monotonic() < end:
        time.sleep(0.01)
    return found


def test_a_backup_is_the_state_after_one_commit(tmp_path: Path) -> None:
    with operated(tmp_path) as server:
        is_done = threading.Event()

        def edit() -> None:
            for number in range(1000):
                insert(server, number)
                if is_done.is_set():
                    return

        writer = threading.Thread(target=edit)
        writer.start()
        try:
            while server.http.get("/health").json()["commit"] < 4:
                time.sleep(0.01)
            answer = server.http.get("/backup", headers=bearer(ADMIN))
        finally:
            is_done.set()
            writer.join()
        assert answer.headers["content-type"] == "application/x-tar"
        assert left(tmp_path / "store") == []
        commit = int(answer.headers["kgreason-commit"])
        assert 'filename="kgreason-' in answer.headers["content-disposition"]
    with tarfile.open(fileobj=io.BytesIO(answer.content)) as file:
        file.extractall(tmp_path / "restored", filter="data")
    with KnowledgeGraph.open(tmp_path / "restored" / "store") as graph:
        assert graph.commit == commit
        cats = {str(quad.subject) for quad in graph.match(None, "a", "<http://e/Cat>")}
        assert cats == {f"<http://e/n{number}>" for number in range(commit - 1)}
        assert [head.author for head in graph.log()] == [*["ann"] * (commit - 1), ""]
        graph.add("<http://e/more> a <http://e/Cat> .")
    assert not (tmp_path / "restored" / "store").stat().st_mode & 0o022


def test_a_backup_has_the_prefixes(tmp_path: Path) -> None:
    text = "@prefix zoo: <http://zoo/> . zoo:tom a zoo:Cat ."
    with operated(tmp_path) as server:
        headers = {**bearer(WRITE), "Content-Type": "text/turtle"}
        server.http.post("/store?default", content=text, headers=headers).raise_for_status()
        answer = server.http.get("/backup", headers=bearer(ADMIN))
    with tarfile.open(fileobj=io.BytesIO(answer.content)) as file:
        file.extractall(tmp_path / "restored", filter="data")
    with KnowledgeGraph.open(tmp_path / "restored" / "store") as graph:
        assert graph.prefixes["zoo"] == "http://zoo/"


def test_only_an_administrator_gets_a_backup(server: Operated) -> None:
    for token in (READ, WRITE):
        assert server.http.get("/backup", headers=bearer(token)).status_code == 403


def test_a_client_that_leaves_leaves_nothing(tmp_path: Path) -> None:
    with operated(tmp_path) as server:
        for _ in range(2):
            with server.http.stream("GET", "/backup", headers=bearer(ADMIN)) as answer:
                assert answer.status_code == 200
                next(answer.iter_raw())
            assert left(tmp_path / "store") == []


def test_the_next_start_removes_files_that_a_killed_server_left(tmp_path: Path) -> None:
    (tmp_path / ".store.backup-x" / "store").mkdir(parents=True)
    (tmp_path / ".other.backup-x").mkdir()
    with operated(tmp_path):
        assert [each.name for each in tmp_path.iterdir() if "backup" in each.name] == [".other.backup-x"]
