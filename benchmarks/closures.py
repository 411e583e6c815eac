"""The time from a file to the closed graph in a running process, compared with other reasoners.

    owlrl        OWL 2 RL on rdflib, the library that most people use
    reasonable   OWL 2 RL in Rust, from Python

Each graph is one file of N-Triples, which all reasoners read. Beside the times, the entailed triples are counted, since
a reasoner that entails less has less work. `missing` counts triples without blank nodes that the other reasoner entails
and kgreason does not.

Cost: seconds a graph; owlrl takes up to two minutes for LUBM(1,0), and runs once.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import pyoxigraph

from benchmarks.lubm import ONTOLOGY
from benchmarks.model import Measurement
from benchmarks.timing import alternate, timed
from benchmarks.workspace import SkippedError, Workspace
from kgreason.materialize.edit import Edit
from kgreason.materialize.materializer import Materializer
from kgreason.materialize.selection import select
from kgreason.rdf.reader import read_files

GRAPHS = {
    "lubm1": "LUBM(1,0)",
    "schema": "schema.org 30.0",
    "brick": "Brick 1.1 with the building VM3A",
    "prov": "PROV-O",
}
_SHARED = {
    "schema": ("schemaorg-30.0-current-https.ttl.gz",),
    "brick": ("Brick-1.1.n3.gz", "brick_building_VM3A_v1.1.ttl.gz"),
    "prov": ("prov.nq.gz",),
}
_ROUNDS = 3

Reason = Callable[[Path], Iterable[str]]


class Rival(NamedTuple):
    """Another reasoner: how it closes a file of N-Triples, and how its result becomes lines afterwards."""

    module: str
    close: Callable[[Path], Any]
    lines: Callable[[Any], Iterable[str]]
    rounds: int


def _closed(path: Path) -> Materializer:
    """The file's graph, closed by kgreason."""
    materializer = Materializer(select(["owl2rl"]))
    materializer.change(Edit(added=read_files([path], materializer.dictionary, syntax="nt")))
    materializer.accept()
    return materializer


def _reasonable(path: Path) -> Any:
    import reasonable

    reasoner = reasonable.PyReasoner()
    reasoner.load_file(str(path))
    return reasoner.reason()


def _owlrl(path: Path) -> Any:
    import owlrl
    import rdflib

    graph = rdflib.Graph()
    graph.parse(path, format="nt")
    owlrl.DeductiveClosure(owlrl.OWLRL_Semantics).expand(graph)
    return graph


def _lines(triples: Iterable[tuple[Any, Any, Any]]) -> Iterable[str]:
    """Triples of rdflib in N-Triples."""
    return (" ".join(term.n3() for term in triple) for triple in triples)


RIVALS = {"owlrl": Rival("owlrl", _owlrl, _lines, 1), "reasonable": Rival("reasonable", _reasonable, _lines, _ROUNDS)}


def beside(name: str, rival: Rival, workspace: Workspace) -> Measurement:
    """Kgreason's time from a file to the closed graph over a rival's."""
    if importlib.util.find_spec(rival.module) is None:
        raise SkippedError(f"{rival.module} is not installed: it comes with the extra `bench`")
    path = file_of(name, workspace)
    ours, theirs = _closed(path), rival.close(path)  # warm; and what each of them has in the end
    pairs = alternate(lambda: timed(lambda: _closed(path)), lambda: timed(lambda: rival.close(path)), rival.rounds)
    known = set(_known(ours))
    said = {line for line in rival.lines(theirs) if "_:" not in line}
    others = {
        "entailed": (float(len(ours.save().triples(ours.dictionary))), "triples"),
        "theirs": (float(len(set(rival.lines(theirs)))), "triples"),
        "missing": (float(len(said - known)), "triples"),
    }
    return Measurement(pairs.ratio, f"{GRAPHS[name]} in one process, {pairs}", others)


def _known(materializer: Materializer) -> Iterable[str]:
    """The triples of a closed graph as rdflib writes them."""
    texts = iter(materializer.dictionary.decode(materializer.save().triples(materializer.dictionary).ravel()))
    return (" ".join(triple) for triple in zip(texts, texts, texts, strict=True))


def file_of(name: str, workspace: Workspace) -> Path:
    """The graph of this name as one file of N-Triples, which is Turtle; reasonable goes by that suffix."""
    path = workspace.fresh(f"{name}.ttl")
    sources = [workspace.shared("ontologies", each) for each in _SHARED.get(name, ())]
    if not sources:
        sources = [workspace.lubm(1), workspace.ontology(ONTOLOGY)]
    with path.open("wb") as file:
        for source in sources:
            triples = (quad.triple for quad in pyoxigraph.parse(source.read_bytes(), _syntax(source)))
            pyoxigraph.serialize(triples, file, pyoxigraph.RdfFormat.N_TRIPLES)
    return path


def _syntax(path: Path) -> pyoxigraph.RdfFormat:
    found = pyoxigraph.RdfFormat.from_extension(path.suffix[1:])
    assert found is not None
    return found
