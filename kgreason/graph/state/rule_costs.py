"""`RuleCosts`: the work of each rule of a graph, since the last Bootstrap and in the last commit.

The engine counts the work of each rule that it runs (`engine.costs`). A rule that says NOT or computes something runs
as several rules; the work of these rules is added up. A snapshot has the counts as of its commit. When a store is
opened again, counting goes on from the counts of its snapshot. A Bootstrap sets all counts back to 0.

Cost: encoding the rules in force. `alone` looks at every derivation. The option `anew` of `KnowledgeGraph.rules` costs
a Bootstrap.

Threads: a graph calls this under its lock.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from kgreason.engine.costs import Cost
from kgreason.interrupts import let_out
from kgreason.materialize.materializer import Materializer
from kgreason.rules.formatter import format_rule
from kgreason.rules.model import Rule
from kgreason.store import snapshot
from kgreason.zset.order import distinct

_SHOWN = re.compile(r"(?!dt_|eq_)\w+/\d+")
"""The relations that a user's rules may derive."""


class RuleCosts:
    """Counts the work of each rule of a graph.

    Make this object right after the materializer was restored from a snapshot. `path` is the snapshot, None if there is
    none. Unless `is_lasting`, somebody else may remove the snapshot, so its counts are read at once.
    """

    def __init__(self, materializer: Materializer, path: Path | None, *, is_lasting: bool = True) -> None:
        self._materializer, self._path = materializer, path
        self._restored = materializer.engine.generation
        self._kept: dict[tuple[str, str], Cost] | None = None
        if not is_lasting:
            self._snapshot_costs()

    def costs(self) -> dict[Rule, Cost]:
        """Return the cost of each rule in force. The counts of the snapshot and those of the engine are added up."""
        found = self.counted_costs()
        if self._materializer.engine.generation != self._restored or not (
            kept := self._snapshot_costs()
        ):  # a Bootstrap made another one
            return found
        is_last = not self._materializer.engine.has_commits
        return {
            rule: _sum_costs(kept.get((rule.name, format_rule(rule))), cost, is_last) for rule, cost in found.items()
        }

    def counted_costs(self) -> dict[Rule, Cost]:
        """Return the cost of each rule in force as the engine counts it, without the counts of the snapshot.

        While a change is pending, the last commit in these counts is the pending change.
        """
        counted = dict(self._materializer.engine.costs())
        found = dict.fromkeys(self._materializer.rules, Cost())
        for code, rule in self._materializer.rules_by_code().items():
            found[rule] = _sum_costs(found[rule], counted.get(code, Cost()), True)
        return found

    def _snapshot_costs(self) -> dict[tuple[str, str], Cost]:
        if self._kept is None:
            rules = snapshot.read_rules(self._path, costs=True) if self._path else []
            self._kept = {(rule["name"], rule["rule"]): Cost(*(rule[name] for name in Cost._fields)) for rule in rules}
        return self._kept

    def alone(self) -> Mapping[Rule, int]:
        """Return, for each rule, the number of facts that only this rule supports and that are not asserted.

        Facts of kgreason's own relations are not counted.
        """
        from kgreason.engine.support import facts_of_one_owner

        materializer = self._materializer
        rules = list(materializer.rules)
        number = {rule: place for place, rule in enumerate(rules)}
        owners = {code: number[rule] for code, rule in materializer.rules_by_code().items()}
        pairs = facts_of_one_owner(materializer.engine, owners, let_out)
        rows, tables = materializer.engine.facts.columns(pairs[:, 0])
        relations = distinct(rows[tables != materializer.triples, 0])
        texts = materializer.dictionary.decode(relations)
        shown = relations[np.array([bool(_SHOWN.fullmatch(text)) for text in texts], dtype=np.bool_)]
        is_shown = (tables == materializer.triples) | np.isin(rows[:, 0], shown)
        counts = np.bincount(pairs[is_shown, 1], minlength=len(rules)).tolist()
        return dict(zip(rules, counts, strict=True))


def sort_by_cost(rules: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Sort rules by their cost, and add to each rule its `share` of the rewrites of all rules, from 0 to 1.

    The costliest rules come first; rules of equal cost are sorted by name and text.
    """
    whole = sum(rule["rewrites"] for rule in rules) or 1
    shared = [rule | {"share": rule["rewrites"] / whole} for rule in rules]
    return sorted(shared, key=lambda rule: (-rule["rewrites"], -rule["derivations"], rule["name"], rule["rule"]))


def _sum_costs(before: Cost | None, cost: Cost, is_last: bool) -> Cost:
    """Add up two costs of one rule, `before` and `cost`. Without `before` the result is `cost`.

    With `is_last` the counts of the last commit are added up too. Otherwise they are those of `cost`, because `before`
    counts older commits.
    """
    if before is None:
        return cost
    last = (before.last_rewrites, before.last_derivations) if is_last else (0, 0)
    return Cost(
        before.rewrites + cost.rewrites,
        before.derivations + cost.derivations,
        last[0] + cost.last_rewrites,
        last[1] + cost.last_derivations,
    )
