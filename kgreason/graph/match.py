"""`match`: the quads of a graph that match a pattern, with literals as they were written.

Oxigraph finds rows by its indexes, and the engine knows the spellings of literals.

Oxigraph shows literals in a normal form (`spellings`), so one of its rows may stand for several triples:

    stored      :x :age 1       what a query shows
    written     :x :age "01"^^xsd:integer ,  :x :age 1

Law: `match` gives each quad of the graph that matches the pattern term by term, once, as of the moment of the call. If
a triple with a literal has gone since then, `match` may leave it out. So `"1"` matches only `"1"`, and `"a"@en-gb` only
the literal with this tag. Cost: Oxigraph's look-up. The engine is asked only for rows with a literal of which the
dictionary has another spelling; if only asserted quads are wanted, it is asked for all rows. To know which literals
these are, `match` needs the graph's lock for rows with a datatype, and for rows with a language tag if a tag of the
graph may have a capital letter (`State.has_small_tags`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from functools import partial
from itertools import chain, compress, islice
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pyoxigraph import BlankNode, DefaultGraph, Literal, NamedNode, Quad, Triple

from kgreason.graph.input.terms import NO_PREFIXES, PLACES, Prefixes, UserTerm, term_of, term_text_at, text_of
from kgreason.graph.sparql_update.steps import are_asserted_in_graph
from kgreason.graph.state.running import Running
from kgreason.store.oxigraph.store import OxigraphStore
from kgreason.store.oxigraph.update import Term
from kgreason.store.spellings import may_have_spellings
from kgreason.terms.tags import parse_quads, with_small_tag
from kgreason.zset.columns import Int32

Held: TypeAlias = Callable[[], AbstractContextManager[Running]]
"""A context that gives one thread a graph with its engine; other threads wait."""
_CHUNK = 1_000
_TYPES = {
    "subject": (NamedNode, BlankNode),
    "predicate": (NamedNode,),
    "object": (NamedNode, BlankNode, Literal, Triple),
    "graph": (NamedNode, BlankNode, DefaultGraph),
}


class Pattern(NamedTuple):
    """The terms that matching quads have at each place; None matches any term."""

    subject: NamedNode | BlankNode | None
    predicate: NamedNode | None
    object: Term | None
    graph: NamedNode | BlankNode | DefaultGraph | None


def pattern(*terms: UserTerm | None, prefixes: Prefixes = NO_PREFIXES) -> Pattern:
    """Make a pattern from the terms that a user gives for subject, predicate, object and graph. Raises InputError."""
    given = [*terms, *[None] * (len(PLACES) - len(terms))]
    found: list[Any] = [_term(term, place, prefixes) for term, place in zip(given, PLACES, strict=True)]
    return Pattern(*found)


def _term(term: UserTerm | None, place: str, prefixes: Prefixes) -> Term | DefaultGraph | None:
    if term is None or isinstance(term, _TYPES[place]):
        known: Term | DefaultGraph | None = term
        return known
    return term_of(term_text_at(term, place, prefixes))


def match(
    store: OxigraphStore,
    held: Held,
    has_small_tags: Callable[[], bool],
    pattern: Pattern,
    *,
    asserted: bool,
    any_case: bool,
) -> Callable[[], Iterator[Quad]]:
    """Return a function that gives the quads which match a pattern; with `asserted` only the asserted ones.

    After an error of `held` call the function again: it gives the quads that are left. Raises StoreError.

    With `any_case` language tags are compared without case, as rdflib does.
    `with held() as state` takes the graph's lock for the block; `state` is the graph with its engine.
    `has_small_tags()` asks the graph's present state.
    """
    form = partial(_asserted_quads, held) if asserted else partial(_present_quads, held, has_small_tags)
    chunks = _FormedChunks(form, store.match(*pattern))
    if pattern.object is None:
        return lambda: chain.from_iterable(chunks)
    wanted = _with_small_tag(pattern.object) if any_case else pattern.object

    def is_wanted(quad: Quad) -> bool:
        return (_with_small_tag(quad.object) if any_case else quad.object) == wanted

    return lambda: filter(is_wanted, chain.from_iterable(chunks))


def _with_small_tag(term: Term) -> str:
    return with_small_tag(text_of(term))


class _FormedChunks(Iterator[Iterable[Quad]]):
    """Iterates over `form(chunk)` for chunks of rows. After an error of `form` the next step tries its chunk again."""

    def __init__(self, form: Callable[[list[Quad]], Iterable[Quad]], rows: Iterator[Quad]) -> None:
        self._form, self._rows = form, rows
        self._chunk: list[Quad] = []

    def __next__(self) -> Iterable[Quad]:
        self._chunk = self._chunk or list(islice(self._rows, _CHUNK))
        if not self._chunk:
            raise StopIteration
        found = self._form(self._chunk)
        self._chunk = []
        return found


def _asserted_quads(held: Held, chunk: list[Quad]) -> Iterable[Quad]:
    """Return the asserted quads that the rows of Oxigraph in `chunk` stand for: each asserted spelling of a row."""
    with held() as state:
        forms = _spelled_quads(chunk, state)
        return _quads(state, forms[are_asserted_in_graph(state.materializer, forms)])


def _present_quads(held: Held, has_small_tags: Callable[[], bool], chunk: list[Quad]) -> Iterable[Quad]:
    """Return the quads that the rows of Oxigraph in `chunk` stand for: each spelling that the graph has."""
    alone, some = _split_by_spellings(chunk, has_small_tags=has_small_tags())
    if not some:
        return alone
    with held() as state:
        is_varied = state.spellings.have_other_spellings([text_of(quad.object) for quad in some])
        alone += [quad for quad, varied in zip(some, is_varied, strict=True) if not varied]
        forms = _spelled_quads(list(compress(some, is_varied)), state)
        return chain(alone, _quads(state, forms[_are_in_graph(state, forms)]))


def _split_by_spellings(chunk: list[Quad], *, has_small_tags: bool) -> tuple[list[Quad], list[Quad]]:
    """Split the rows in `chunk`: first those whose object has one spelling, then those where it may have several.

    An object may have several spellings if it is or contains a literal with a datatype or a language tag. With
    `has_small_tags` a literal with a language tag has one.
    """
    parts: tuple[list[Quad], list[Quad]] = [], []
    for quad in chunk:
        is_small = has_small_tags and isinstance(quad.object, Literal) and quad.object.language is not None
        has_forms = (
            isinstance(quad.object, (Literal, Triple)) and not is_small and may_have_spellings(text_of(quad.object))
        )
        parts[has_forms].append(quad)
    return parts


def _spelled_quads(chunk: list[Quad], state: Running) -> Int32:
    """Return a quad of ids for each row of Oxigraph in `chunk` and each known spelling of its object: int32[n, 4].

    The known spellings are those that are in the dictionary.
    """
    objects = state.spellings.of_forms([text_of(quad.object) for quad in chunk])
    texts = chain.from_iterable((str(quad.subject), str(quad.predicate), _graph_name(quad)) for quad in chunk)
    found = state.materializer.dictionary.find(texts).reshape(-1, 3)
    rows = found[np.repeat(np.arange(len(chunk)), list(map(len, objects)))]
    return np.column_stack([rows[:, :2], np.fromiter(chain.from_iterable(objects), np.int32), rows[:, 2]])


def _are_in_graph(state: Running, quads: Int32) -> NDArray[np.bool_]:
    """For each of the quads, int32[n, 4], whether the graph has it: bool[n]. The default graph has the closure."""
    named = quads[:, 3] != 0
    shown = state.materializer.are_shown(np.ascontiguousarray(quads[:, :3]))
    if named.any():
        shown[named] = state.materializer.quads.holds(quads[named])
    return shown


def _quads(state: Running, rows: Int32) -> list[Quad]:
    return list(parse_quads(state.materializer.dictionary.lines(*rows.T), lenient=True)) if len(rows) else []


def _graph_name(quad: Quad) -> str:
    return "" if isinstance(quad.graph_name, DefaultGraph) else str(quad.graph_name)
