"""Lists that notebooks show as tables: the rules and the contradictions of a graph. Otherwise they are plain lists."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from kgreason.graph.results.notebook import SHOWN, html_table, shorten_cell
from kgreason.proofs.contradiction import Contradiction


class RuleList(list[dict[str, Any]]):
    """A dict for each rule. `prefixes` shorten the IRIs of the table."""

    def __init__(self, rules: Iterable[dict[str, Any]], prefixes: Mapping[str, str] | None = None) -> None:
        super().__init__(rules)
        self._prefixes = prefixes or {}

    def _repr_html_(self) -> str:
        names = list(dict.fromkeys(name for each in self[:SHOWN] for name in each))
        rows = ([shorten_cell(each.get(name), self._prefixes) for name in names] for each in self[:SHOWN])
        return html_table(_caption(len(self), "rule"), names, rows)


class ContradictionList(list[Contradiction]):
    """The contradictions of a graph."""

    def _repr_html_(self) -> str:
        rows = ([each.rule, str(each).removeprefix(f"{each.rule}: ")] for each in self[:SHOWN])
        return html_table(_caption(len(self), "contradiction"), ("rule", "contradiction"), rows)


def _caption(count: int, noun: str) -> str:
    counted = f"{count:,} {noun}{'' if count == 1 else 's'}"
    return f"the first {SHOWN} of {counted}" if count > SHOWN else counted
