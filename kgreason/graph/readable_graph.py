"""`ReadableGraph`: a graph that is open, and what its state and its history tell. `KnowledgeGraph` adds all the rest.

    the state      stats, warnings, streams, rules, contradictions, dump
    one fact       explain, explain_all, why_not
    the history    log, changes, deltas_since

Threads: one lock (`lock`) protects everything that touches the engine, the dictionary or the journal.

Cost: the state is at rest until something needs the engine (`state.at_rest`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any

from kgreason.errors import GraphBusyError
from kgreason.graph.history import reading
from kgreason.graph.input.arguments import check_asserted, check_single
from kgreason.graph.input.terms import checked_prefixes
from kgreason.graph.lock import GraphLock, with_lock
from kgreason.graph.opening.options import MADE_WITH, EngineOptions
from kgreason.graph.results import notebook
from kgreason.graph.results.documents import LINES, WITH_GRAPHS, document_of
from kgreason.graph.results.lists import ContradictionList, RuleList
from kgreason.graph.state.at_rest import AtRest
from kgreason.graph.state.state import State
from kgreason.graph.state.statistics import COUNTS
from kgreason.materialize.state import SavedState
from kgreason.options import check_count
from kgreason.proofs.contradiction import Contradiction
from kgreason.rdf.formats import PARQUET, writable_format
from kgreason.store.homes.home import Home, closed_error
from kgreason.terms.dictionary import Dictionary

if TYPE_CHECKING:
    from kgreason.graph.changes.delta import Delta
    from kgreason.graph.commits import Committer
    from kgreason.graph.explanations.describer import Describer
    from kgreason.graph.input.quads import Item
    from kgreason.graph.state.running import Running
    from kgreason.proofs.proof import Proof
    from kgreason.proofs.why_not.answer import WhyNot
    from kgreason.rules.model import Relation, Rule, Triple
    from kgreason.store.history.entry import Head


class ReadableGraph:
    """A graph at `home`. Python functions that its rules call are missing if `lacking` has lines."""

    def __init__(self, home: Home, options: EngineOptions, lacking: Sequence[str] = ()) -> None:
        self._home, self._options, self._lacking = home, options, lacking
        self._lock = GraphLock()
        self._started: Committer | None = None
        self._at_rest = AtRest(home, lambda: self._committer().state, options.find, lacking)
        self._state: State = self._at_rest
        self._counted: tuple[int, Mapping[str, Any]] | None = None
        """A commit and its counts: those of the last call of `stats`."""

    @property
    def options(self) -> dict[str, Any]:
        """The options that the graph was made with: rules, schema, same_as, aliases, on_contradiction, on_violation."""
        return {name: getattr(self._home.manifest, name) for name in MADE_WITH}

    @property
    def commit(self) -> int:
        """The number of the last commit; 0 if there is none."""
        return self._home.last

    def turn(self, timeout: float | None = None) -> AbstractContextManager[None]:
        """Reserve the graph for this thread: in `with graph.turn()` other threads neither edit it nor ask its engine.

        So a read and a later edit in the block see the same state. Queries of other threads go on, because they never
        wait. Raises GraphBusyError after `timeout` seconds.
        """
        return self._lock.hold(timeout)

    def check_writable(self) -> None:
        """Raise StoreError if the graph takes no commit: it is closed, or was opened for reading only."""
        self._home.writable()

    def check_room(self) -> None:
        """Raise StoreError if the graph takes no commit now, although it is open for writing.

        For a full disk this is a DiskFullError. The call writes a small file into the folder of the store, and removes
        it. Any thread may call this, at any time; it does not wait for edits.
        """
        self._home.writable().check_room()

    def _committer(self) -> Committer:
        """Return the graph with its engine. The first call restores the engine from the store."""
        if self._started is None:
            from kgreason.graph.commits import Committer

            home, options = self._home, self._options
            if home.is_closed:
                raise closed_error()
            self._started = home.start_engine(lambda since: Committer(home, options, since))
            self._state = self._started.state
        return self._started

    @with_lock
    def described(self, terms: Iterable[str]) -> list[Triple]:
        """Return the triples that say what the blank nodes among `terms` stand for: restrictions, lists and so on."""
        return self._describer().triples(dict.fromkeys(terms))

    def _describer(self) -> Describer:
        from kgreason.graph.explanations.describer import Describer

        return Describer(self._home.store)

    @contextmanager
    def _locked_state(self, timeout: float | None = None) -> Iterator[Running]:
        """Hold the lock during the block. The block gets the state of the engine."""
        with self._lock.hold(timeout):
            yield self._committer().state

    @with_lock
    def _saved_state(self, *, is_borrowed: bool = False) -> tuple[SavedState, Dictionary] | None:
        return self._state.saved(is_borrowed=is_borrowed)

    def __len__(self) -> int:
        """The number of triples in the closure. Cost: a pass over the facts, once for each commit."""
        return int(self.stats()["facts"])

    def __bool__(self) -> bool:
        """True, also for an empty graph: `if graph` asks whether there is a graph."""
        return True

    def __repr__(self) -> str:
        """The place of the graph, its last commit and its rules. Cost: nothing is computed."""
        home = self._home
        place = f"store {str(home.path)!r}" if home.path is not None else "in memory"
        state = "closed" if home.is_closed else f"commit {home.last}"
        return f"<KnowledgeGraph {place}, {state}, rules {' '.join(home.manifest.rules)}>"

    def _repr_html_(self) -> str | None:
        """Return the counts of the graph as an HTML table, which notebooks show; None if the graph is closed.

        This does not wait: if another thread uses the graph, the counts are those that were counted last.
        """
        if self._home.is_closed:
            return None
        caption = repr(self)
        try:
            with self._lock.hold(0):
                counts: Mapping[str, Any] = self.stats()
        except GraphBusyError:
            kept = self._home.manifest
            commit, counts = self._counted or (kept.stored, kept.stats)
            caption = f"{caption}; another thread uses the graph: counts of commit {commit}"
        shown = {name: counts[name] for name in COUNTS if name in counts}
        return notebook.html_table(caption, ("", "number"), shown.items())

    @with_lock
    def stats(self) -> dict[str, Any]:
        """Counts of the graph as of its last commit, by name.

        - `facts`: triples of the graph: asserted and inferred
        - `asserted`: triples that were loaded or added
        - `inferred`: triples that rules derive, and that were not added
        - `hidden`: facts that no query shows: of your own relations, and triples that RDF does not allow
        - `relations`: facts of your own relations, asserted and derived
        - `named`: asserted quads of named graphs
        - `imported`: documents that owl:imports brought
        - `terms`: IRIs, blank nodes and literals in the dictionary, including about 200 terms of the vocabulary
        - `contradictions`: mistakes that `contradictions` shows
        - `rules`: rules in force, which `rules` lists
        - `strategy`: how the last commit was evaluated: "update" (what changes) or "bootstrap" (everything)
        - `switched`: whether the last commit began as an update and was finished as a bootstrap
        - `rewrites`: the work of the last commit: how many steps of evaluating a rule it took
        - `retranslated`: axioms that the last commit translated to rules
        - `axioms`: axioms of the ontology that are rules now
        - `rules_added`, `rules_removed`: rules that came and went with the last commit
        - `seconds_by_part`: where the time of the last commit went, as seconds by name: `read`, `intern`, `close`,
          `translate`, `evaluate`, `store`, `snapshot`, `journal`; parts without work are left out, and parts do not
          overlap; missing if this process replayed the commit
        - `peak_bytes`: the most memory that the process of the last commit had used by then
        - `engine_bytes`, `dictionary_bytes`: memory of the facts, and of the terms
        """
        return self._counts()

    def _counts(self) -> dict[str, Any]:
        """Do the work of `stats`. The caller has the lock."""
        is_empty = self._state.is_running and not self._home.last
        counts = dict.fromkeys(COUNTS, 0) | ({} if is_empty else self._state.stats())
        self._counted = self._home.last, counts
        return counts

    @property
    @with_lock
    def warnings(self) -> list[str]:
        """One line for each warning: malformed lists, SWRL rules that cannot run, missing imports, large cliques.

        With the rule set owl2rl, one more line counts the axioms that its rules do not read, or not in full, such as
        existential restrictions as a superclass: each kind with its number and an example.
        """
        return [*self._state.warnings(), *(f"{each}: the store is open for reading only" for each in self._lacking)]

    @with_lock
    def streams(self) -> dict[str, dict[str, str]]:
        """Return the headers of the last commit of each stream, by the name of the stream; see `transaction`."""
        return dict(self._state.streams())

    @property
    @with_lock
    def prefixes(self) -> dict[str, str]:
        """The prefixes that loaded files declared, from prefix to namespace. A store remembers them.

        If files declare a prefix in several ways, the first one counts. rdf, rdfs, owl and xsd are not among them.
        Tables in notebooks, Turtle and the command line shorten IRIs by these prefixes. Functions read them only if
        you pass them, as in `graph.select(text, prefixes=graph.prefixes)`.
        """
        return dict(self._state.prefixes())

    def _shown_prefixes(self) -> dict[str, str]:
        """Return the prefixes for an answer that is shown, also after the graph was closed. Any thread may ask.

        This does not wait: if another thread uses a graph whose engine does not run, the prefixes are those of the
        manifest, which may lack the prefixes of the last commits.
        """
        state = self._state
        if self._home.is_closed:
            return {}
        if state.is_running:
            return dict(state.prefixes())
        try:
            with self._lock.hold(0):
                return self.prefixes
        except GraphBusyError:
            return dict(self._home.manifest.prefixes)

    @with_lock
    def rules(self, *, costs: bool = False, alone: bool = False, anew: bool = False) -> list[dict[str, Any]]:
        """Return a dict for each rule in force: its `name`, its text (`rule`), why it runs (`why`), and `stratum`.

        `stratum` says when NOT, AGGREGATE and SKOLEM of the rule are decided: after those of all smaller strata. It is
        0 for a rule without them.

        With `costs` each dict also has the work of its rule, and the costliest rules come first:

        - `rewrites`: how many steps of evaluating the rule were taken, as `stats` counts them for the whole graph
        - `share`: the part of all these rewrites, from 0 to 1
        - `derivations`: how many derivations were found. Derivations that no longer hold count too, and a derivation
          that was found again counts again
        - `last_rewrites`, `last_derivations`: the same for the last commit alone

        The counts begin with the last computation from scratch (Bootstrap). A store keeps them. They are 0 if the rules
        were evaluated by an older version. Each rule that an axiom was translated to has counts of its own; `why` names
        the axiom.

        With `alone` each dict has the costs and a further count. `alone` is the number of facts that only this rule
        supports and that are not asserted. Facts that differ only by terms that owl:sameAs makes equal count once. This
        takes a look at every derivation.

        With `anew` the costs are those of a Bootstrap that is computed now and then rolled back.

        >>> from kgreason import KnowledgeGraph
        >>> with KnowledgeGraph.open(rules=["rdfs"]) as graph:
        ...     _ = graph.add("<http://e/a> a <http://e/C> .")
        ...     graph.rules(costs=True)[0]["rewrites"] <= graph.stats()["rewrites"]
        True
        """
        if not (costs or alone or anew):
            return RuleList(self._state.rules(), self._state.prefixes())
        from kgreason.graph.state.rule_costs import sort_by_cost

        return RuleList(sort_by_cost(self._state.costs(alone=alone, anew=anew)), self._state.prefixes())

    @with_lock
    def own_rules(self) -> tuple[Rule, ...]:
        """Return the rules that the user added as text or by a rule file, as of the last commit.

        This does not start the engine.
        """
        return self._state.own_rules()

    def _declarations(self) -> dict[str, Relation]:
        return {rule.declares.name: rule.declares for rule in self._state.own_rules() if rule.declares}

    @with_lock
    def contradictions(self) -> list[Contradiction]:
        """Return the contradictions that the rules derive, one for each mistake in the data.

        Each contradiction has the name of the `rule`, the `terms` that it is about, the `facts` that cannot all hold,
        and the `axioms` that forbid them. Its `str` is one line for a person; `to_text(prefixes)` is the same line with
        short IRIs. For terms that owl:sameAs makes equal, the representative is named. If there are many, `by_cause` of
        `kgreason.proofs.contradiction` groups them by rule and axioms.
        """
        return ContradictionList(self._state.contradictions())

    @with_lock
    def prove_contradictions(self, most: int | None = None, *, each: int | None = None) -> list[Proof]:
        """Return a proof of each of the first `most` contradictions, or of each contradiction if `most` is None.

        With `each`, at most so many contradictions with one cause (`Contradiction.cause`) are proved. So examples of
        thousands of contradictions take little time.
        """
        from kgreason.proofs.contradiction_proofs import prove_contradictions

        proofs = prove_contradictions(self._committer().materializer, most, each)
        return list(map(self._describer().describe_proof, proofs))

    @with_lock
    def explain(self, triple: Item, *others: object, prefixes: Mapping[str, str] | None = None) -> Proof:
        """Return a proof of a triple of the graph.

        The triple is one tuple of three terms, as `match` takes them, or Turtle text. A literal may have the normal
        form that queries show. Raises QueryError if the graph does not have the triple, InputError if `triple` is not a
        triple. `others` must be empty: if the terms are passed one by one, InputTypeError says how to pass them.
        """
        check_single("explain", triple, others)
        known = checked_prefixes(prefixes)
        self.check_known(triple, prefixes=known)
        from kgreason.graph.explanations.proofs import explain

        return self._describer().describe_proof(explain(self._committer().state, triple, known))

    @with_lock
    def explain_all(self, triple: Item, *others: object, prefixes: Mapping[str, str] | None = None) -> list[Proof]:
        """Return one proof for each derivation of a triple; the proofs differ in their last steps.

        The list is empty if the triple is asserted and no rule derives it.

        For terms that owl:sameAs makes equal, derivations are kept for the representative only. Arguments and errors
        are those of `explain`.
        """
        check_single("explain_all", triple, others)
        known = checked_prefixes(prefixes)
        self.check_known(triple, prefixes=known)
        from kgreason.graph.explanations.proofs import explain_all

        return list(map(self._describer().describe_proof, explain_all(self._committer().state, triple, known)))

    @with_lock
    def why_not(
        self, triple: Item, *others: object, prefixes: Mapping[str, str] | None = None, limit: int = 10
    ) -> WhyNot:
        """Say why a triple does not hold: which rules could derive it, and which conditions of each rule fail.

        A rule could derive the triple if its head fits the triple. For each rule the answer has values of variables for
        which most conditions hold, and names the conditions that fail: triples that are missing, a FILTER that is
        false, or a NOT together with the triples that make it fail. The search for these values is greedy, so other
        values may fit better. The rules with the fewest failing conditions come first; the answer has at most `limit`
        rules. `print(graph.why_not(triple))` shows the answer as text.

        The triple is one tuple of three terms, as `match` takes them, or Turtle text. If the triple holds, the answer
        says so. Raises InputError if the item is not a triple.

        >>> from kgreason import KnowledgeGraph
        >>> with KnowledgeGraph.open(rules=["rdfs"]) as graph:
        ...     _ = graph.add("@prefix : <http://e/> . :Cat <http://www.w3.org/2000/01/rdf-schema#subClassOf> :Pet .")
        ...     print(graph.why_not("<http://e/tom> a <http://e/Pet>").to_text({"": "http://e/"}).splitlines()[-1])
                missing: :tom a :Cat
        """
        check_single("why_not", triple, others)
        check_count("limit", limit, 1)
        from kgreason.graph.explanations.proofs import why_not_triple

        return self._describer().describe_why_not(
            why_not_triple(self._committer().state, triple, checked_prefixes(prefixes), limit)
        )

    @with_lock
    def prover(self) -> Callable[[Triple], Proof]:
        """Return a function that proves triples of the present state, given as N-Triples texts, as `explain` does.

        For many proofs it costs less than `explain`, because it looks at the rules once. The graph must not change
        meanwhile.
        """
        from kgreason.graph.explanations.proofs import prover

        return prover(self._committer().materializer)

    @with_lock
    def check_known(self, triple: Item, *, prefixes: Mapping[str, str] | None = None) -> None:
        """Raise QueryError if the graph does not have a triple. Looks only at the files of the store.

        So an unknown triple does not start the engine. The check does nothing if the engine runs already, if the files
        may lack the last commit, or if the triple is generalised: the files hold no generalised triples.
        """
        from kgreason.graph.explanations.presence import check_known

        if self._home.is_closed:
            raise closed_error()
        if not (self._state.is_running or self._home.position.is_behind):
            check_known(self._home.store, triple, checked_prefixes(prefixes))

    @with_lock
    def explain_fact(self, name: str, terms: Sequence[str]) -> Proof:
        """Return a proof of a fact of a relation; see `GraphRelation.explain`. `terms` are N-Triples texts.

        Raises QueryError if the graph does not have the fact.
        """
        from kgreason.graph.explanations.proofs import explain_fact

        return self._describer().describe_proof(explain_fact(self._committer().materializer, name, terms))

    @with_lock
    def why_not_fact(self, name: str, terms: Sequence[str], limit: int) -> WhyNot:
        """Say why a fact of a relation does not hold. `terms` are N-Triples texts; see `GraphRelation.why_not`."""
        from kgreason.graph.explanations.proofs import why_not_fact

        check_count("limit", limit, 1)
        return self._describer().describe_why_not(why_not_fact(self._committer().materializer, name, terms, limit))

    def dump(
        self,
        *,
        asserted: bool | None = None,
        graphs: bool | None = None,
        format: str = "nt",  # noqa: A002
        prefixes: Mapping[str, str] | None = None,
    ) -> Iterator[bytes]:
        """Return the graph as N-Triples lines, in chunks. Commits after this call have no effect on the result.

        `asserted=None` gives the closure, True its asserted triples and False its inferred triples. With `graphs` the
        lines are N-Quads: the triples of the default graph and the asserted quads of named graphs. Literals keep the
        spelling in which they were written.

        `format` is the suffix or the name of another format: "turtle", "trig", "n3", "rdf", "jsonld" or "nq". Such a
        document is sorted, and a comment in Turtle, TriG and N3 says which triples it has. Its IRIs are shortened by
        `prefixes` and by those of the graph. "trig", "jsonld" and "nq" have named graphs, unless `graphs` is False.
        "parquet" has the columns subject, predicate, object, in N-Triples syntax, and asserted; it needs PyArrow.

        Raises InputError for an unknown format or a term that the format cannot say, and if the store is old and has a
        literal that is no RDF, since nobody could read the lines.

        >>> from kgreason import KnowledgeGraph
        >>> with KnowledgeGraph.open(rules=["rdfs"]) as graph:
        ...     _ = graph.add(":tom a :Cat ; :age 7 .", prefixes={"": "http://e/"})
        ...     text = b"".join(graph.dump(asserted=True, format="turtle", prefixes={"": "http://e/"}))
        >>> print(text.decode().partition("@prefix")[0], *text.decode().split()[-7:-1])
        # The asserted triples of the graph, without inferred ones.
         :tom a :Cat ; :age 7
        """
        check_asserted(asserted)
        syntax, known = format if format == PARQUET else writable_format(format), checked_prefixes(prefixes)
        graphs = syntax in WITH_GRAPHS if graphs is None else graphs
        if syntax not in LINES:
            known = {**self.prefixes, **known}
        return document_of(self._saved_state(), syntax, known, graphs=graphs, asserted=asserted)

    def dump_relations(self, *, asserted: bool | None = None) -> Iterator[str]:
        """Return the facts of the user's relations as rule text, a line for each fact, as of this call.

        `asserted` has the same meaning as for `dump`: with True the lines are the facts that were inserted. To insert
        these facts into another graph, use `GraphRelation.insert`, because a fact that is added as rule text counts as
        derived. Relations declared as `internal` are left out.
        """
        check_asserted(asserted)
        from kgreason.graph.changes.relations import fact_lines

        return fact_lines(self._saved_state(), self.own_rules(), asserted)

    def log(self, limit: int | None = None) -> list[Head]:
        """Return the commits of the history, the newest first; at most `limit` of them.

        Each item has the number of the `commit` and its `time`, the numbers of triples that `appeared` and
        `disappeared` (each has `asserted` and `inferred`), the `rules` that the commit removed (-1) and added (1), the
        `headers` of its transaction, and its `work`. Raises HistoryError if the graph keeps no history.

        >>> from kgreason import KnowledgeGraph
        >>> with KnowledgeGraph.open(history="all") as graph:
        ...     _ = graph.add("<http://e/tom> a <http://e/Cat> .")
        ...     graph.log()[0].commit, graph.log()[0].appeared.asserted
        (1, 1)
        """
        return reading.heads(self._home, limit)

    def commit_head(self, commit: int) -> Head:
        """Return the entry of `log` for one commit of the history. Raises HistoryError."""
        return reading.head(self._home, commit)

    def changes(self, before: int, after: int) -> Delta:
        """Return a delta with what changed from commit `before` to commit `after`.

        Changes that later commits took back are left out. If `after` is the earlier commit, the delta says what must
        change to go back from `before` to `after`. The `rules` of the delta
        are the user's rules that were removed (-1) and added (1). Raises HistoryError for a commit that the history
        does not have. Cost: reading the commits between the two.
        """
        return reading.changes(self._home, before, after, self._declarations())

    def deltas_since(self, commit: int) -> Iterator[Delta]:
        """Iterate over the deltas of the commits after `commit`, up to the last commit at the time of the call.

        The call raises HistoryError if the history lacks one of these commits.
        """
        return reading.deltas_since(self._home, commit, self._declarations())
