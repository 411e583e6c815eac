"""kgreason's server beside other stores: queries a second of many readers, and the time of one edit.

    python -m benchmarks.served.rivals UNIVERSITIES SECONDS [FUSEKI]

    kgreason    `kgreason serve` on LUBM(n), closed under OWL 2 RL
    oxigraph    Oxigraph's own store with the same closure, under the same HTTP layer (Starlette, uvicorn): no reasoning
    fuseki      Jena Fuseki with its RDFS reasoner over the same data, if FUSEKI, the jar of its server, is given

All sides answer the same mix of LUBM's 14 queries to 32 readers, then the same single edits. The sides run one after
the other on the same machine, so that only ratios say something. Fuseki knows RDFS alone, so it finds less. An edit of
kgreason waits until the disk has it, Oxigraph's own does not: the first line says how long one flush of the disk takes.

Cost: `SECONDS` for each side, and some minutes to start Fuseki.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pyoxigraph
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from benchmarks.lubm import NAMESPACE, ONTOLOGY
from benchmarks.served.crowd import Deck
from benchmarks.served.load import READERS, WARM
from benchmarks.served.serving import LOST, PATIENCE, Client, lubm_store, running
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.lubm import queries
from kgreason.resources import resource

_HOST, _EDITS = "127.0.0.1", 100
_ROWS = "application/sparql-results+json"
_STARTING = 300
"""How many seconds a server may take until it answers."""
_CONFIGURATION = """
PREFIX fuseki: <http://jena.apache.org/fuseki#>
PREFIX ja: <http://jena.hpl.hp.com/2005/11/Assembler#>
[] a fuseki:Server ; fuseki:services ( <#service> ) .
<#service> a fuseki:Service ; fuseki:name "lubm" ; fuseki:dataset <#dataset> ;
    fuseki:endpoint [ fuseki:operation fuseki:query ; fuseki:name "query" ] ;
    fuseki:endpoint [ fuseki:operation fuseki:update ; fuseki:name "update" ] .
<#dataset> a ja:RDFDataset ; ja:defaultGraph <#closed> .
<#closed> a ja:InfModel ; ja:baseModel <#base> ;
    ja:reasoner [ ja:reasonerURL <http://jena.hpl.hp.com/2003/RDFSExptRuleReasoner> ] .
<#base> a ja:MemoryModel ; ja:content CONTENT .
"""


class Rates(NamedTuple):
    """The queries that a server answers in a second, the values in the answers to all queries, the seconds of an edit.

    A value is a term in a row.
    """

    queries: float
    values: int
    edit: float

    def __str__(self) -> str:
        return f"{self.queries:8.1f} queries a second, {self.values:,} values, {1000 * self.edit:.2f} ms an edit"


def measured(port: int, seconds: float, path: str = "") -> Rates:
    """Measure a server: first 32 readers ask queries, then one client sends single edits."""
    mixed, counts, is_over = list(queries().values()), [0] * READERS, threading.Event()
    with Client((_HOST, port), path) as client:
        values = sum(client.ask(query).count(b'"type"') for query in mixed)  # the caches fill as well

    deck = Deck(mixed, 0)

    def read(number: int) -> None:
        with Client((_HOST, port), path) as client:
            while not is_over.is_set():
                client.ask(deck.take())
                counts[number] += 1

    threads = [threading.Thread(target=read, args=(number,)) for number in range(READERS)]
    for thread in threads:
        thread.start()
    until = time.monotonic() + PATIENCE
    while sum(counts) < WARM and time.monotonic() < until:  # processes start
        time.sleep(0.01)
    begun, before = time.perf_counter(), sum(counts)
    time.sleep(seconds)
    answered, took = sum(counts) - before, time.perf_counter() - begun
    is_over.set()
    for thread in threads:
        thread.join()
    edits = []
    with Client((_HOST, port), path) as client:
        for number in range(_EDITS):
            text = f"INSERT DATA {{ <http://example.org/load/{number}> a <{NAMESPACE}GraduateStudent> }}"
            begun = time.perf_counter()
            client.edit(text)
            edits.append(time.perf_counter() - begun)
    return Rates(answered / took, values, median(edits))


def plain(store: pyoxigraph.Store) -> Starlette:
    """An application that answers queries and updates from Oxigraph's store and does nothing else."""

    async def query(request: Request) -> Response:
        text = str((await request.form())["query"])
        return Response(await run_in_threadpool(_json, store, text), media_type=_ROWS)

    async def update(request: Request) -> Response:
        text = str((await request.form())["update"])
        await run_in_threadpool(store.update, text)
        return Response(status_code=204)

    return Starlette(routes=[Route("/query", query, methods=["POST"]), Route("/update", update, methods=["POST"])])


def _json(store: pyoxigraph.Store, text: str) -> bytes:
    found: Any = store.query(text)
    return found.serialize(format=pyoxigraph.QueryResultsFormat.JSON) or b""


def serve_plain(folder: str, port: str) -> None:
    """Serve Oxigraph's store in `folder`; a process of its own runs this."""
    import uvicorn

    uvicorn.run(plain(pyoxigraph.Store(folder)), host=_HOST, port=int(port), log_level="warning")


def flush_seconds(folder: Path) -> float:
    """Return how long the disk takes to keep a short record: the median of some flushes of a growing file."""
    found = []
    with (folder / "flushed").open("wb", buffering=0) as file:
        for _ in range(_EDITS):
            file.write(bytes(400))
            begun = time.perf_counter()
            os.fsync(file.fileno())
            found.append(time.perf_counter() - begun)
    return median(found)


@contextmanager
def _process(*command: str, port: int, path: str = "", folder: Path | None = None) -> Iterator[None]:
    """A server in a process of its own, from its first answer to the end of the block. It works in `folder`."""
    with subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as process:
        try:
            until = time.monotonic() + _STARTING
            while True:
                try:
                    with Client((_HOST, port), path) as client:
                        client.ask("ASK {}")
                    break
                except LOST:
                    assert process.poll() is None, "the server has ended"
                    assert time.monotonic() < until, "the server does not answer"
                    time.sleep(0.5)
            yield
        finally:
            process.kill()


def _free() -> int:
    with socket.socket() as found:
        found.bind((_HOST, 0))
        port: int = found.getsockname()[1]
        return port


def compare(universities: int, seconds: float, fuseki: str | None = None) -> Iterator[tuple[str, Rates]]:
    """The name and the rates of each side."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        store = lubm_store(folder, universities)
        with KnowledgeGraph.open(store, read_only=True) as graph:
            (folder / "closure.nt").write_bytes(b"".join(graph.dump()))
        with running(store) as server:
            yield "kgreason", measured(server.address[1], seconds)
        rival = pyoxigraph.Store(folder / "rival")
        rival.bulk_load(path=folder / "closure.nt")
        rival.optimize()
        del rival
        port = _free()
        code = "import sys; from benchmarks.served.rivals import serve_plain; serve_plain(*sys.argv[1:])"
        with _process(sys.executable, "-c", code, str(folder / "rival"), str(port), port=port):
            yield "oxigraph", measured(port, seconds)
        if fuseki:
            files = [resource("ontologies", ONTOLOGY), *(folder / "data").iterdir()]
            content = ", ".join(f"[ ja:externalContent <{file.resolve().as_uri()}> ]" for file in files)
            (folder / "fuseki.ttl").write_text(_CONFIGURATION.replace("CONTENT", content))
            port = _free()
            command = (
                "java",
                "-jar",
                str(Path(fuseki).resolve()),
                f"--config={folder / 'fuseki.ttl'}",
                "--localhost",
                f"--port={port}",
            )
            with _process(*command, port=port, path="/lubm", folder=folder):
                yield "fuseki", measured(port, seconds, "/lubm")


if __name__ == "__main__":
    count, duration, *jar = sys.argv[1:]
    with TemporaryDirectory() as place:
        sys.stdout.write(f"a flush of the disk takes {1000 * flush_seconds(Path(place)):.2f} ms\n")
    for side, rates in compare(int(count), float(duration), *jar):
        sys.stdout.write(f"{side:10}{rates}\n")
        sys.stdout.flush()
