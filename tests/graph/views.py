"""What a knowledge graph shows, as one value to compare, and files for it to load."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import pyoxigraph
from pyoxigraph import RdfFormat

from kgreason.graph.changes.delta import Delta
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.graph.state.statistics import COUNTS, statistics
from kgreason.proofs.contradiction import Contradiction
from kgreason.proofs.contradictions import contradictions
from kgreason.store.oxigraph.store import OxigraphStore
from tests.oracle.notation import triples
from tests.strategies.ontologies import Quad, nquads

from .states import as_written, in_default

Lines = frozenset[str]


class View(NamedTuple):
    """Everything that a graph answers, and the rows of its store."""

    asserted: Lines
    inferred: Lines
    quads: Lines
    rows: Lines
    rules: tuple[tuple[str, ...], ...]
    contradictions: tuple[Contradiction, ...]
    warnings: tuple[str, ...]
    stats: dict[str, Any]


def lasting(seen: View) -> View:
    """What does not depend on how a graph came to be what it is."""
    counts = ("facts", "asserted", "inferred", "hidden", "named", "contradictions", "rules")
    return seen._replace(stats={name: seen.stats[name] for name in counts if name in seen.stats})


def lines(chunks: Iterable[bytes]) -> Lines:
    return frozenset(b"".join(chunks).decode().splitlines())


def follow(copy: Lines, delta: Delta) -> Lines:
    """A copy of the graph that follows the deltas."""
    removed, added = lines([delta.removed]), lines([delta.added])
    assert removed <= copy
    assert copy.isdisjoint(added)
    return (copy - removed) | added


def view(graph: KnowledgeGraph) -> View:
    """Return what a graph shows now, after `assert_counted`."""
    assert_counted(graph)
    return View(
        lines(graph.dump(asserted=True)),
        lines(graph.dump(asserted=False)),
        lines(graph.dump(asserted=True, graphs=True)),
        rows(graph),
        tuple(sorted(tuple(rule.values()) for rule in graph.rules())),
        tuple(graph.contradictions()),
        tuple(graph.warnings),
        {name: each for name, each in graph.stats().items() if "_by" not in name},
    )


def assert_counted(graph: KnowledgeGraph) -> None:
    """The counts and the contradictions of a running graph are those that a look at all facts finds."""
    stats, found, running = graph.stats(), graph.contradictions(), graph._started
    if running is not None and graph._home.last:
        materializer = running.materializer
        state = materializer.save(), materializer.dictionary, materializer.false_rules
        counts = statistics(*state) | {"rules": materializer.program.size}
        assert {name: stats[name] for name in COUNTS} == counts
        assert tuple(stats)[: len(COUNTS)] == COUNTS
        assert found == contradictions(*state)


def rows(graph: KnowledgeGraph) -> Lines:
    """The rows of the store, as it writes them."""
    return lines(graph._home.store.lines())


def normalize(texts: Lines) -> Lines:
    """Lines as Oxigraph gives them back."""
    store = OxigraphStore()
    store.load(["".join(f"{line}\n" for line in texts).encode()])
    return lines(store.lines())


def agrees(graph: KnowledgeGraph) -> bool:
    """Whether the store holds the closure and the named quads, with literals in normal form."""
    seen = view(graph)
    closure = seen.asserted | seen.inferred
    named = lines(graph.dump(graphs=True)) - closure
    return seen.rows == normalize(closure | named) and view(graph) == seen


def quads_in(texts: Lines) -> set[Quad]:
    """Lines as quads whose blank nodes have the labels of their file."""
    found = set()
    for quad in pyoxigraph.parse("\n".join(texts), RdfFormat.N_QUADS, lenient=True):
        s, p, o, g = (as_written(str(term)) for term in (quad.subject, quad.predicate, quad.object, quad.graph_name))
        found.add((s, p, o, None if g == "DEFAULT" else g))
    return found


def file_of(path: Path, text: str) -> Path:
    """An N-Quads file with the triples of the notation."""
    return quad_file(path, in_default(triples(text)))


def quad_file(path: Path, quads: Iterable[Quad]) -> Path:
    """A file of quads."""
    path.write_text(nquads(quads))
    return path
