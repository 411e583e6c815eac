"""`KnowledgeGraph`: a graph that is kept materialized, in memory or in a store on disk.

    load -> read -> reason -> snapshot -> store;   query -> store

On a first load the store is filled with the asserted rows while the engine works. Invariants: the store's default graph
is the closure of the union of all graphs, each named graph holds its own asserted quads; a load that fails or is
interrupted leaves graph and store as they were. `query`, `dump` and `stats` start neither the engine nor Numba.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from kgreason.engine.layout import Int32
from kgreason.errors import StoreError
from kgreason.graph import snapshot
from kgreason.graph.folder import Folder, Manifest
from kgreason.graph.modes import SchemaMode
from kgreason.graph.progress import SILENT, Progress, cancellable
from kgreason.graph.report import Contradiction, contradictions, statistics
from kgreason.graph.repository import Fill, Repository
from kgreason.graph.snapshot import Saved
from kgreason.graph.storing import chunks, distinct_named, put, without_shared
from kgreason.rdf.generalised import is_rdf
from kgreason.store.images import Images
from kgreason.store.protocol import RdfStore, Results
from kgreason.terms.dictionary import Dictionary

if TYPE_CHECKING:
    from kgreason.engine.engine import Changes
    from kgreason.graph.materializer import Materializer

File = str | PathLike[str]
DEFAULT_RULES = ("owl2rl",)


class KnowledgeGraph:
    """A materialized knowledge graph; use `KnowledgeGraph.open`.

    >>> from kgreason.resources import resource
    >>> with KnowledgeGraph.open(rules=["owl2rl"]) as graph:
    ...     stats = graph.load(resource("ontologies", "univ-bench.ttl"))
    ...     bool(graph.query('''PREFIX ub: <http://swat.cse.lehigh.edu/onto/univ-bench.owl#>
    ...         ASK { ub:GraduateStudent <http://www.w3.org/2000/01/rdf-schema#subClassOf> ub:Person }'''))
    ...     sum(len(chunk.splitlines()) for chunk in graph.dump(asserted=False)) == stats["inferred"]
    True
    True
    """

    def __init__(self, repository: Repository) -> None:
        self._home = repository
        self._live: Materializer | None = None

    @classmethod
    def open(
        cls,
        path: File | None = None,
        *,
        rules: Sequence[str] | None = None,
        schema: SchemaMode | None = None,
        read_only: bool = False,
    ) -> Self:
        """Open the store at a path, made if it is not there, or a graph in memory.

        `rules` are names of rule sets (rdfs, rhodf, owl2rl, none) and rule files; a store keeps those it was made with
        (owl2rl unless asked otherwise). `schema` is "axioms" (translated to rules) or "data" (read by generic rules).
        Raises StoreLockedError where another process has the store open, StoreVersionError, StoreError.
        """
        wanted = Manifest(list(rules or DEFAULT_RULES), schema or "axioms")
        if path is None:
            return cls(Repository(None, wanted, write=True))
        folder = Folder(Path(path), write=not read_only)
        if read_only and folder.is_behind:
            folder.close()
            folder, read_only = Folder(Path(path), write=True), False
        try:
            _check_same(folder, rules, schema)
            return cls(Repository(folder, wanted, write=not read_only))
        except BaseException:
            folder.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the store; everything that was committed stays."""
        self._live = None
        self._home.close()

    def load(self, *paths: File, syntax: str | None = None, progress: Progress = SILENT) -> dict[str, Any]:
        """Assert what RDF files hold and bring the graph up to date; the statistics after it, and the seconds it took.

        `-` is standard input; `syntax` names the format where the suffix does not. Raises InputError, RdfSyntaxError
        (file and line), RuleError, LimitError, StoreError; then, and on Ctrl-C, nothing has changed.
        """
        begun = time.perf_counter()
        self._home.check_writable()
        self._home.refill()
        live = self._materializer()
        known, is_first = len(live.dictionary), not len(live.engine)
        before = None if is_first or self._home.is_on_disk else live.save()
        try:
            quads = live.read(paths, syntax=syntax, progress=progress)
            changes, fill = self._first(live, quads, progress) if is_first else self._more(live, quads, progress)
            self._commit(live, changes, fill)
        except BaseException:
            self._withdraw(live, known, before)
            raise
        return self.stats() | {"seconds": round(time.perf_counter() - begun, 3)}

    def _first(self, live: Materializer, quads: Int32, progress: Progress) -> tuple[list[Changes], Fill]:
        """Reason over a first load while its asserted rows go to the store."""
        self._home.touch()
        rows, named, dictionary = quads[:, :3], distinct_named(quads), live.dictionary
        with ThreadPoolExecutor(1) as worker, cancellable() as report:
            asserted = worker.submit(self._home.store.load, chunks(dictionary, rows, report))
            changes = live.add(quads, progress=progress)
            asserted.result()
        inferred = live.save().triples(asserted=False)
        inferred = inferred[is_rdf(dictionary, *inferred.T)]
        return changes, lambda store: _put(store, dictionary, inferred[:0], inferred, named, progress)

    def _more(self, live: Materializer, quads: Int32, progress: Progress) -> tuple[list[Changes], Fill]:
        """Reason over a later load; the delta goes to the store."""
        named, dictionary = distinct_named(quads), live.dictionary
        changes = live.add(quads, progress=progress)

        def fill(store: RdfStore) -> None:
            removed, added = live.net(changes)
            if len(removed):
                removed = without_shared(Images(dictionary), removed, live.holds)
            _put(store, dictionary, removed, added, named, progress)

        return changes, fill

    def _commit(self, live: Materializer, changes: list[Changes], fill: Fill) -> None:
        saved, book = live.save(), live.rulebook
        stats = statistics(saved, live.dictionary) | {
            "rules": len(book.program.reasons),
            "strategy": changes[0].strategy,
            "rewrites": sum(change.rewrites for change in changes),
            "engine_bytes": live.engine.circuit.nbytes,
            "dictionary_bytes": live.dictionary.nbytes,
        }
        manifest = replace(self._home.manifest, stats=stats, warnings=list(book.program.warnings))
        reasons, own = book.program.reasons, live.selection.own
        self._home.commit(manifest, lambda path: snapshot.write(path, saved, live.dictionary, reasons, own), fill)

    def _withdraw(self, live: Materializer, known: int, before: Saved | None) -> None:
        """After a load that failed, back to the last commit, from its snapshot or, in memory, `before`.

        The engine is not trusted any more: it may have committed, or have been interrupted in its own rollback.
        """
        self._live = None
        touched = self._home.is_touched
        self._home.refill()
        if not self._home.is_on_disk:
            live.dictionary.truncate(known)
            self._live = type(live)(live.selection, live.dictionary)
            if before is not None:
                self._live.restore(before)
                if touched:
                    self._home.fill_with(before, live.dictionary)

    def _materializer(self) -> Materializer:
        """The engine's side of the graph, restored when it is first needed."""
        if self._live is None:
            from kgreason.graph.materializer import Materializer
            from kgreason.graph.selection import reselect, select

            manifest, path = self._home.manifest, self._home.snapshot
            if path is None:
                self._live = Materializer(select(manifest.rules, manifest.schema))
            else:
                selection = reselect(manifest.rules, snapshot.read_own(path), manifest.schema)
                self._live = Materializer(selection, snapshot.read_dictionary(path))
                self._live.restore(snapshot.read_state(path))
        return self._live

    def query(self, sparql: str) -> Results:
        """The results of a SPARQL query over the materialized graph: solutions, triples or a boolean, of pyoxigraph.

        Raises QueryError.
        """
        self._home.refill()
        return self._home.store.query(sparql)

    def stats(self) -> dict[str, Any]:
        """Counts of facts, terms, rules and contradictions, and how the last commit was evaluated."""
        return dict(self._home.manifest.stats) or dict.fromkeys(("facts", "asserted", "inferred", "terms", "rules"), 0)

    @property
    def warnings(self) -> list[str]:
        """What the ontology says that no rule could be made of, one line each."""
        return list(self._home.manifest.warnings)

    def rules(self) -> list[dict[str, str]]:
        """The rules in force: name, rule text, and why each of them runs."""
        if self._live is not None:
            return snapshot.described(self._live.rulebook.program.reasons)
        return snapshot.read_rules(self._home.snapshot) if self._home.snapshot else []

    def contradictions(self) -> list[Contradiction]:
        """Every contradiction that rules derive: the rule's name, and the values of its variables."""
        state = self._state()
        return contradictions(*state) if state else []

    def dump(self, *, asserted: bool | None = None, graphs: bool = False) -> Iterator[bytes]:
        """The graph as N-Triples lines, in chunks: the closure, or its asserted or inferred triples alone.

        With `graphs` as N-Quads: the asserted quads of named graphs stand beside the triples of the default graph.
        Literals keep the form they were written in. What is dumped is the graph as it is when this is called.
        """
        state = self._state()
        if state is None:
            return iter(())
        saved, dictionary = state
        tables = saved.graphs(asserted) if graphs else [saved.triples(asserted=asserted)]
        return chain.from_iterable(chunks(dictionary, rows[is_rdf(dictionary, *rows.T[:3])]) for rows in tables)

    def _state(self) -> tuple[Saved, Dictionary] | None:
        """The state of the graph, from the engine if it runs, else from the snapshot; None for an empty graph."""
        if self._live is not None:
            return self._live.save(), self._live.dictionary
        path = self._home.snapshot
        return (snapshot.read_state(path), snapshot.read_dictionary(path)) if path else None


def _put(store: Any, dictionary: Dictionary, removed: Int32, added: Int32, named: Int32, progress: Progress) -> None:
    with progress("storing", len(removed) + len(added) + len(named)) as report:
        put(store, dictionary, removed, added, report)
        put(store, dictionary, np.empty((0, 4), dtype=np.int32), named, report)


def _check_same(folder: Folder, rules: Sequence[str] | None, schema: str | None) -> None:
    """Refuse other rules than a store was made with."""
    made = folder.manifest
    if made is None or not made.commit:
        return
    for option, wanted, kept in (("rules", rules and list(rules), made.rules), ("schema", schema, made.schema)):
        if wanted is not None and wanted != kept:
            text = " ".join(kept) if isinstance(kept, list) else kept
            raise StoreError(f"{folder.path}: the store was made with {option} {text}, which cannot be changed")
