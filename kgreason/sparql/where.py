"""The WHERE of an operation as a SELECT query, which Oxigraph parses, and evaluates when the operation runs.

    DELETE { ?s :p ?o } ... USING <g> WHERE { ... }    ->    SELECT DISTINCT ?s ?o FROM <g> WHERE { ... }

The block itself is passed on as it is written. Only the variables of the templates are asked for, and each solution
once, unless an INSERT makes blank nodes for every solution.

Cost: that of parsing the query; nothing is evaluated here.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from pyoxigraph import Store

from kgreason.sparql.problems import problem, unknown_prefix
from kgreason.sparql.source import Rewritten, Source

_BLOCK = 2


class Where(NamedTuple):
    """The block `source.text[start:end]` under a prologue, which declares some prefixes."""

    source: Source
    start: int
    end: int
    prologue: str
    prefixes: Collection[str]

    def select(self, variables: Sequence[str], dataset: Sequence[str], *, distinct: bool) -> str:
        """The query; `dataset` are its FROM clauses. Raises QueryError."""
        declared = {name.removesuffix(":") for name in self.prefixes}
        if unknown := unknown_prefix(self.source.text, declared, self.start, self.end):
            raise self.source.error(unknown.at, str(unknown))
        asked = " ".join(f"?{name}" for name in variables) or "*"
        text = Rewritten(self.source)
        head = [f"{self.prologue}SELECT", "DISTINCT" * distinct, asked, *dataset, "WHERE\n"]
        text.put(" ".join(filter(None, head)), self.start)
        text.copy(self.start, self.end)
        self._check(text)
        return str(text)

    def _check(self, query: Rewritten) -> None:
        try:
            Store().query(str(query))
        except SyntaxError as error:
            line, column, words = problem(error.msg, "pattern")
            raise self.source.error(query.origin(line or _BLOCK, column or 1), words) from None
