"""`KnowledgeGraph`: a graph that is kept materialized, in memory or in a store on disk.

    load, transaction, update -> engine -> journal -> store -> subscribers;   query -> store

Invariants: the store's default graph holds the closure of the union of all graphs. Each named graph holds its own
asserted quads. An edit that fails or is interrupted leaves graph and store as they were.

Threads: any number of threads may use a graph. One lock (`lock`) protects everything that touches the engine, the
dictionary or the journal. A transaction has the lock from its beginning to its end, and other writers wait for it.
Queries never wait: each query reads the last commit as a whole.

Cost: on a store that was closed without an error, `query` and `stats` start neither the engine nor Numba. `dump` and
`rules` start neither while the journal is empty.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from operator import methodcaller
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Self, TypeVar, Unpack, overload

from pyoxigraph import BlankNode, DefaultGraph, NamedNode, Triple

from kgreason.errors import InputTypeError, QueryError, StoreError
from kgreason.graph.changes.load_result import Loaded
from kgreason.graph.constructed.query_speller import QuerySpeller
from kgreason.graph.constructed.speller import Speller
from kgreason.graph.history import reading
from kgreason.graph.input.arguments import check_author, check_paths, check_rules, check_text, check_texts
from kgreason.graph.input.bindings import Bindings, name_bindings_in_error, with_bindings
from kgreason.graph.input.terms import UserTerm, checked_prefixes, graph_name
from kgreason.graph.lock import check_wait, with_lock
from kgreason.graph.open_transaction import OpenTransaction
from kgreason.graph.opening.home import check_rule_files_not_removed, open_home
from kgreason.graph.opening.options import Documents, EngineOptions, File, Strategy, manifest_options
from kgreason.graph.readable_graph import ReadableGraph
from kgreason.graph.results.answers import Matches, QueryAnswer, answer_of
from kgreason.graph.results.questions import Queryable
from kgreason.interrupts import as_one
from kgreason.options import (
    DEFAULT_LIMITS,
    HistoryMode,
    OnContradiction,
    OnViolation,
    SameAsMode,
    SchemaMode,
    check_count,
    check_seconds,
)
from kgreason.progress import SILENT, Progress, progress_of
from kgreason.rdf.lines.skipped_lines import Skipped
from kgreason.rdf.reader import check_files
from kgreason.sparql.query.evaluation import answer
from kgreason.sparql.query.numbers import depends_on_numbers, warn_caller
from kgreason.store.homes.home import Home, closed_error
from kgreason.store.journal.record import check_headers
from kgreason.store.oxigraph.store import OxigraphStore

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from kgreason.graph.changes.delta import Delta
    from kgreason.graph.history.revert import Reverted
    from kgreason.graph.input.frames import FrameMapping
    from kgreason.graph.input.quads import Item, Table
    from kgreason.graph.match import Pattern
    from kgreason.graph.relation.relation import GraphRelation
    from kgreason.graph.shapes.shapes import Shapes
    from kgreason.graph.shapes.shapes_editor import Source
    from kgreason.graph.shapes.validation import DataMode
    from kgreason.graph.sparql_update.uncommitted_store import WhereLimits
    from kgreason.graph.sparql_update.update import Updated
    from kgreason.graph.standing.standing_queries import StandingQueries
    from kgreason.graph.standing.standing_query import RowChange, StandingQuery
    from kgreason.graph.state.running import Running
    from kgreason.graph.transaction import Transaction
    from kgreason.materialize.relations.reading import RelationReader
    from kgreason.proofs.proof import Unsatisfiable
    from kgreason.shapes.report import Report
    from kgreason.sparql.operations import Operation
    from kgreason.terms.dictionary import Dictionary
    from kgreason.zset.columns import Int32

Result = TypeVar("Result")


class KnowledgeGraph(ReadableGraph, Queryable):
    """A materialized knowledge graph; `KnowledgeGraph.open` makes one.

    change      `add`, `remove`, `load`, `unload`, `update`, `transaction`, `relation`; `what_if` looks ahead
    ask         `query`, `select`, `ask`, `construct`, `match`, `relation`, `in`, `len`, iteration
    validate    `shapes`, `validate`
    understand  `explain`, `why_not`, `contradictions`, `unsatisfiable_classes`, `rules`, `warnings`, `stats`
    follow      `subscribe`, `streams`, `dump`
    look back   `log`, `changes`, `as_of`, `revert`, `deltas_since`, if the graph keeps its `history`
    keep        `backup`, `close`

    Use a graph in a `with` block, or call `close` in the end.

    >>> from kgreason.resources import resource
    >>> with KnowledgeGraph.open(rules=["owl2rl"]) as graph:
    ...     stats = graph.load(resource("ontologies", "univ-bench.ttl"))
    ...     bool(graph.query('''PREFIX ub: <http://swat.cse.lehigh.edu/onto/univ-bench.owl#>
    ...         ASK { ub:GraduateStudent <http://www.w3.org/2000/01/rdf-schema#subClassOf> ub:Person }'''))
    ...     sum(len(chunk.splitlines()) for chunk in graph.dump(asserted=False)) == stats["inferred"]
    True
    True
    """

    def __init__(
        self, home: Home | None = None, options: EngineOptions | None = None, lacking: Sequence[str] = ()
    ) -> None:
        if home is None or options is None:
            raise InputTypeError(
                "KnowledgeGraph() cannot be called: use KnowledgeGraph.open(path) for a store, or KnowledgeGraph.open()"
                " for a graph in memory"
            )
        super().__init__(home, options, lacking)
        self._open = OpenTransaction(home, self._lock, self._committer, options.find)
        self._speller = Speller(home, self._lock, self._open, lambda: self._state)
        if home.is_writable and (home.position.is_behind or home.manifest.is_older):
            self._committer().settle()

    @classmethod
    @as_one
    def open(
        cls,
        path: File | None = None,
        *,
        rules: File | Sequence[File] | None = None,
        schema: SchemaMode | None = None,
        same_as: SameAsMode | None = None,
        aliases: int | None = None,
        on_contradiction: OnContradiction | None = None,
        on_violation: OnViolation | None = None,
        strategy: Strategy = "auto",
        fraction: float | None = None,
        budget: int | None = None,
        most_made_terms: int | None = None,
        most_rounds: int | None = None,
        threads: int | None = None,
        catalogue: Documents | None = None,
        functions: Iterable[Callable[..., Any]] = (),
        history: HistoryMode | None = None,
        read_only: bool = False,
        wait: float | None = 0,
        late: bool = False,
    ) -> Self:
        """Open a store on disk, or make a graph in memory.

        With a `path` the graph lives in the store at this path. If there is no store yet, `open` makes it, unless
        `read_only` is set. Without a path the graph lives in memory and ends with the process.

        A store keeps the options `rules`, `schema`, `same_as`, `aliases`, `on_contradiction` and `on_violation` from
        its first opening on. Leave them out when you open the store again. While the store has no commit, another value
        replaces the option; after that, another value is an error.

        - `rules`: one name or a list of names. A name is a rule set (`rdfs`, `rhodf`, `owl2rl`, `owl2el`, `none`) or
          the path of a rule file (`.dl`, `.srl`, `.rq`). The default is `owl2rl`.
        - `schema`: with "axioms" (the default) kgreason translates the axioms of the ontology to rules. With "data"
          generic rules read the axioms as facts.
        - `same_as`: how kgreason treats terms that owl:sameAs makes equal (a clique). With "aliases" (the default) each
          term appears in the triples of all the others. With "representatives" one term of each clique, its
          representative, appears in place of the others. With "rules" the plain rules of the W3C run; their cost is the
          cube of the size of a clique.
        - `aliases`: a budget for `same_as="aliases"`. A clique that would show more than this many rows shows its
          representative only.
        - `on_contradiction`: with "keep" (the default) a contradiction stops nothing. With "refuse" a commit with a new
          contradiction is rolled back, and raises ContradictionError, which names the contradiction. A contradiction
          that the graph has already stops no later commit. A `what_if` is never refused: its delta has the new
          contradictions.

        - `on_violation`: with "report" (the default) a validation result stops nothing (see `shapes`). With "refuse" a
          commit with new results is rolled back, and raises ViolationError, which has the results; those with the
          severity sh:Warning or sh:Info stop nothing. "refuse-warnings" refuses sh:Warning as well, "refuse-all" any.

        The representative is the term whose text comes first in order, IRIs before blank nodes and literals. If two
        cliques become one, kgreason chooses between their representatives. If rules name members of a clique, kgreason
        chooses among these members. The choice depends on the commits only. So the representatives are the same when
        the store is opened again, and for each follower of the store.

        - `history`: with "all" the graph keeps what every commit changed, for `log`, `changes`, `as_of` and `revert`. A
          number keeps at least so many of the last commits, and "90d" at least those of the last 90 days. Old commits
          are removed while new ones are made. With "none" (the default) the graph keeps no history. A store remembers
          this option. If you pass another value for a store without a history, its history begins with the next commit.

        The other options hold until the graph is closed.

        - `strategy`: how commits are evaluated. "update" computes only what a commit changes, "bootstrap" computes the
          closure again, and "auto" (the default) takes the cheaper of the two.
        - `fraction`: how much "auto" tries before it gives a deletion up. If updating takes more than this share of the
          work of computing the closure again, the closure is computed again. The default is 0.5; with 0 only small
          deletions are tried.
        - `budget`: how many rewrites one commit may extend. A commit that needs more raises LimitError.
        - `most_made_terms`: how many new terms a recursion through BIND may make in one commit; the default is 10^6.
          Most recursions that make more terms never end. A commit that makes more terms is rolled back, and raises
          LimitError, which names the rule.
        - `most_rounds`: how many rounds a recursion through BIND, MIN or MAX may take in one commit; the default is
          10,000. A commit that needs more raises LimitError.
        - `threads`: how many threads may share work that can be divided: large commits, and reading N-Triples and
          N-Quads. By default KGREASON_THREADS says the number, and without this environment variable it is the number
          of CPUs that the process may use. The results are the same for any number. More than 256 count as 256.
        - `catalogue`: the documents that owl:imports names. Pass a `Catalogue`, a path for `Catalogue.open` (a folder,
          an XML catalog or a map), or a dict of files by IRI. Without a catalogue no imported document is read.
        - `functions`: Python functions that rules may call; see `function`. If the store has rules whose functions are
          missing, or have other types than before, it is opened for reading only, and `warnings` names them.
        - `read_only`: open the store for reading. Any number of readers may use a store while one writer changes it. A
          reader sees the commit that is the last one when the reader is first asked. To see later commits, open the
          store again, or follow the writer with `kgreason watch`.
        - `wait`: how many seconds to wait until another writer has closed the store; None waits without a limit.
        - `late`: for a graph in memory that nobody may ever query. With True what the first commit loads is put into
          the store that queries and `match` read when it is first read, or by the next commit. The reader waits for
          this, also beyond its `timeout`.

        If a `with` block makes a store and ends in an error before the first commit, the store is removed.

        Raises StoreLockedError if another writer has the store open, StoreVersionError for a store that this version
        of kgreason cannot read, StoreError if there is no store to read or it was made with other options, RuleError
        for rules that cannot be used, and InputError for an unknown option or an unreadable file.
        """
        check_paths("open", () if path is None else (path,))
        check_rules(rules)
        rules = [rules] if isinstance(rules, (str, PathLike)) else rules
        made_with = {"rules": rules, "schema": schema, "same_as": same_as, "aliases": aliases}
        made_with |= {"on_contradiction": on_contradiction, "on_violation": on_violation}
        wanted = manifest_options(made_with | {"history": history})
        options = EngineOptions.of_arguments(
            strategy, budget, most_made_terms, most_rounds, threads, catalogue, functions, fraction, late
        )
        check_wait("wait", wait)
        once = lambda: cls.open(path, catalogue=options.catalogue, functions=options.registry.calls).close()  # noqa: E731
        home, lacking = open_home(path, wanted, options, once, read_only=read_only, wait=wait)
        try:
            graph = cls(home, options, lacking)
            if home.path is not None and home.last:
                check_rule_files_not_removed(home.path, wanted.get("rules", ()), graph.own_rules, options.find)
        except BaseException:
            home.close(is_failed=True)
            raise
        return graph

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._close(is_failed=kind is not None)

    def close(self) -> None:
        """Close the store. All commits stay. If this thread has a transaction open, its edits are dropped.

        If another thread has a transaction open, `close` waits until it ends.
        """
        self._close(is_failed=False)

    @with_lock
    def _close(self, *, is_failed: bool) -> None:
        try:
            self._open.drop("the graph was closed while the transaction was open; its edits were dropped")
            if self._started is not None:
                self._started.settle()
        finally:
            self._started, self._state = None, self._at_rest
            self._home.close(is_failed=is_failed)
            self._lock.surely_release(0)  # an open transaction had the lock as well

    def transaction(
        self, headers: Mapping[str, str] | None = None, *, author: str | None = None, timeout: float | None = None
    ) -> Transaction:
        """Begin a transaction: `with graph.transaction() as tx` makes the edits of the block one commit.

        Until the transaction ends, other threads that edit the graph or ask its engine wait. If another thread has the
        graph now, this call waits at most `timeout` seconds, and without a limit if `timeout` is None. Reads inside the
        block, such as queries, `match` and `explain`, see the last commit without the edits of the block.

        `headers` are names and texts that are stored with the commit. A header named `stream` says which stream the
        commit belongs to; `streams` gives the headers of the last commit of each stream. `author` says who makes the
        commit; the history, the journal and subscribers get the author and the time.

        Raises GraphBusyError after `timeout`, and StoreError if this thread has a transaction open already or the store
        was opened for reading only.
        """
        if headers is not None:
            check_texts("headers", headers)
            check_headers(headers)
        if author is not None:
            check_author(author)
        return self._open.surely_begin(headers or {}, timeout, author=author or "")

    @overload
    def function(self, call: Callable[..., Result]) -> Callable[..., Result]: ...
    @overload
    def function(self, *, batch: bool = False) -> Callable[[Callable[..., Result]], Callable[..., Result]]: ...
    def function(self, call: Callable[..., Any] | None = None, *, batch: bool = False) -> Any:
        """A decorator: let rules call a Python function by its name.

        The annotations of the function say which values it takes and gives: str, int, float, Decimal, bool, datetime,
        date, and the terms of pyoxigraph (NamedNode, BlankNode, Literal, Triple). A function that returns None gives no
        result. A function that returns a list gives each item as a result. The function is not called for terms that
        do not fit its types; for such terms there is no result.

        The function must be pure: it is called once for each input, and its results are kept. With `batch` it takes and
        gives whole columns, as NumPy or Arrow arrays.

        Raises InputTypeError for annotations that rules cannot use, and InputError for a name that is taken.

        >>> with KnowledgeGraph.open(rules=["none"]) as graph:
        ...     @graph.function
        ...     def area(w: int, h: int) -> int:
        ...         return w * h
        ...     with graph.transaction() as tx:
        ...         _ = tx.add_rules("[?x, <e:area>, ?a] :- [?x, <e:side>, ?w], BIND(area(?w, ?w) AS ?a) .")
        ...         _ = tx.add("<e:x> <e:side> 8 .")
        ...     [found] = graph.match("<e:x>", "<e:area>", None)
        >>> str(found.object.value)
        '64'
        """
        register = partial(self._register, batch=batch)
        return register if call is None else register(call)

    @with_lock
    def _register(self, call: Callable[..., Any], *, batch: bool) -> Callable[..., Any]:
        self._options.registry.register(call, batch=batch)
        return call

    def what_if(self, *, reasons: int = 0, timeout: float | None = None) -> Transaction:
        """Begin a transaction that computes a delta and changes nothing; see `transaction` for `timeout` and errors.

        The graph may be open for reading only.

        >>> with KnowledgeGraph.open() as graph:
        ...     with graph.what_if() as tx:
        ...         _ = tx.add("<http://e/tom> a <http://e/Cat> .")
        ...     ("<http://e/tom>", "a", "<http://e/Cat>") in graph, len(tx.delta.appeared(asserted=True))
        (False, 1)

        `tx.delta.contradictions` are the new contradictions that the edits would raise. `tx.delta.ended` are the
        contradictions of the graph that the edits would end. `tx.delta.reasons` says which rule and axioms derive an
        inferred triple: for at most `reasons` triples that would appear, and for as many that would disappear.
        """
        check_count("reasons", reasons, 0)
        return self._open.surely_begin(None, timeout, reasons=reasons)

    @with_lock
    def unsatisfiable_classes(self) -> list[Unsatisfiable]:
        """Return the named classes that nothing can be in, each with a proof, in the order of their names.

        Such a class does not contradict the ontology, but its first member will. To find that out, each class gets a
        member in a what-if, as of the last commit, so that nothing changes. The graph may be open for reading only. If
        rules have NOT, the answer is about a member of which nothing else is known. A class is left out if its member
        would be equal to a term that has the same contradiction already.

        >>> with KnowledgeGraph.open() as graph:
        ...     _ = graph.add('''@prefix : <http://e/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
        ...         @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . :Cat owl:disjointWith :Dog .
        ...         :CatDog a owl:Class ; rdfs:subClassOf :Cat , :Dog .''')
        ...     [each.name for each in graph.unsatisfiable_classes()]
        ['<http://e/CatDog>']
        """
        from kgreason.graph.explanations.unsatisfiable_classes import unsatisfiable_classes

        described = self._describer()
        found = unsatisfiable_classes(self._committer(), self.match)
        return [each._replace(proof=described.describe_proof(each.proof)) for each in found]

    @with_lock
    def subscribe(self, callback: Callable[[Delta], object]) -> Callable[[], None]:
        """Call `callback` with the delta of every commit from now on. The result is a function that ends the calls.

        The callback is called after the commit, in the thread that made the commit and in the order of the commits. It
        may edit the graph. The thread has the graph's lock, so the callback must not wait for another thread that uses
        the graph. If the callback raises an error, the commit stays, all other subscribers are called, and then the
        error reaches the caller that made the commit.
        """
        return self._open.subscribers.add(callback)

    @with_lock
    def standing(
        self,
        sparql: str,
        callback: Callable[[RowChange], object],
        *,
        prefixes: Mapping[str, str] | None = None,
        base: str | None = None,
        timeout: float | None = None,
        together: StandingQueries | None = None,
    ) -> StandingQuery:
        """Call `callback` with the rows of a SELECT or ASK query, and after each commit with the rows that changed.

        The first call comes now, and has all present rows as rows that appeared. Later calls come after each commit
        that changes the rows, in the thread that made the commit, as with `subscribe`. Rows count as a bag, or as a set
        if the query says DISTINCT or REDUCED. The order of the rows is not told. A query of triple patterns, OPTIONAL
        and FILTER is answered from the deltas, if each OPTIONAL comes after the patterns whose variables it names, in
        the same braces. Any other query is evaluated again after each commit. Call `close` on the result to end it.

        `timeout` is how many seconds an evaluation may take. If an evaluation takes longer, the standing query ends,
        and the last call of `callback` has the error. Queries that are `together` share limits in place of `timeout`.
        Raises QueryError, QueryTimeoutError.

        >>> with KnowledgeGraph.open() as graph:
        ...     query = graph.standing("SELECT ?x { ?x a <http://e/Cat> }", lambda change: print(change[2:4]))
        ...     _ = graph.add("<http://e/tom> a <http://e/Cat> .")
        ...     _ = graph.remove("<http://e/tom> a <http://e/Cat> .")
        ([], [])
        ([('<http://e/tom>',)], [])
        ([], [('<http://e/tom>',)])
        """
        from kgreason.graph.standing.standing_query import StandingQuery

        check_text("standing", "a SELECT or ASK query", sparql)
        check_seconds("timeout", timeout)
        known, warned = checked_prefixes(prefixes), list[str]()

        def ask(text: str) -> QueryAnswer:
            seconds, most = (timeout, None) if together is None else (together.seconds_left(), together.process_bytes)
            results = self._results(text, known, base, None, seconds, most)
            if not warned and (number := self.number_warning(sparql)) is not None:
                warned.append(number)
                warn_caller(number)
            return results

        rooms = () if together is None else (together.characters_left,)
        query = StandingQuery(ask, sparql, known, base, self._home.last, callback, *rooms)
        if together is None:
            query.end = self._open.subscribers.add(query.on_commit)
        else:
            together.join(query, self._open.subscribers.add)
        return query

    @as_one
    def add(
        self,
        *items: Item | Table,
        prefixes: Mapping[str, str] | None = None,
        timeout: float | None = None,
        **mapping: Unpack[FrameMapping],
    ) -> Delta:
        """Assert triples as one commit, and return its delta.

        An item is a tuple of three or four terms, as `match` takes them; a triple, quad or solution of pyoxigraph;
        Turtle or TriG text; a graph or dataset of rdflib, whose blank nodes keep their labels; or a frame of pandas,
        Polars or Arrow. Terms, text and mappings may use the `prefixes`. `timeout` is how many seconds to wait for
        another thread. Raises RdfSyntaxError, InputError, and the errors of `transaction`.

        For the rows of a frame, these arguments say which triples they give. A missing value (None, NaN, NaT, null)
        gives no triple, and a list gives one for each item. Numbers, booleans, dates, times and durations become
        literals of XSD; text becomes plain text.

        - `subject`: the IRI of the row, as a template such as `"http://e/{id}"`, with values percent-encoded. `{+iri}`
          takes values as they are.
        - `vocabulary`: the beginning of the predicates. With `"http://e/"` the column `name` gives `<http://e/name>`.
          Columns of the subject's template give no triples, unless `columns` names them.
        - `columns`: what single columns mean, by their names: a predicate; a predicate with a datatype
          (`("ex:age", "xsd:byte")`), a language (`("ex:note", "@en")`) or a template for IRIs
          (`("ex:knows", "http://e/{knows}")`); or None for no triples.
        - `types`: the class of all rows, or a list of classes.
        - `graph`: the name of the graph that gets the triples.

        >>> with KnowledgeGraph.open() as graph:
        ...     delta = graph.add(("ex:tom", "a", "ex:Cat"), ("ex:tom", "ex:age", 7), prefixes={"ex": "http://e/"})
        ...     ("http://e/tom", "http://e/age", 7) in graph, len(graph)
        (True, 2)
        """
        self._check_before_compiling(partial(_check_items, items, prefixes))
        tx = self._open.begin({}, timeout)
        return tx.complete(partial(tx.edit_items, 1, items, prefixes, mapping))

    @as_one
    def remove(
        self,
        *items: Item | Table,
        prefixes: Mapping[str, str] | None = None,
        timeout: float | None = None,
        **mapping: Unpack[FrameMapping],
    ) -> Delta:
        """Retract triples and quads as one commit, and return its delta. Items and mappings are given as for `add`.

        A triple that the rules still derive stays in the graph as an inferred triple. A label of a blank node means the
        blank node that queries show with this label.
        """
        self._check_before_compiling(partial(_check_items, items, prefixes))
        tx = self._open.begin({}, timeout)
        return tx.complete(partial(tx.edit_items, -1, items, prefixes, mapping))

    def load(
        self,
        *paths: File,
        syntax: str | None = None,
        skip_malformed: bool = False,
        progress: Progress | bool = False,
        timeout: float | None = None,
    ) -> Loaded:
        """Assert the quads of RDF files as one commit.

        `-` is standard input. `syntax` names the format of files without a known suffix. With `skip_malformed`
        malformed lines of N-Triples and N-Quads are left out: the result has their number, `skipped`, and its attribute
        `skipped` the first of them. `progress=True` draws a bar for each stage, on a terminal or in a notebook; a
        function of your own (`kgreason.progress`) hears of the stages. `timeout` is how many seconds to wait for
        another thread.

        The result is a dict of counts of the *whole graph* after the commit, by the names of `stats`, with the
        `seconds` that the call took. The result's attribute `delta` is the delta of *this call*, as `add` returns it.

        Raises InputError, RdfSyntaxError (with file and line), RuleError, LimitError, StoreError. After an error or
        Ctrl-C nothing has changed.

        >>> from kgreason.resources import resource
        >>> with KnowledgeGraph.open() as graph:
        ...     loaded = graph.load(resource("ontologies", "univ-bench.ttl"))
        ...     loaded["facts"] == len(graph), len(loaded.delta.appeared(asserted=True)) == loaded["asserted"]
        (True, True)
        """
        check_paths("load", paths)
        progress = progress_of(progress)
        if not skip_malformed:
            self._check_before_compiling(lambda: check_files(paths, syntax=syntax, find=self._options.find))
        skipped = Skipped() if skip_malformed else None
        return self._commit_files(
            methodcaller("edit_files", 1, paths, syntax, progress, skipped), progress, timeout, skipped
        )

    def load_interned(self, read: Callable[[Dictionary], Int32], progress: Progress = SILENT) -> Loaded:
        """Load quads that were parsed elsewhere, for example by Spark; see `Transaction.add_interned`."""
        return self._commit_files(lambda tx: tx.add_interned(read), progress)

    def unload(
        self,
        *paths: File,
        syntax: str | None = None,
        progress: Progress | bool = False,
        timeout: float | None = None,
    ) -> Loaded:
        """Retract the quads of RDF files as one commit. Triples that followed only from these quads disappear.

        Arguments, result and errors are those of `load`. The result has one more count: `missed` is the number of quads
        that were not asserted.
        """
        check_paths("unload", paths)
        progress = progress_of(progress)
        self._check_before_compiling(lambda: check_files(paths, syntax=syntax, find=self._options.find))
        return self._commit_files(methodcaller("edit_files", -1, paths, syntax, progress), progress, timeout)

    def _check_before_compiling(self, check: Callable[[], object]) -> None:
        """If kernels must be compiled first, call `check`: it reads the input, whose errors do not wait so long."""
        if self._started is None:
            from kgreason.engine.engine import is_compiled

            if not is_compiled():
                check()

    @as_one
    def _commit_files(
        self,
        collect: Callable[[Transaction], object],
        progress: Progress,
        timeout: float | None = None,
        skipped: Skipped | None = None,
    ) -> Loaded:
        begun = time.perf_counter()
        with self._lock.hold_undivided(timeout):
            tx = self._open.begin({})
            delta = tx.complete(partial(collect, tx), progress)
            stats = self._counts()
        return Loaded(stats | delta.change.work._asdict(), delta, time.perf_counter() - begun, skipped)

    def update(
        self,
        sparql: str,
        source: str = "<update>",
        *,
        bindings: Bindings | None = None,
        prefixes: Mapping[str, str] | None = None,
        base: str | None = None,
        timeout: float | None = None,
    ) -> Updated:
        """Carry out a SPARQL 1.1 Update request as one commit: all of its operations, or none.

        A WHERE reads the materialized graph as the earlier operations left it. DELETE retracts asserted quads. Literals
        found by WHERE or written by INSERT are in the normal form that Oxigraph shows, as in `query`. DELETE retracts
        every spelling of a literal: `DELETE DATA { :x :age 1 }` also retracts `:x :age "01"^^xsd:integer`.

        The request may use the `prefixes` and the `base` without declaring them. `bindings` are terms for variables, as
        in `query`. `timeout` is how many seconds to wait for another thread. Raises QueryError for a request that does
        not parse or cannot be evaluated, and the errors of a transaction. After an error nothing has changed. A WHERE
        that computes warns as `query` does.
        """
        from kgreason.sparql.parser import parse

        check_text("update", "a SPARQL Update", sparql)
        if not sparql.strip():
            raise QueryError(f"{source}: the update is empty")
        known = checked_prefixes(prefixes)
        text = with_bindings(sparql, bindings, known, base)
        operations = parse(text, source, known, base)  # before the engine starts: a syntax error does not wait for it
        return self.carry_out(operations, timeout=timeout)

    @as_one
    def carry_out(
        self,
        operations: tuple[Operation, ...],
        *,
        keep: bool = True,
        reasons: int = 0,
        timeout: float | None = None,
        wheres: WhereLimits | None = None,
    ) -> Updated:
        """Carry out the operations of a SPARQL Update (`sparql.operations`) as one commit; see `update`.

        With `keep=False` nothing changes: the result has the delta that the commit would have, as with `what_if`.
        `reasons` has the same meaning as for `what_if`. With `wheres` each WHERE can be ended, and raises
        QueryTimeoutError if it takes too long.
        """
        from kgreason.graph.sparql_update.update import update

        with self._lock.hold_undivided(timeout):
            transaction = self.transaction() if keep else self.what_if(reasons=reasons)
            return update(self._committer(), self._home, transaction, operations, wheres)

    def query(
        self,
        sparql: str,
        *,
        bindings: Bindings | None = None,
        prefixes: Mapping[str, str] | None = None,
        base: str | None = None,
        default_graph: UserTerm | None = None,
        timeout: float | None = None,
    ) -> QueryAnswer:
        """Return the results of a SPARQL query over the materialized graph: `Solutions`, `Triples`, or a boolean.

        The query may use the `prefixes` and the `base` without declaring them. `default_graph` is the name of a graph
        that the query reads in place of the default graph, as a term that `match` takes. A query sees the last commit,
        also inside a transaction. The variables of SELECT * come in the order in which the query names them. SERVICE
        asks the network. Raises QueryError, InputError.

        `bindings` maps variables to terms, as `match` takes them for an object: the query is asked with these terms in
        the place of the variables, as if VALUES gave them at the start of the pattern and of each group in it. (The
        group of a MINUS gets them if a triple pattern in it has the variable.) An inner
        SELECT has the term only if it selects the variable; otherwise its variable is another one with the same name. A
        term is never read as SPARQL, so it may come from anybody.

        >>> with KnowledgeGraph.open() as graph:
        ...     _ = graph.add("<http://e/tom> <http://e/age> 7 . <http://e/kim> <http://e/age> 9 .")
        ...     [row] = graph.select("SELECT ?who { ?who <http://e/age> ?age }", bindings={"age": 7})
        ...     row["who"].value
        'http://e/tom'

        CONSTRUCT and DESCRIBE give the triples of the graph with literals as they are written. SELECT shows literals in
        Oxigraph's normal form, and so do computed values and triples that are read after a later commit.

        Oxigraph computes with integers of 64 bits and decimals of 18 places. If the graph has a longer number and the
        query compares, orders or computes, `query` warns (NumberWarning) that the results may be wrong.

        With a `timeout` all rows must be fetched within this many seconds. Otherwise the call, or the fetching of a
        row, raises QueryTimeoutError. Ctrl-C ends the call, or the fetching of a row, at once. Oxigraph itself cannot
        be stopped, so there are two ways:

        - On disk, a query with a timeout runs in a process of its own, which costs 50 milliseconds. The process is
          killed at the timeout, at Ctrl-C, and when the results are dropped. With `timeout=math.inf` the query runs in
          such a process without a limit.
        - Any other query runs in this process. After a timeout or Ctrl-C a thread in the background goes on until
          Oxigraph has found its next row. Until then the thread keeps the store open. The thread does not keep Python
          from ending.
        """
        check_text("query", "a SPARQL query", sparql)
        check_seconds("timeout", timeout)
        known = checked_prefixes(prefixes)
        name = None if default_graph is None else graph_name(default_graph, known)
        sparql = with_bindings(sparql, bindings, known, base)
        with name_bindings_in_error(bindings):
            results = self._results(sparql, known, base, name, timeout)
        if (number := self.number_warning(sparql)) is not None:
            warn_caller(number)
        return results

    def number_warning(self, sparql: str) -> str | None:
        """Return the warning of `query` that the results of a query may be wrong; None if there is no reason for one.

        Any thread may ask, without waiting.
        """
        number = self._state.number_warning()
        return number if number is not None and depends_on_numbers(sparql) else None

    def _results(
        self,
        sparql: str,
        prefixes: Mapping[str, str],
        base: str | None,
        name: NamedNode | BlankNode | None,
        timeout: float | None,
        most: int | None = None,
    ) -> QueryAnswer:
        """Ask the store a query, without a warning; see `query`. `most` is the `most_bytes` of the store."""
        how: Any = {"prefixes": prefixes, "base": base, "default_graph": name, "timeout": timeout, "most_bytes": most}
        ask = partial(self._home.store.query, **how)
        graphs = None if name is None else [name]
        spell = QuerySpeller(self._speller.of_query(timeout), sparql, prefixes, base, graphs).spell
        return answer_of(answer(sparql, prefixes, base, ask, spell), self._shown_prefixes)

    def match(
        self,
        subject: UserTerm | None = None,
        predicate: UserTerm | None = None,
        object_: UserTerm | None = None,
        graph: UserTerm | None = None,
        *,
        asserted: bool = False,
        prefixes: Mapping[str, str] | None = None,
    ) -> Matches:
        """Return the quads that match a pattern of terms, as of this call. None matches any term.

        A term is an IRI ("http://e/a"), a name with one of the `prefixes` ("ex:a"), text in N-Triples syntax, or a term
        of pyoxigraph or rdflib. The object may also be a Python value (5, True, a date). As `graph`, DefaultGraph()
        means the default graph, which holds the closure.

        With `asserted` the result has only the quads that users asserted. Users can retract these quads. Quads that
        come only from an imported document are left out. Literals keep the spelling in which they were written;
        a SELECT shows their normal form.

        Raises InputError for a text that is not a term, and for a term that cannot stand at its place.
        """
        from kgreason.graph.match import pattern

        return self.matches(
            pattern(subject, predicate, object_, graph, prefixes=checked_prefixes(prefixes)), asserted=asserted
        )

    def matches(self, pattern: Pattern, *, asserted: bool = False, any_case: bool = False) -> Matches:
        """Return the quads that match a pattern, as `match` does. With `any_case` language tags match in any case."""
        from kgreason.graph.match import match

        def has_small_tags() -> bool:
            return self._state.has_small_tags()

        def held() -> AbstractContextManager[Running]:
            return self._locked_state(matches.patience)

        found = match(self._home.store, held, has_small_tags, pattern, asserted=asserted, any_case=any_case)
        matches = Matches(found, self._shown_prefixes)
        return matches

    @with_lock
    def pairs(self, predicate: str, *, asserted: bool | None = None) -> tuple[list[str], Int32]:
        """Return the pairs (subject, object) of IRIs that a predicate links, as of this call.

        `predicate` is an IRI as N-Triples text. `asserted`: only asserted triples if True, only inferred ones if False,
        all if None. The result is the IRIs of all pairs, sorted, and the pairs as rows of
        numbers in this list: int32[n, 2]. Cost: a look at each fact. This is for many pairs: `match` makes a Python
        object for each.

        >>> with KnowledgeGraph.open(rules=["rdfs"]) as graph:
        ...     _ = graph.add(":b :p :a .", prefixes={"": "http://e/"})
        ...     graph.pairs("<http://e/p>")
        (['<http://e/a>', '<http://e/b>'], array([[1, 0]], dtype=int32))
        """
        from kgreason.materialize.relations.facts import linked_pairs

        return linked_pairs(self._saved_state(is_borrowed=True), predicate, asserted=asserted)

    def relation(self, name: str, arity: int | None = None) -> GraphRelation:
        """Return an object that reads and edits the facts of a relation, such as `edge(?x, ?y)` in rules.

        `arity` is the number of places. It is needed only if there are several relations with this name. A relation
        that is neither declared nor used is empty. Raises InputError for a name that no relation of a user can have.

        >>> with KnowledgeGraph.open(rules=["none"]) as graph:
        ...     with graph.transaction() as tx:
        ...         _ = tx.add_rules("near(?x, ?y) :- edge(?x, ?y, ?w), FILTER(?w < 9) .")
        ...     delta = graph.relation("edge").insert([("urn:a", "urn:b", 5), ("urn:b", "urn:c", 9)])
        ...     delta.relation("near").appeared(), len(graph.relation("edge"))
        ([('<urn:a>', '<urn:b>')], 2)
        """
        from kgreason.graph.relation.relation import GraphRelation
        from kgreason.rules.relations.names import checked_arity, checked_name

        if self._home.is_closed:
            raise closed_error()
        return GraphRelation(self, self._read_relations, checked_name(name), checked_arity(arity))

    @property
    def shapes(self) -> Shapes:
        """The shapes graph (SHACL): `load`, `add`, `remove`, `unload`, `clear`, `triples`. Each edit is a commit.

        Shapes become rules, and a validation result is a fact that they derive: it comes and goes with the commit that
        makes or repairs it. The triples of the shapes graph are no triples of the graph.
        """
        from kgreason.graph.shapes.shapes import Shapes

        return Shapes(self)

    @as_one
    def validate(self, data: DataMode = "inferred", *, shapes: Source | Sequence[Source] | None = None) -> Report:
        """Return the report about the shapes graph: whether the graph conforms to it, and all validation results.

        With `data="inferred"` (the default) triples that rules derive count; the results are there already. With
        "asserted" only the quads that users asserted count, and the report is computed by this call. "inferred-targets"
        validates the targets of the first over the values of the second. With `shapes` the graph is validated against
        these, given as `shapes.load` takes them, in place of its own; it stays as it is.

        >>> with KnowledgeGraph.open() as graph:
        ...     _ = graph.shapes.load('''
        ...         @prefix sh: <http://www.w3.org/ns/shacl#> . @prefix : <http://e/> .
        ...         :CatShape sh:targetClass :Cat ; sh:property [ sh:path :name ; sh:minCount 1 ] .
        ...     ''')
        ...     _ = graph.add(":tom a :Cat .", prefixes={"": "http://e/"})
        ...     report = graph.validate()
        ...     report.conforms, str(report.results[0].focus)
        (False, '<http://e/tom>')
        """
        from kgreason.graph.shapes.validation import validate

        given = shapes if shapes is None or isinstance(shapes, (list, tuple)) else [shapes]
        return validate(self, data, given, self._empty_graph, lambda: self._open.is_open)

    def _empty_graph(self) -> KnowledgeGraph:
        """Return an empty graph in memory without rules, with the budget of this graph, that is not queried."""
        with self.turn():
            budget = self._started.budget if self._started else self._options.budget
        return type(self).open(rules=["none"], budget=budget, late=True)

    def relations(self) -> list[GraphRelation]:
        """Return the user's relations, sorted by name: those that have facts, and those that are declared."""
        from kgreason.graph.relation.relation import GraphRelation
        from kgreason.materialize.relations.facts import relations_with_facts

        state = self._saved_state()
        known = {(each.name, each.arity) for each in relations_with_facts(*state)} if state else set()
        known |= {(name, len(relation.columns)) for name, relation in self._declarations().items()}
        return [GraphRelation(self, self._read_relations, *each) for each in sorted(known)]

    @with_lock
    def _read_relations(self, read: Callable[[RelationReader], Result]) -> Result | None:
        return self._state.relations(read)

    @contextmanager
    def evaluating(
        self,
        strategy: Strategy | None = None,
        budget: int | None = None,
        author: str | None = None,
        check: Callable[[Delta], object] | None = None,
    ) -> Iterator[None]:
        """Within the block, evaluate commits with another strategy or a lower budget than those passed to `open`.

        `author` is the author of the commits; see `transaction`. `check` is called with the delta of each commit before
        the commit is kept; it must not use the graph. If it raises an error, there is no commit. Other threads wait
        until the block ends.
        """
        check_author(author)
        with self._lock.hold():
            committer = self._committer()
            before = committer.strategy, committer.budget, committer.author
            committer.check, before_check = check, committer.check
            committer.strategy, committer.author = strategy or committer.strategy, author or committer.author
            committer.budget = min((each for each in (budget, committer.budget) if each is not None), default=None)
            try:
                yield
            finally:
                committer.strategy, committer.budget, committer.author = before
                committer.check = before_check

    @property
    def store(self) -> OxigraphStore:
        """The rows that queries read, as of the last commit, for programs that serve them. Do not change them."""
        return self._home.store

    def __contains__(self, item: Item) -> bool:
        """Whether the graph has a triple or a quad. For a triple this asks the default graph, which holds the closure.

        The item is a row of terms, or one triple as Turtle text. A literal may have the normal form that queries show.
        Raises InputError.
        """
        from kgreason.graph.input.quads import quad_of
        from kgreason.graph.match import pattern

        return any(self._home.store.match(*pattern(*quad_of(item))))

    def __iter__(self) -> Iterator[Triple]:
        """Iterate over the triples of the closure, as of this call."""
        return (quad.triple for quad in self.match(graph=DefaultGraph()))

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError(
            "a KnowledgeGraph can be neither copied nor pickled, because its store is open: to copy it, load its"
            " `dump(asserted=True)` into another graph; to use it in another process, open the store there"
        )

    @as_one
    def as_of(self, commit: int) -> Self:
        """Return a copy in memory of the graph as it was after a commit. Close the copy in the end.

        The copy cannot be changed. It answers everything that a graph answers: queries, `match`, `stats`, proofs,
        contradictions. Raises HistoryError for a commit that the history does not have.

        Cost: the memory of a whole graph, and evaluating what changed since the commit.

        >>> with KnowledgeGraph.open(history="all") as graph:
        ...     _ = graph.add("<http://e/tom> a <http://e/Cat> .")
        ...     _ = graph.remove("<http://e/tom> a <http://e/Cat> .")
        ...     with graph.as_of(1) as past:
        ...         len(graph), len(past)
        (0, 1)
        """
        from kgreason.graph.history.past import as_of

        options = self._options._replace(catalogue=None, limits=DEFAULT_LIMITS, threads=None)
        with self._lock.hold() if self._home.path is None else nullcontext():
            write = lambda path: self._committer().write(path)  # noqa: E731
            return as_of(commit, self._home, write, lambda home: self.at_home(home, options))

    @classmethod
    def at_home(cls, home: Home, options: EngineOptions) -> Self:
        """Return a graph at `home`, with its engine running: everything that it needs of files is read."""
        graph = cls(home, options)
        graph._committer()
        return graph

    @as_one
    def revert(self, commit: int, *, timeout: float | None = None) -> Reverted:
        """Take a commit back by a new commit. Facts and rules that later commits changed as well stay as they are.

        The new commit removes the quads, rules and facts of relations that the old commit added, and adds those that
        the old commit removed. The result has the `delta`, and the `conflicts`: a line for each change that could not
        be undone. The new commit has the header `reverts`. If nothing can be undone, there is no commit.

        Raises HistoryError for a commit that the history does not have, and the errors of a transaction.

        >>> with KnowledgeGraph.open(history="all") as graph:
        ...     _ = graph.add("<http://e/tom> a <http://e/Cat> .")
        ...     reverted = graph.revert(1)
        ...     len(graph), reverted.conflicts, graph.revert(1).conflicts[0][-12:]
        (0, (), 'gone already')
        """
        from kgreason.graph.history.revert import revert

        check_count("commit", commit, 1)
        with self._lock.hold(timeout):
            reading.history_of(self._home, commit, commit - 1)  # before the engine starts
            return revert(commit, self._home, self._committer().materializer, self._open.begin)

    def backup(self, path: File) -> int:
        """Copy the store on disk to a path where nothing is yet. Returns the number of the copy's last commit.

        The copy is a store of its own, with the history. Meanwhile others, and this process too, may read and write the
        store. Raises StoreError, also for a graph in memory. Cost: files that never change become hard links, if the
        copy is on the same file system.
        """
        from kgreason.store.backup import copy_store

        if self._home.is_closed:
            raise closed_error()
        check_paths("backup", (path,))
        if self._home.path is None:
            raise StoreError("a graph in memory has no store to copy; load its `dump(asserted=True)` into a store")
        copy_store(self._home.path, Path(path))
        if self._lacking:
            return self._home.last
        with type(self).open(path, functions=self._options.registry.calls) as copy:
            return copy.commit


def _check_items(items: Iterable[Item], prefixes: Mapping[str, str] | None) -> None:
    from kgreason.graph.input.quads import check_items

    check_items(items, prefixes=checked_prefixes(prefixes))
