"""Random and damaged updates: kgreason takes and does what Oxigraph takes and does, one operation after the other."""

from __future__ import annotations

import re
from functools import cache

import pytest
from pyoxigraph import CanonicalizationAlgorithm, Dataset, Quad, Store

from kgreason.errors import QueryError
from tests.sparql.graphs import PlainGraph
from tests.sparql.updates import SEED, Request, Requests, text_of
from tests.volume import many_seeds

_SOME = 25
_LENIENT = re.compile(
    r"a full stop \(\.\) is missing before|the prefix \w+: is not declared|"
    r"An integer should not be empty|: there is no graph <|the graph \S+ already exists"
)
"""Oxigraph takes triples without a full stop between them, reads `GRAPHp:c` as two tokens and `- 5` as one,
and knows empty graphs."""


@cache
def _seeded() -> tuple[Quad, ...]:
    store = Store()
    store.update(SEED)
    return tuple(store)


def _canonical(quads: set[Quad]) -> set[Quad]:
    store = Store()  # which gives literals their normal form
    store.extend(quads)
    dataset = Dataset(store)
    dataset.canonicalize(CanonicalizationAlgorithm.RDFC_1_0)
    return set(dataset)


def _by_oxigraph(request: Request) -> set[Quad] | None:
    """The quads after a request, or None if it is refused. Raises RuntimeError for CLEAR of a graph without quads."""
    store, prologue = Store(), ""
    store.extend(_seeded())
    try:
        for declared, operation in request:
            prologue += declared
            store.update(prologue + operation)
    except SyntaxError:
        return None
    return _canonical(set(store))


def _compare(request: Request) -> None:
    text, graph = text_of(request), PlainGraph()
    graph.quads = set(_seeded())
    problem = None
    try:
        graph.update(text)
    except QueryError as error:
        problem = str(error)
    try:
        expected = _by_oxigraph(request)
    except RuntimeError:
        return
    if problem is not None:
        assert expected is None or _LENIENT.search(problem), (text, problem)
    else:
        assert expected == _canonical(graph.quads), text


@pytest.mark.parametrize("seed", many_seeds(0, 4))
def test_a_random_update_does_what_oxigraphs_does(seed: int) -> None:
    requests = Requests(seed)
    for _ in range(_SOME):
        _compare(requests.request())


@pytest.mark.parametrize("seed", many_seeds(1_000_000, 4))
def test_a_damaged_update_is_taken_or_refused_by_both(seed: int) -> None:
    requests = Requests(seed)
    for _ in range(_SOME):
        request = requests.damaged()
        if not any({";", "#"} <= set(text) or {"W", "+"} <= set(text.upper()) for _, text in request):
            _compare(request)


FOUND = [
    [("PREFIX p: <http://p/> ", "CREATE SILENT GRAPH p:")],
    [("PREFIX : <http://e/> ", "INSERT DATA { :a :p true.graph :g { :a :p 'x'@en--ltr.:b :p : } }")],
    [("PREFIX : <http://e/> ", "INSERT DATA { :a :p :.GRAPH :g { :a :p 1 } }")],
    [("", "CLEAR SILENT DEFAULT #x\r")],
    [("BASE <http://b/> #<x>\r", "CLEAR #y\r SILENT DEFAULT")],
    [("PREFIX : <http://e/> ", "INSERT DATA { ( :a ( 1 ) ) . ( '(' ) GRAPH :g { ( 2 ) } }")],
    [("PREFIX : <http://e/> ", "INSERT { ( ?x ) # )\n. ?x :p () } WHERE { ?x :p 1 }")],
    [("PREFIX : <http://e/> ", "INSERT DATA { () . }")],
    [("PREFIX : <http://e/> ", "INSERT DATA { (()) . ([]) . (:a ()) . :b :p () . () :p 1 }")],
    [("PREFIX : <http://e/> ", "INSERT DATA { :a :p 'x'^^?d }")],
    [("PREFIX : <http://e/> ", "CLEAR\u00a0ALL")],
]


@pytest.mark.parametrize("request_", FOUND, ids=range(len(FOUND)))
def test_updates_that_were_told_apart_before(request_: Request) -> None:
    _compare(request_)
