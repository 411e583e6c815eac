"""`Running`: the graph with its engine, for reading: a materializer, and what is known of its state beside the facts.

A commit changes it by `note_commit`, before `accept` or `withdraw` ends the commit.

Cost: opening reads the snapshot.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from kgreason.engine.costs import Cost
from kgreason.graph.changes.delta import Delta
from kgreason.graph.opening.options import EngineOptions
from kgreason.graph.recovery import restore
from kgreason.graph.state.rule_costs import RuleCosts
from kgreason.graph.state.statistics import COUNTS, statistics
from kgreason.interrupts import finish
from kgreason.materialize.edit import Change, Edit, Work
from kgreason.materialize.imports import Imports
from kgreason.materialize.literals.long_numbers import LongNumbers
from kgreason.materialize.relations.reading import EngineRelations
from kgreason.materialize.state import SavedState
from kgreason.options import NO_LIMITS
from kgreason.proofs.contradiction import Contradiction
from kgreason.proofs.contradictions import contradictions
from kgreason.rules.model import Rule, Triple
from kgreason.sparql.query.numbers import warning
from kgreason.store import snapshot
from kgreason.store.homes.home import Home
from kgreason.store.oxigraph.store import OxigraphStore
from kgreason.store.rows import load_all_rows
from kgreason.store.spellings import SmallTags, Spellings
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.columns import INFERRED, IS_ASSERTED

if TYPE_CHECKING:
    from kgreason.materialize.relations.reading import RelationReader

Result = TypeVar("Result")


class Tally(NamedTuple):
    """The counts of a graph, the headers of the last commit of each stream, and the prefixes of loaded files."""

    stats: dict[str, Any]
    streams: dict[str, dict[str, str]]
    prefixes: Mapping[str, str]


class Running:
    """The graph at `home` with its engine, which has the state of the snapshot at first."""

    is_running = True

    def __init__(self, home: Home, options: EngineOptions) -> None:
        kept = home.manifest
        self._options = options
        self.materializer, saved = restore(kept, home.snapshot, options.registry, options.find, options.threads)
        if options.fraction is not None:
            self.materializer.engine.limit_updates(options.fraction)
        self.imports = Imports(self.materializer, options.catalogue, saved.axioms if saved else None)
        is_lasting = home.path is not None and home.is_writable
        self._costs = RuleCosts(self.materializer, home.snapshot, is_lasting=is_lasting)
        self._spellings: Spellings | None = None
        self._small_tags = SmallTags(self.materializer.dictionary, are_small=kept.small_tags)
        self._long = LongNumbers(self.materializer.dictionary)
        self.long_number: str | None = None
        """A number of the graph that is too long for Oxigraph; None if there is none. Any thread may read this."""
        self._looked, self._has_new_literals = 0, False
        """How many terms the dictionary had at the last commit, and whether this commit brought a literal."""
        others = {} if home.position.is_ahead else kept.stats
        counts = {name: others[name] for name in others if name not in COUNTS} | dict(saved.counts if saved else {})
        self.noted = Tally(counts, dict(kept.streams), dict(kept.prefixes))

    def begin(self, home: Home) -> None:
        """Call this after the commits since the snapshot were replayed."""
        self._small_tags.read_new_terms()
        self.long_number, self._looked = self._long.first(), len(self.materializer.dictionary)
        if (kept := home.manifest).stored == home.last:  # a replay runs the last strategy, without an Update before it
            work = {name: kept.stats[name] for name in Work._fields if name in kept.stats}
            self.noted = self.noted._replace(stats=self.noted.stats | work)

    def note_commit(self, delta: Delta, headers: Mapping[str, str], prefixes: Mapping[str, str]) -> None:
        """Remember a commit's `Work` for `stats`, its headers for `streams`, and whether its language tags are small.

        `prefixes` are those that the commit adds to `prefixes`. Call this before the store has the commit.
        """
        seen, self._looked = self._looked, len(self.materializer.dictionary)
        self._has_new_literals = self.materializer.dictionary.has_literals(seen)
        if self._has_new_literals:
            self._small_tags.read_new_terms()
        stats, streams, known = self.noted
        if "stream" in headers:
            streams = streams | {headers["stream"]: dict(headers)}
        counts = _counts_after(stats, delta.change, self._looked) | delta.change.work._asdict()
        self.noted = Tally(counts, streams, {**prefixes, **known} if prefixes else known)

    def accept(self) -> None:
        """Make a pending change final. Ctrl-C cannot interrupt this."""
        try:
            finish(self.materializer.accept)
        finally:
            if self._has_new_literals:
                self.long_number = self._long.first()

    def withdraw(self, known: int) -> None:
        """Roll back a pending change, and drop the terms with ids above `known`. Ctrl-C cannot interrupt this."""
        finish(partial(self._undo, known))

    def _undo(self, known: int) -> None:
        self.materializer.rollback()
        self.imports.rollback()
        self.materializer.dictionary.truncate(known)
        self._looked = min(self._looked, known)

    def saved(self, *, is_borrowed: bool = False) -> tuple[SavedState, Dictionary]:
        """Return a copy of the facts, and the dictionary. With `is_borrowed` see `MaterializedGraph.save`."""
        return self.materializer.save(is_borrowed=is_borrowed), self.materializer.dictionary

    def own_rules(self) -> tuple[Rule, ...]:
        """Return the rules that the user added."""
        return self.materializer.own

    def rules(self) -> list[dict[str, Any]]:
        """Return a dict for each rule in force."""
        return snapshot.rules_as_dicts(self.materializer.rules, self.materializer.strata())

    def costs(self, *, alone: bool, anew: bool) -> list[dict[str, Any]]:
        """Return the rules in force as dicts, each with its costs.

        With `alone` a dict also has the number of facts that only this rule supports. With `anew` the costs are those
        of a Bootstrap that is computed now and then rolled back.
        """
        rules = self.materializer.rules
        costs = self._costs_anew() if anew else self._costs.costs()
        return snapshot.rules_as_dicts(rules, self.materializer.strata(), costs, self._costs.alone() if alone else None)

    def _costs_anew(self) -> dict[Rule, Cost]:
        known = len(self.materializer.dictionary)
        try:
            self.materializer.change(Edit(), strategy="bootstrap", budget=self._options.budget, limits=NO_LIMITS)
            return self._costs.counted_costs()
        finally:
            self.withdraw(known)

    def contradictions(self) -> list[Contradiction]:
        """Return the contradictions of the last commit, in order.

        Cost: one pass over the facts, or none if the number of contradictions in `stats` is 0.
        """
        if self.noted.stats.get("contradictions") == 0:
            return []
        materializer = self.materializer
        return contradictions(materializer.save(is_borrowed=True), materializer.dictionary, materializer.false_rules)

    def relations(self, read: Callable[[RelationReader], Result]) -> Result:
        """Return what `read` reads of the facts of relations."""
        materializer = self.materializer
        return read(EngineRelations(materializer.engine, materializer.keys, materializer.dictionary))

    def stats(self) -> dict[str, Any]:
        """Return counts of the present state by name, and the `Work` of the last commit. The counts come first.

        Cost: one pass over the facts for the first call after a commit that was not plain (`Change.is_plain`).
        """
        materializer, stats = self.materializer, self.noted.stats
        dictionary = materializer.dictionary
        if "facts" not in stats:
            counted = statistics(materializer.save(is_borrowed=True), dictionary, materializer.false_rules)
            stats = counted | {"rules": materializer.program.size} | stats
        if "engine_bytes" not in stats:
            stats = stats | {"engine_bytes": materializer.engine.nbytes, "dictionary_bytes": dictionary.nbytes}
        self.noted = self.noted._replace(stats=stats)
        return dict.fromkeys(COUNTS) | stats

    def warnings(self) -> list[str]:
        """The warnings of the materializer, of owl:imports whose document was not found, and of a very long number."""
        long = self.number_warning()
        return [*self.materializer.warnings, *self.imports.warnings(), *([] if long is None else [long])]

    def streams(self) -> dict[str, dict[str, str]]:
        """Return the headers of the last commit of each stream."""
        return self.noted.streams

    def prefixes(self) -> Mapping[str, str]:
        """Return the prefixes of loaded files. Any thread may ask."""
        return self.noted.prefixes

    def number_warning(self) -> str | None:
        """Return the warning that the graph has a number too long for Oxigraph."""
        return None if self.long_number is None else warning(self.long_number)

    def has_small_tags(self) -> bool:
        """Whether no term has had a language tag with a capital letter."""
        return self._small_tags.are_all

    @property
    def spellings(self) -> Spellings:
        """The spellings of the terms of the dictionary. This index is made at the first call."""
        if self._spellings is None:
            self._spellings = Spellings(self.materializer.dictionary)
        return self._spellings

    def original_triple(self, triple: Triple) -> Triple | None:
        """Return a triple of the graph that Oxigraph shows as `triple`, or None if the graph has no such triple.

        If the graph has `triple` itself, the result is `triple`.
        """
        if self.materializer.has(triple):
            return triple
        subject, predicate, object_ = triple
        forms = self.materializer.dictionary.decode(self.spellings.of_forms([object_])[0])
        return next(filter(self.materializer.has, ((subject, predicate, form) for form in forms)), None)

    def fill(self, store: OxigraphStore) -> None:
        """Load the state of the last commit into an empty Oxigraph store."""
        load_all_rows(store, self.materializer.save(is_borrowed=True), self.materializer.dictionary)

    def write(self, path: Path) -> None:
        """Write a snapshot of the state to the folder `path`."""
        materializer = self.materializer
        stats, saved = self.stats(), materializer.save(is_borrowed=True)
        engine, counts = materializer.engine.snapshot(saved.records), {name: stats[name] for name in COUNTS}
        snapshot.write(
            path,
            saved._replace(snapshot=engine, counts=counts),
            materializer.dictionary,
            materializer.rules,
            materializer.own,
            self._costs.costs(),
            materializer.strata(),
        )


def _counts_after(counts: Mapping[str, Any], change: Change, terms: int) -> dict[str, Any]:
    """Return the counts after a change, from the `counts` before it. Empty if only `statistics` can tell them.

    `terms`: how many there are after the change.

    One contradiction is one mistake of the user. Which facts of `false` are one mistake depends on asserted triples and
    on rules, too. So a plain change can change the number of contradictions, and this function returns nothing while
    the graph has a contradiction.
    """
    if not change.is_plain or not counts.keys() >= set(COUNTS) or counts["contradictions"]:
        return {}
    asserted, inferred = (
        counts[name] + int((change.after == kind).sum()) - int((change.before == kind).sum())
        for name, kind in (("asserted", IS_ASSERTED), ("inferred", INFERRED))
    )
    rules = counts["rules"] + change.work.rules_added - change.work.rules_removed
    found = {name: counts[name] for name in COUNTS} | {"asserted": asserted, "inferred": inferred}
    return found | {"facts": asserted + inferred, "terms": terms, "rules": rules}
