"""Random histories of edits, each of which Ctrl-C interrupts: at a random line, at a random moment, or in `let_out`.

    python -m tests.interrupts.histories FIRST END        the seeds; prints a line for every hundred histories

Law: after an interrupt the graph is as before the edit, or as after it. The edit, made again, gives what a twin has
that nobody interrupts. In the end the graph equals the evaluation from scratch, also after it was opened again.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any, NamedTuple, TypeAlias

import kgreason
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.graph.transaction import Transaction
from tests.graph.views import lines

_PACKAGE = str(Path(kgreason.__file__).parent)
SC, SAME, TRANSITIVE = (
    "<http://www.w3.org/2000/01/rdf-schema#subClassOf>",
    "<http://www.w3.org/2002/07/owl#sameAs>",
    "<http://www.w3.org/2002/07/owl#TransitiveProperty>",
)
RULES = {
    "wide": "@rule wide wide(?x, ?y, ?z, ?x, ?y, ?z) :- [?x, <e:p>, ?y], [?y, <e:p>, ?z] .",
    "lone": "@rule lone lone(?x, ?y, ?y) :- [?x, <e:p>, ?y], NOT EXISTS ?z IN ([?y, <e:p>, ?z]) .",
    "sum": "@rule sum [?x, <e:n>, ?n] :- AGGREGATE([?x, <e:p>, ?y] ON ?x BIND COUNT(?y) AS ?n), FILTER(?n > 0) .",
    "next": "@rule next [?x, <e:m>, ?m] :- [?x, <e:n>, ?n], BIND(?n + 1 AS ?m) .",
    "path": "@rule path path(?x, ?y) :- [?x, <e:p>, ?y] . @rule path path(?x, ?z) :- path(?x, ?y), [?y, <e:p>, ?z] .",
    "class": f"@rule class [?x, a, ?d] :- [?x, a, ?c], [?c, {SC}, ?d] .",
}
Edit: TypeAlias = Callable[[KnowledgeGraph], object]
State: TypeAlias = tuple[frozenset[str], ...]


def _tx(ask: Callable[[Transaction], object]) -> Edit:
    def commit(graph: KnowledgeGraph) -> None:
        with graph.transaction() as tx:
            ask(tx)

    return commit


def edits(random: Random, commit: int) -> Edit:
    """Draw an edit of a graph whose last commit is `commit`."""

    def triple() -> tuple[str, str, str]:
        s, o = (f"<e:{random.choice('abcde')}>" for _ in "so")
        kinds = (
            (s, "<e:p>", o),
            (s, "<e:p>", o),
            (s, "a", f"<e:{random.choice('CD')}>"),
            ("<e:C>", SC, "<e:D>"),
            ("<e:p>", "a", TRANSITIVE),
            (s, SAME, o),
            (s, "<e:v>", f'"{random.randint(1, 3)}"^^<http://www.w3.org/2001/XMLSchema#integer>'),
        )
        return random.choice(kinds)

    rows = [triple() for _ in range(random.randint(1, 4))]
    name, arity = random.choice(list(RULES)), random.choice([2, 3, 5, 8])
    facts = [tuple(random.randint(1, 3) for _ in range(arity))]
    text = " . ".join(" ".join(row) for row in rows)
    kinds: tuple[Edit, ...] = (
        _tx(lambda tx: tx.add(*rows)),
        _tx(lambda tx: tx.remove(*rows).add(rows[0])),
        _tx(lambda tx: tx.add_rules(RULES[name])),
        _tx(lambda tx: tx.add(*((*row, "<e:g>") for row in rows)).add_rules(RULES[name])),
        _tx(lambda tx: tx.relation(f"r{arity}", arity).insert(facts)),
        _tx(lambda tx: tx.relation(f"r{arity}", arity).delete(facts)),
        lambda graph: graph.add(*rows),
        lambda graph: graph.remove(*rows),
        lambda graph: graph.update(f"DELETE {{ ?x <e:p> ?y }} INSERT {{ ?y <e:p> ?x }} WHERE {{ ?x <e:p> ?y }} ; "
                                   f"INSERT DATA {{ {text} }}"),
        lambda graph: _looked_at(graph, rows, name),
        lambda graph: graph.revert(commit),
    )  # fmt: skip
    return random.choice(kinds)


def _looked_at(graph: KnowledgeGraph, rows: list[tuple[str, str, str]], name: str) -> None:
    """Read in every way: what would be, proofs, statistics."""
    with graph.what_if() as tx:
        tx.add(*rows).add_rules(RULES[name])
    for row in list(graph)[:3]:
        graph.explain(row)
    graph.stats()
    graph.contradictions()


def state(graph: KnowledgeGraph) -> State:
    stored = lines(graph._home.store.lines())
    rules = frozenset(rule.name for rule in graph.own_rules())
    return (
        lines(graph.dump(asserted=True)),
        lines(graph.dump(asserted=False)),
        lines(graph.dump(asserted=True, graphs=True)),
        frozenset(graph.dump_relations()),
        frozenset(line for line in stored if not line.endswith("<e:g> .")),
        rules,
    )


class _Line:
    """Sends SIGINT ahead of the line of kgreason with number `at`; `seen` counts the lines."""

    def __init__(self, at: int) -> None:
        self.at, self.seen = at, 0

    def __call__(self, frame: FrameType, event: str, _: Any) -> Any:
        if not frame.f_code.co_filename.startswith(_PACKAGE):
            return None
        if event == "line":
            self.seen += 1
            if self.seen == self.at:
                signal.raise_signal(signal.SIGINT)
        return self


@contextmanager
def at_line(number: int) -> Iterator[_Line]:
    """Within the block, SIGINT comes ahead of line `number`. 0 is no line."""
    line, before = _Line(number), sys.gettrace()
    sys.settrace(line)
    try:
        yield line
    finally:
        sys.settrace(before)


@contextmanager
def at_moment(seconds: float) -> Iterator[None]:
    """Within the block, SIGINT comes after some seconds."""
    timer = threading.Timer(seconds, signal.pthread_kill, [threading.main_thread().ident, signal.SIGINT])
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()


class Kind(NamedTuple):
    """What a history runs on."""

    rules: str
    strategy: Any
    threads: int
    is_on_disk: bool


class History:
    """A graph whose edits are interrupted, beside a twin whose edits are not."""

    def __init__(self, seed: int, folder: Path, *, is_traced: bool = True) -> None:
        self.random, self._is_traced = Random(seed), is_traced
        choose = self.random.choice
        self.kind = Kind(
            choose(["owl2rl", "none", "rdfs"]),
            choose(["auto", "update", "bootstrap"]),
            choose([1, 1, 2]),
            choose([True, False, False]),
        )
        self._folder = folder
        self.interrupted = self.stood = 0
        self.graph, self.twin = self._opened(folder / "graph"), self._opened(None)
        for graph in self.graph, self.twin:
            graph.add(*((f"<e:{x}>", "<e:p>", f"<e:{y}>") for x, y in ("ab", "bc", "cd", "ca")))

    def _opened(self, path: Path | None) -> KnowledgeGraph:
        rules, strategy, threads, is_on_disk = self.kind
        place = path if is_on_disk else None
        return KnowledgeGraph.open(place, rules=[rules], strategy=strategy, threads=threads, history="all")

    def step(self) -> None:
        """Make an edit of both graphs; interrupt the first."""
        edit, last, before = edits(self.random, self.graph.commit), self.graph.commit, state(self.graph)
        is_interrupted = False
        try:
            self._interrupt(edit)
        except KeyboardInterrupt:
            is_interrupted = True
        if is_interrupted:  # not in the `except` block: the traceback would keep a transaction that nobody can end
            self.interrupted += 1
            self.stood += self.graph.commit > last
            if self.graph.commit == last:
                assert state(self.graph) == before
                edit(self.graph)
        edit(self.twin)
        assert self.graph.commit == self.twin.commit
        assert state(self.graph) == state(self.twin)

    def _interrupt(self, edit: Edit) -> None:
        if self._is_traced and self.random.random() < 0.7:
            # most edits run some thousand lines: the logarithm of the number is drawn, so that early lines come, too
            with at_line(int(2 ** self.random.uniform(0, 13))):
                edit(self.graph)
        else:
            with at_moment(0.04 * self.random.random() ** 2):
                edit(self.graph)

    def end(self) -> None:
        """Compare the graph with a new evaluation of what it asserts, and with the store when it is opened again."""
        found = state(self.graph)
        scratch = KnowledgeGraph.open(rules=[self.kind.rules], strategy="bootstrap")
        with scratch.transaction() as tx:
            tx.add_parsed_rules(self.graph.own_rules())
            tx.add_lines(b"".join(self.graph.dump(asserted=True, graphs=True)))
            for relation in self.graph.relations():
                tx.relation(relation.name, relation.arity).insert(relation.facts(asserted=True))
        assert state(scratch) == found
        scratch.close()
        self.graph.close()
        self.twin.close()
        if self.kind.is_on_disk:
            with self._opened(self._folder / "graph") as graph:
                assert state(graph) == found


def follow(seed: int, folder: Path, steps: int = 4, *, is_traced: bool = True) -> History:
    """Follow a history to its end. Returns the history."""
    history = History(seed, folder, is_traced=is_traced)
    for _ in range(steps):
        history.step()
    history.end()
    return history


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main(first: int, end: int) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
    counts: Counter[str] = Counter()
    for seed in range(first, end):
        with TemporaryDirectory() as folder:
            try:
                history = follow(seed, Path(folder))
                counts += Counter(interrupted=history.interrupted, stood=history.stood)
            except BaseException as error:
                counts["wrong"] += 1
                say(f"seed {seed}: {type(error).__name__}: {str(error)[:300]}")
                if isinstance(error, KeyboardInterrupt):
                    raise
        counts["histories"] += 1
        if counts["histories"] % 100 == 0 or seed + 1 == end:
            say(str(dict(counts)))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
