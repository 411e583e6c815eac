"""`Imports`: adds to an edit the documents that owl:imports asks for, and removes documents that nobody imports now.

    an edit of ontology headers -> documents reached now -> documents to read, documents to withdraw -> the whole edit

A triple `?x owl:imports <iri>` of a graph reaches the document <iri>. Such a triple of an imported document counts only
while this document is reached itself. So two documents that import each other are not reached if no graph imports one
of them.

A document that is reached and not yet held is looked up in the catalogue and read. A document that is held and no
longer reached is withdrawn. The triples of both become quads of the edit, with the document's name in the place of a
graph (`quads/documents`). So they are committed, journalled, rolled back and replayed with the edit. A triple is
asserted while at least one graph or document holds it.

Invariant: the held documents are exactly those that are reached and could be found. A held document keeps the triples
that it had when it was read. The document is read anew only after its import was retracted and asserted again. If the
document of an import is not found, there is a warning. After that, every edit of an ontology header (owl:imports,
owl:versionIRI, the type owl:Ontology) looks for the missing document again.

Cost: three comparisons a row for an edit without triples of ontology headers. Any other edit takes one pass over the
asserted quads, and reads the new documents. Once a document is held, each asserted quad also takes memory in `Quads`
(`quads/asserted`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kgreason.engine.records import fact_columns
from kgreason.errors import InputError
from kgreason.interrupts import let_out
from kgreason.materialize.quads.asserted_quads import default_graph_quads
from kgreason.materialize.quads.documents import documents, source_of
from kgreason.materialize.schema.rows import IMPORTS, ONTOLOGY, TYPE, VERSION_IRI, are_headers, has_header
from kgreason.progress import SILENT, Progress
from kgreason.rdf.catalogue import Catalogue
from kgreason.rdf.reader import quads_of_file, read
from kgreason.terms.dictionary import Kind
from kgreason.zset.columns import Int32
from kgreason.zset.order import group_rows

if TYPE_CHECKING:
    from kgreason.materialize.edit import Edit
    from kgreason.materialize.materializer import Materializer


class ImportStatement(NamedTuple):
    """An owl:imports triple: the graph or document that holds the triple, its subject (the importer) and its object."""

    holder: str
    importer: str
    iri: str


class _ImportState(NamedTuple):
    """What the asserted triples say about imports.

    `links`: the owl:imports triples. `documents`: the names of the held documents. `ontologies`: the IRIs and version
    IRIs of ontologies.
    """

    links: frozenset[ImportStatement]
    documents: frozenset[str]
    ontologies: frozenset[str]


_UNKNOWN = "no document with this IRI is known (--catalogue says where documents are)"


class Imports:
    """Extends edits by the documents that owl:imports asks for.

    The documents come from `catalogue`. Without a catalogue no document is read. `said`: the asserted triples of the
    graph that say what is imported and what the ontologies are, int32[n, 3], and maybe others; None if nobody knows.
    """

    def __init__(self, materializer: Materializer, catalogue: Catalogue | None, said: Int32 | None = None) -> None:
        self._materializer, self._catalogue, self._said = materializer, catalogue, said
        self._known: _ImportState | None = None
        self._is_changed = False
        """Whether an edit has changed what is imported since the last `rollback`."""

    def with_imports(self, edit: Edit, progress: Progress = SILENT) -> Edit:
        """Return the edit, extended by quads of imported documents.

        The returned edit also asserts the quads of each document that is newly imported, and retracts the quads of each
        document that is no longer imported. New terms get ids of the dictionary.

        Raises LimitError; and InputError with the names of the document and of its importer.
        """
        if not (has_header(edit.added) or has_header(edit.removed)):
            return edit
        can_change = self._catalogue is not None or self._materializer.quads.is_explicit
        held = self._import_state() if can_change else None
        self._is_changed = True
        self.forget()
        return edit if held is None else self._with_documents(edit, held, progress)

    def forget(self) -> None:
        """Note that triples have changed that say what is imported and what the ontologies are."""
        self._known = self._said = None

    def rollback(self) -> None:
        """Note that an edit was rolled back. `warnings` may have read the triples of the edit before."""
        if self._is_changed:
            self._is_changed = False
            self.forget()

    def _with_documents(self, edit: Edit, held: _ImportState, progress: Progress) -> Edit:
        """Return the edit, extended by quads of documents. `held`: what the graph says about imports before the edit.

        The returned edit also asserts the quads of each document that is newly reached, and retracts the quads of each
        held document that is no longer reached.
        """
        links = (held.links - self._links(edit.removed)) | self._links(edit.added)
        parts = [edit.added]
        with progress("importing") as report:

            def fetch(link: ImportStatement) -> Iterable[ImportStatement]:
                parts.append(self._read(link))
                let_out()
                report(len(parts[-1]))
                return self._links(parts[-1])

            reached = _reachable_documents(links, held.documents, fetch)
        gone = held.documents - set(map(source_of, reached))
        removed = np.concatenate([edit.removed, self._quads_of(gone)])
        return edit._replace(removed=removed, added=np.concatenate(parts))

    def warnings(self) -> list[str]:
        """Return a line for each import whose document is missing.

        There is no line if the graph itself has an ontology with that IRI. Further lines name the files of the
        catalogue that do not parse, because one of these files may be the missing document.
        """
        held, missing = self._import_state(), []

        def note(link: ImportStatement) -> Iterable[ImportStatement]:
            if link.iri not in held.ontologies and not self._is_empty(link.iri):
                missing.append(f"{link.importer} imports {link.iri}: {_UNKNOWN}")
            return ()

        _reachable_documents(held.links, held.documents, note)
        return [*missing, *(self._catalogue.unread() if missing and self._catalogue else ())]

    def _is_empty(self, iri: str) -> bool:
        """Whether the catalogue has a document for this IRI and this document has no triples.

        Without triples, the asserted quads do not show whether the document was read. Cost: the document is opened.
        """
        path = self._catalogue.find(iri) if self._catalogue else None
        try:
            return path is not None and next(quads_of_file(path), None) is None
        except InputError:
            return False

    def _import_state(self) -> _ImportState:
        if self._known is None:
            quads = self._headers()
            predicates = quads[:, 1]
            types = quads[(predicates == TYPE) & (quads[:, 2] == ONTOLOGY), 0]
            ontologies = np.concatenate([types, quads[predicates == VERSION_IRI, 2]])
            decode = self._materializer.dictionary.decode
            names = decode(documents(self._materializer.dictionary, quads))
            self._known = _ImportState(self._links(quads), frozenset(names), frozenset(decode(ontologies)))
        return self._known

    def _headers(self) -> Int32:
        """Return the asserted quads int32[n, 4], at least those that say what is imported and what the ontologies are.

        While all quads are in the default graph, no other quad is returned, since there may be very many.
        """
        columns = self._materializer.quads.columns
        if columns is not None:
            return columns
        if self._said is not None:
            return default_graph_quads(self._said[are_headers(self._said)])
        saved = self._materializer.save(is_borrowed=True)
        triples = fact_columns(saved.records)[:, :3]
        return default_graph_quads(triples[are_headers(triples) & saved.are_triples() & saved.are_asserted()])

    def _quads_of(self, gone: Iterable[str]) -> Int32:
        """Return the quads int32[n, 4] of the documents with these names."""
        names, quads = self._materializer.dictionary.find(sorted(gone)), self._materializer.quads.columns
        return np.empty((0, 4), dtype=np.int32) if quads is None else quads[np.isin(quads[:, 3], names)]

    def _links(self, quads: Int32) -> frozenset[ImportStatement]:
        """Return an `ImportStatement` for each owl:imports quad of `quads`, int32[n, 4], whose object is an IRI."""
        dictionary = self._materializer.dictionary
        found = quads[quads[:, 1] == IMPORTS]
        found = found[dictionary.kinds(found[:, 2]) == Kind.IRI]
        texts = iter(dictionary.decode(found[:, [3, 0, 2]].ravel()))
        return frozenset(map(ImportStatement, texts, texts, texts))

    def _read(self, link: ImportStatement) -> Int32:
        """Read the document that `link` imports.

        Returns its quads int32[n, 4], each once, with the document's name as the graph. Returns no quads if the
        document is not found.
        """
        quads = np.empty((0, 4), dtype=np.int32)
        dictionary = self._materializer.dictionary
        try:
            path = self._catalogue.find(link.iri) if self._catalogue else None
            if path is not None:
                find = self._catalogue.find if self._catalogue else None
                batches = read(path, dictionary, base=link.iri[1:-1], threads=self._materializer.threads, find=find)
                quads = np.concatenate([quads, *(np.stack(batch, axis=1) for batch in batches)])
        except InputError as error:
            raise InputError(f"{error}; {link.importer} imports it as {link.iri}") from error
        if len(quads):
            quads[:, 3] = dictionary.intern([source_of(link.iri)])[0]
        return quads[group_rows(quads).firsts()]


def _reachable_documents(
    links: Iterable[ImportStatement],
    held: frozenset[str],
    fetch: Callable[[ImportStatement], Iterable[ImportStatement]],
) -> set[str]:
    """Return the IRIs of all documents that the graphs import, directly or through other documents.

    `links`: the owl:imports triples that are asserted. `held`: the names of the documents that the graph holds already.
    `fetch`: a function that takes a link to a document that is not held, and returns the links of this document.
    """
    following: dict[str, list[ImportStatement]] = {}
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
