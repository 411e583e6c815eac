"""`Imports`: the documents that owl:imports brings into a graph, and takes away again.

    an edit of headers -> what is reached now -> documents to read, documents to withdraw -> the whole edit

Every asserted triple `?x owl:imports <iri>` asks for the document of that IRI, those of an imported document as long as
that is reached itself; so documents that import each other, and that nobody else imports, are not reached. A document
that is reached and not held is looked up in the catalogue; one that was held and is not reached is withdrawn. Both are
quads of the edit, under the document's name (`sources`), and with it they are committed, journalled, taken back and
replayed. A triple is asserted while at least one graph or document holds it.

Invariant: exactly those documents are held that are reached and could be found. A document is held as it was read: one
that has changed on disk since is read anew when its import was withdrawn and is asserted again. An import without a
document is a warning; every edit of a header (owl:imports, owl:versionIRI, what is an owl:Ontology) looks for it again.

Cost: three comparisons a row for an edit that says nothing of headers. For any other, one pass over the asserted quads,
and the documents that come; quads are kept explicitly from then on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kgreason.engine.memory.layout import Int32
from kgreason.errors import InputError
from kgreason.materialize.quads.asserted import in_default_graph
from kgreason.materialize.quads.documents import documents, source_of
from kgreason.materialize.schema_rows import IMPORTS, ONTOLOGY, TYPE, VERSION_IRI
from kgreason.progress import SILENT, Progress
from kgreason.rdf.catalogue import Catalogue
from kgreason.rdf.reader import parsed, read
from kgreason.terms.dictionary import Kind
from kgreason.zset.order import grouped

if TYPE_CHECKING:
    from kgreason.materialize.edit import Edit
    from kgreason.materialize.materializer import Materializer


class Link(NamedTuple):
    """An owl:imports triple: the graph or document that says so, who imports, and which IRI."""

    holder: str
    importer: str
    iri: str


class _Held(NamedTuple):
    """What is asserted of imports: the links, the names of the documents held, the ontologies that are there."""

    links: frozenset[Link]
    documents: frozenset[str]
    ontologies: frozenset[str]


class Imports:
    """The imports of a graph, whose documents are those of `catalogue`; without one none is read."""

    def __init__(self, live: Materializer, catalogue: Catalogue | None) -> None:
        self._live, self._catalogue = live, catalogue
        self._known: _Held | None = None

    def completed(self, edit: Edit, progress: Progress = SILENT) -> Edit:
        """The edit with the quads of the documents that come and go with it; their terms are interned.

        Raises InputError, which names the document and who imports it, and LimitError.
        """
        if not (_has_header(edit.added) or _has_header(edit.removed)):
            return edit
        can_change = self._catalogue is not None or self._live.quads.is_explicit
        held = self._held() if can_change else None
        self._known = None
        return edit if held is None else self._followed(edit, held, progress)

    def _followed(self, edit: Edit, held: _Held, progress: Progress) -> Edit:
        """The edit with the documents that it brings into reach, and without those that it takes out of reach."""
        links = (held.links - self._links(edit.removed)) | self._links(edit.added)
        parts = [edit.added]
        with progress("importing") as report:

            def fetch(link: Link) -> Iterable[Link]:
                parts.append(self._read(link))
                report(len(parts[-1]))
                return self._links(parts[-1])

            reached = _reached(links, held.documents, fetch)
        gone = held.documents - set(map(source_of, reached))
        removed = np.concatenate([edit.removed, self._quads_of(gone)])
        return edit._replace(removed=removed, added=np.concatenate(parts))

    def warnings(self) -> list[str]:
        """A line for each import that has no document, unless the graph has an ontology with that IRI anyway.

        Others follow for files whose ontology is not known, as they do not parse.
        """
        held, missing = self._held(), []

        def note(link: Link) -> Iterable[Link]:
            if link.iri not in held.ontologies and not self._is_empty(link.iri):
                missing.append(f"{link.importer} imports {link.iri}: no document with this IRI is known")
            return ()

        _reached(held.links, held.documents, note)
        return [*missing, *(self._catalogue.unread() if missing and self._catalogue else ())]

    def _is_empty(self, iri: str) -> bool:
        """Whether the catalogue has a document that says nothing, so that no quad tells that it was read.

        Cost: it is opened.
        """
        path = self._catalogue.find(iri) if self._catalogue else None
        try:
            return path is not None and next(parsed(path), None) is None
        except InputError:
            return False

    def _held(self) -> _Held:
        if self._known is None:
            quads = self._quads()
            predicates = quads[:, 1]
            types = quads[(predicates == TYPE) & (quads[:, 2] == ONTOLOGY), 0]
            ontologies = np.concatenate([types, quads[predicates == VERSION_IRI, 2]])
            decode = self._live.dictionary.decode
            names = decode(documents(self._live.dictionary, quads))
            self._known = _Held(self._links(quads), frozenset(names), frozenset(decode(ontologies)))
        return self._known

    def _quads(self) -> Int32:
        """The asserted quads: int32[n, 4]."""
        columns = self._live.quads.columns
        return in_default_graph(self._live.save().triples(asserted=True)) if columns is None else columns

    def _quads_of(self, gone: Iterable[str]) -> Int32:
        """The quads int32[n, 4] that the documents of these names hold."""
        names = self._live.dictionary.find(sorted(gone))
        quads = self._quads() if len(names) else np.empty((0, 4), dtype=np.int32)
        return quads[np.isin(quads[:, 3], names)]

    def _links(self, quads: Int32) -> frozenset[Link]:
        """The links among quads int32[n, 4]; only an IRI can be imported."""
        dictionary = self._live.dictionary
        found = quads[quads[:, 1] == IMPORTS]
        found = found[dictionary.kinds(found[:, 2]) == Kind.IRI]
        texts = iter(dictionary.decode(found[:, [3, 0, 2]].ravel()))
        return frozenset(map(Link, texts, texts, texts))

    def _read(self, link: Link) -> Int32:
        """The quads int32[n, 4] of a document, each once and of no graph but its own; none where it is not known."""
        quads = np.empty((0, 4), dtype=np.int32)
        dictionary = self._live.dictionary
        try:
            path = self._catalogue.find(link.iri) if self._catalogue else None
            if path is not None:
                batches = read(path, dictionary, base=link.iri[1:-1])
                quads = np.concatenate([quads, *(np.stack(batch, axis=1) for batch in batches)])
        except InputError as error:
            raise InputError(f"{error}; {link.importer} imports it as {link.iri}") from error
        if len(quads):
            quads[:, 3] = dictionary.intern([source_of(link.iri)])[0]
        return quads[grouped(quads).firsts()]


def _has_header(quads: Int32) -> bool:
    """Whether quads int32[n, 4] say anything of imports, or of which ontologies there are."""
    predicates, objects = quads[:, 1], quads[:, 2]
    return bool((predicates == IMPORTS).any() or (predicates == VERSION_IRI).any() or (objects == ONTOLOGY).any())


def _reached(links: Iterable[Link], held: frozenset[str], fetch: Callable[[Link], Iterable[Link]]) -> set[str]:
    """The IRIs to which links lead from the graphs; `fetch` gives the links of a document that is not held."""
    following: dict[str, list[Link]] = {}
    for link in sorted(links):
        following.setdefault(link.holder if link.holder in held else "", []).append(link)
    reached: set[str] = set()
    waiting = following.get("", [])
    while waiting:
        link = waiting.pop()
        if link.iri not in reached:
            reached.add(link.iri)
            name = source_of(link.iri)
            waiting += following.get(name, ()) if name in held else fetch(link)
    return reached
