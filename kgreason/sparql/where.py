"""The WHERE of an operation as a SELECT query, which Oxigraph parses, and evaluates when the operation runs.

    DELETE { ?s :p ?o } ... USING <g> WHERE { ... }    ->    SELECT DISTINCT ?s ?o FROM <g> WHERE { ... }

The block itself is passed on as it is written. Only the variables of the templates are asked for, and each solution
once, unless an INSERT makes blank nodes for every solution.

Cost: that of parsing the query; nothing is evaluated here.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple, cast

from pyoxigraph import Store

from kgreason.sparql.source import Rewritten, Source
from kgreason.sparql.tokens import TOKEN

_PROBLEM = re.compile(r"(?:error at (\d+):(\d+): )?(?:expected )?(?:one of )?(.*)", re.DOTALL)
_CHOICE = re.compile(r'"(?:[^"\\]|\\.)*"|\[[^\]]*\]|<[^>]*>|[^,\[\]"<]+')
_TELLING = 3
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
        self._check_prefixes()
        asked = " ".join(f"?{name}" for name in variables) or "*"
        text = Rewritten(self.source)
        head = [f"{self.prologue}SELECT", "DISTINCT" * distinct, asked, *dataset, "WHERE\n"]
        text.put(" ".join(filter(None, head)), self.start)
        text.copy(self.start, self.end)
        self._check(text)
        return str(text)

    def _check_prefixes(self) -> None:
        """Oxigraph refuses a prefix that nobody declared, but does not say that this is what is wrong."""
        for token in TOKEN.finditer(self.source.text, self.start, self.end):
            prefix, colon, _ = (token["name"] or "").partition(":")
            if colon and prefix != "_" and f"{prefix}:" not in self.prefixes:
                raise self.source.error(token.start(), f"unknown prefix {prefix}: (no PREFIX declares it)")

    def _check(self, query: Rewritten) -> None:
        try:
            Store().query(str(query))
        except SyntaxError as error:
            line, column, choices = cast(re.Match[str], _PROBLEM.match(error.msg)).groups(default="")
            at = query.origin(int(line or _BLOCK), int(column or 1))
            raise self.source.error(at, _in_words(choices)) from None


def _in_words(choices: str) -> str:
    """What Oxigraph says is wrong, or else what it expected: not its classes of characters, nor long lists of words."""
    words = [word for word in map(str.strip, _CHOICE.findall(choices)) if word and word[0] not in "[<"]
    told = [word for word in words if " " in word]
    if told:
        return " or ".join(told)
    expected = f", expected {' or '.join(words)}" if 0 < len(words) <= _TELLING else ""
    return f"no valid pattern up to here{expected}"
