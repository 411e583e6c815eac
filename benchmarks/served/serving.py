"""A server as a process of its own, and a client with one connection, by `http.client`.

All traffic stays on the loopback. A client waits for an answer for a limited time.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException, HTTPResponse
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeAlias
from urllib.parse import urlencode

from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.lubm import write
from kgreason.resources import resource

if TYPE_CHECKING:
    from benchmarks.served.forked import Forked

PATIENCE = 60
_PROGRAM = (sys.executable, "-c", "from kgreason.cli import main; main(prog_name='kgreason')")
_FORM = {"Content-Type": "application/x-www-form-urlencoded"}
LOST = (OSError, HTTPException)
"""The errors of a connection whose server has gone."""
Process: TypeAlias = "subprocess.Popen[bytes] | Forked"
Start: TypeAlias = Callable[[Sequence[str], Path], Process]
"""A function that starts a process from a command line and the file for its messages."""


class RefusedError(Exception):
    """An answer with an error status: the status, and the text of the answer."""


def lubm_store(folder: Path, universities: int, **options: Any) -> Path:
    """A store with LUBM(universities) and its ontology, closed under OWL 2 RL."""
    store = folder / "store"
    files = write(folder / "data", universities)
    with KnowledgeGraph.open(store, rules=["owl2rl"], **options) as graph:
        graph.load(resource("ontologies", "univ-bench.ttl"), *files)
    return store


def program(arguments: Sequence[str], log: Path) -> Process:
    """Start a command line of kgreason as a new program, which writes to the end of the file `log`."""
    with log.open("ab") as file:
        return subprocess.Popen([*_PROGRAM, *arguments], stdin=subprocess.DEVNULL, stdout=file, stderr=file)


class Server:
    """A process that serves a store at `address`, a host and a port."""

    def __init__(self, store: Path, *options: str, start: Start = program) -> None:
        """Start the process and wait until it listens."""
        self._log = store.parent / "server.log"
        self._log.touch()
        begin = self._log.stat().st_size
        command = ["serve", "-l", str(store), "--bind", "127.0.0.1:0", "--no-console", *options]
        self.process = start(command, self._log)
        self.address = self._listening(begin)

    def _listening(self, begin: int) -> tuple[str, int]:
        until = time.monotonic() + PATIENCE
        while self.process.poll() is None and time.monotonic() < until:
            for line in self._log.read_bytes()[begin:].decode().splitlines(keepends=True):
                if line.startswith("kgreason: serving") and line.endswith("\n"):
                    return "127.0.0.1", int(line.rpartition(":")[2])
            time.sleep(0.02)
        self.kill()
        raise AssertionError(self._log.read_text())

    def resident(self, *, alone: bool = False) -> int:
        """The memory of the server and of its query processes, in bytes; with `alone` of the server only."""
        own = self.process.pid
        if alone:
            return _resident(own)
        children = Path(f"/proc/{own}/task/{own}/children").read_text("ascii").split()
        return sum(map(_resident, [own, *map(int, children)]))

    def kill(self) -> None:
        """Kill the process at once (SIGKILL)."""
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        """Stop the process as a system does (SIGTERM). Raises AssertionError if it does not end well."""
        self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.kill()
            raise
        assert status == 0, self._log.read_text()


@contextmanager
def running(store: Path, *options: str, start: Start = program) -> Iterator[Server]:
    """A server that is stopped at the end of the block, and killed if the block raises."""
    server = Server(store, *options, start=start)
    try:
        yield server
    except BaseException:
        server.kill()
        raise
    if server.process.poll() is None:
        server.stop()


def _resident(process: int) -> int:
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text("ascii").splitlines()
    except OSError:  # the process has ended
        return 0
    return 1024 * sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))


class Client:
    """A client with one connection, which is kept. `path` is what the paths of the server begin with.

    One thread uses a client.
    """

    def __init__(self, address: tuple[str, int], path: str = "") -> None:
        self._connection, self._path = HTTPConnection(*address, timeout=PATIENCE), path

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def ask(self, sparql: str) -> bytes:
        """The rows of a query as JSON text. Raises RefusedError and the errors of `LOST`."""
        accept = {"Accept": "application/sparql-results+json"}
        return self._answer("POST", "/query", urlencode({"query": sparql}), _FORM | accept)[1]

    def edit(self, text: str) -> HTTPResponse:
        """The answer to an update. Raises RefusedError and the errors of `LOST`."""
        return self._answer("POST", "/update", urlencode({"update": text}), _FORM)[0]

    def rows(self, sparql: str) -> list[dict[str, str]]:
        """The rows of a query, each with the values of its columns."""
        bindings = json.loads(self.ask(sparql))["results"]["bindings"]
        return [{name: term["value"] for name, term in row.items()} for row in bindings]

    def update(self, text: str) -> int:
        """The number of the commit of an update."""
        return int(self.edit(text).headers["Kgreason-Commit"])

    def get(self, path: str) -> Any:
        """The JSON of a path."""
        return json.loads(self._answer("GET", path, None, {})[1])

    def follow(self, after: int) -> HTTPResponse:
        """The feed of the changes after a commit, open for reading."""
        self._connection.request("GET", "/changes", headers={"Last-Event-ID": str(after)})
        answer = self._connection.getresponse()
        if answer.status != 200:
            raise RefusedError(answer.status, answer.read().decode())
        return answer

    def _answer(self, method: str, path: str, body: str | None, headers: dict[str, str]) -> tuple[HTTPResponse, bytes]:
        self._connection.request(method, self._path + path, body, headers)
        answer = self._connection.getresponse()
        text = answer.read()
        if answer.status >= 400:
            raise RefusedError(answer.status, text.decode())
        return answer, text


def events(lines: Iterator[bytes]) -> Iterator[dict[str, Any]]:
    """The data of the server-sent events among lines. An event that breaks off is left out."""
    data = b""
    for line in lines:
        if line.startswith(b"data: "):
            data = line.removeprefix(b"data: ")
        elif line == b"\n" and data:
            yield json.loads(data)
            data = b""


def values(rows: Sequence[dict[str, str]], name: str) -> list[str]:
    """The values of one column."""
    return [row[name] for row in rows]
