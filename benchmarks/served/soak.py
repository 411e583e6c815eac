"""A soak: readers attack a server for some minutes, while writers edit it.

    python -m benchmarks.served.soak [MINUTES] [UNIVERSITIES]

Eight readers send requests that would freeze, fill or hold up a server without its limits (`ATTACKS`), and leave some
of them in the middle. Three writers add persons and axioms (`crowd`). In the end the server gets SIGTERM while the
attacks go on. The script prints the edits, those that were lost, how long edits took, what the attacks were told, the
memory of the server over time, and how long the server took to end. It raises AssertionError if an edit was lost.
"""

from __future__ import annotations

import random
import signal
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from statistics import quantiles
from subprocess import TimeoutExpired
from tempfile import TemporaryDirectory
from typing import NamedTuple
from urllib.parse import quote

from benchmarks.lubm import NAMESPACE
from benchmarks.served.crowd import Crowd
from benchmarks.served.serving import Client, Server, lubm_store, running

READERS, WRITERS = 8, 3
_UPDATE, _RULES, _TURTLE = "application/sparql-update", "text/x-kgreason-rules", "text/turtle"
_INTERVAL = 0.3
_PATIENCE = 60
_TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
_PAIRS = " ".join(f"?a{n} a ?b{n} ." for n in range(6))
_FACT = f"INSERT DATA {{ <urn:a> a <{NAMESPACE}Person> }}"
_CHAIN = " ".join(f"<urn:{n}> <{NAMESPACE}subOrganizationOf> <urn:{n + 1}> ." for n in range(2000))


class Attack(NamedTuple):
    """A request of a reader: method, path, content type and body."""

    name: str
    method: str
    path: str
    kind: str = ""
    body: str = ""


ATTACKS = (
    Attack(
        "a rule with a cross product",
        "POST",
        "/what-if",
        _RULES,
        f"q(?a, ?c, ?e) :- [?a, {_TYPE}, ?b], [?c, {_TYPE}, ?d], [?e, {_TYPE}, ?f] .",
    ),
    Attack("a transitive chain", "POST", "/what-if", _TURTLE, _CHAIN),
    Attack(
        "a WHERE after an operation",
        "POST",
        "/what-if",
        _UPDATE,
        f"{_FACT} ; INSERT {{ <urn:n> <urn:n> ?a0 }} WHERE {{ {_PAIRS} }}",
    ),
    Attack("a WHERE", "POST", "/what-if", _UPDATE, f"INSERT {{ <urn:n> <urn:n> ?a0 }} WHERE {{ {_PAIRS} }}"),
    Attack("a query", "POST", "/query", "application/sparql-query", f"SELECT (COUNT(*) AS ?n) {{ {_PAIRS} }}"),
    Attack("the costs of rules", "GET", "/rules?costs=true&alone=true&anew=true"),
    Attack("a dump", "GET", "/dump?graphs=true"),
    Attack("all matches", "GET", "/match"),
    Attack("contradictions", "GET", "/contradictions?proofs=true"),
    Attack(
        "a standing query",
        "GET",
        f"/subscribe?query={quote(f'SELECT (COUNT(*) AS ?n) {{ ?a a <{NAMESPACE}Person> . ?b ?p ?a }}')}",
    ),
)


class Report(NamedTuple):
    """What a soak found."""

    edits: int
    seconds: list[float]
    """How long each edit took."""
    told: Counter[tuple[str, str]]
    """How often each attack got each status."""
    memory: list[tuple[int, int]]
    """The memory of the server, and with its query processes, in bytes, at equal distances."""
    end: float
    """The seconds from SIGTERM to the end of the server."""

    def lines(self) -> Iterator[str]:
        """Yield the report as lines."""
        parts = quantiles(self.seconds, n=100)
        yield f"edits: {self.edits:,} acknowledged, none lost"
        yield f"an edit: median {parts[49]:.3f} s, p99 {parts[98]:.3f} s, at most {max(self.seconds):.3f} s"
        for name, sizes in zip(("of the server", "with its processes"), zip(*self.memory, strict=True), strict=True):
            yield f"memory {name}, MB: {' '.join(f'{each >> 20:,}' for each in sizes)}"
        yield f"SIGTERM: ended after {self.end:.1f} s"
        for (name, status), count in sorted(self.told.items()):
            yield f"{count:7,}  {status:6}  {name}"


class Attackers:
    """Readers of one server that send attacks until `end`."""

    def __init__(self, address: tuple[str, int]) -> None:
        self._address, self._is_over, self.told = address, threading.Event(), Counter[tuple[str, str]]()
        self._threads = [threading.Thread(target=self._attack, args=(number,)) for number in range(READERS)]
        for thread in self._threads:
            thread.start()

    def _attack(self, number: int) -> None:
        chance = random.Random(number)
        while not self._is_over.is_set():
            attack = chance.choice(ATTACKS)
            self.told[attack.name, self._status(attack, chance.choice((0.5, 5, _PATIENCE)))] += 1

    def _status(self, attack: Attack, seconds: float) -> str:
        """Send a request and read its answer, for at most so many seconds. Returns the status, or "left"."""
        until = time.monotonic() + seconds
        with suppress(OSError), socket.create_connection(self._address, timeout=1) as found:
            head = f"{attack.method} {attack.path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
            kind = f"Content-Type: {attack.kind}\r\n" if attack.kind else ""
            body = attack.body.encode()
            found.sendall(f"{head}{kind}Content-Length: {len(body)}\r\n\r\n".encode() + body)
            status = "left"
            while time.monotonic() < until and not self._is_over.is_set():
                try:
                    piece = found.recv(1 << 16)
                except TimeoutError:
                    continue
                if not piece:
                    return status
                if status == "left":
                    status = piece.split()[1].decode()
            return status if status != "200" else "200 (left)"
        self._is_over.wait(1)
        return "refused"

    def end(self) -> None:
        """Have all readers end, and wait for them."""
        self._is_over.set()
        for thread in self._threads:
            thread.join()


def soaked(folder: Path, minutes: float, universities: int) -> Report:
    """Soak a server of LUBM(`universities`) for so many minutes. Raises AssertionError if an edit was lost."""
    store = lubm_store(folder, universities)
    crowd, memory = Crowd(0, readers=0, writers=WRITERS, followers=0), list[tuple[int, int]]()
    server = Server(store)
    try:
        attackers, work = Attackers(server.address), crowd.work(server.address, interval=_INTERVAL)
        begun = time.monotonic()
        while (left := begun + 60 * minutes - time.monotonic()) > 0:
            time.sleep(min(left, 3 * minutes))
            memory.append((server.resident(alone=True), server.resident()))
            sys.stderr.write(f"{time.monotonic() - begun:6.0f} s: {memory[-1][0] >> 20:,} MB, {crowd.edits} edits\n")
        work.end()
        asked = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        with suppress(TimeoutExpired):
            server.process.wait(_PATIENCE)
        end = time.monotonic() - asked
        attackers.end()
    finally:
        server.kill()
    with running(store) as again, Client(again.address) as client:
        crowd.check(client, client.get("/health")["commit"])
    seconds = [each for ledger in crowd.ledgers for each in ledger.seconds]
    return Report(crowd.edits, seconds, attackers.told, memory, end)


if __name__ == "__main__":
    given = [float(each) for each in sys.argv[1:]]
    with TemporaryDirectory() as name:
        report = soaked(Path(name), given[0] if given else 10, int(given[1]) if len(given) > 1 else 1)
    sys.stdout.write("".join(f"{line}\n" for line in report.lines()))
