"""The WHERE of an operation as a SELECT query: checked at once, evaluated when the operation runs.

    DELETE { ?s :p ?o } ... USING <g> WHERE { ... }    ->    SELECT DISTINCT ?s ?o FROM <g> WHERE { ... }

The block is passed on as it is written. The query selects only the variables of the templates. Each solution is
selected once (DISTINCT), unless an INSERT makes blank nodes for every solution.

Cost: that of parsing the query; nothing is evaluated here.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import NamedTuple, TypeAlias

from pyoxigraph import QuerySolution, Store

from kgreason.sparql.problems import problem
from kgreason.sparql.query.columns import unevaluated_pattern
from kgreason.sparql.query.evaluation import for_oxigraph
from kgreason.sparql.source import Source
from kgreason.stacks import stack_for, with_stack
from kgreason.store.oxigraph.update import Term

Solution: TypeAlias = QuerySolution | Mapping[str, Term | None]
"""The values of variables by name; None for a variable without a value."""

_GIVES = re.compile(r"\b(?:VALUES|AS)\b", re.IGNORECASE)
_SPELLED = re.compile(r"""\^\^|["']@|\b0\d|\.\d|\d[eE]|\+\.?\d|-0""")
"""A datatype, a language, or a number that is not written as Oxigraph shows it."""


@dataclass(frozen=True, slots=True)
class Select:
    """A WHERE block as a SELECT: `SELECT variables dataset WHERE block` after a prologue.

    `dataset` are FROM clauses. `default_graph` is an IRI in angle brackets: the graph to read in place of the default
    graph. It is None for the default graph itself, and if there are FROM clauses.
    """

    prologue: str
    distinct: bool
    variables: tuple[str, ...]
    dataset: tuple[str, ...]
    default_graph: str | None
    block: str

    @property
    def gives_literals(self) -> bool:
        """Whether VALUES or AS may give a literal of the block that Oxigraph would show in another spelling."""
        return bool(_GIVES.search(self.block) and _SPELLED.search(self.block))

    @property
    def _select_clause(self) -> str:
        asked = " ".join(f"?{name}" for name in self.variables) or "*"
        return f"SELECT DISTINCT {asked}" if self.distinct else f"SELECT {asked}"

    @property
    def query(self) -> str:
        """Return the text of the query. `default_graph` is left out, because no SPARQL query can express it."""
        return " ".join([f"{self.prologue}{self._select_clause}", *self.dataset, f"WHERE\n{self.block}"])

    @property
    def counting_query(self) -> str:
        """Return the text of a query that counts the solutions. `default_graph` is left out, as in `query`."""
        head = f"{self.prologue}SELECT (COUNT(*) AS {self._fresh_variable('number')})"
        return " ".join([head, *self.dataset, f"WHERE {{ {{ {self._select_clause} WHERE\n{self.block} }} }}"])

    def _fresh_variable(self, name: str) -> str:
        """Return a variable, with its question mark, whose name is not in the block. The name is `name` and a number.

        SPARQL writes the same variable as `?name` or as `$name`, so only the name is looked for.
        """
        return next(f"?{name}{number}" for number in count() if f"{name}{number}" not in self.block)

    def calling_update(self, function: str, unbound: str) -> str:
        """Return a SPARQL Update that calls a function for each solution of the SELECT, in order, and changes nothing.

        `function` and `unbound` are IRIs in angle brackets. The caller puts the prologue before the text. The arguments
        of the function are the values of the variables; `unbound` stands for a variable without a value. The function
        must return None, so that nothing is inserted. The call is in a BIND, not in a FILTER: Oxigraph may evaluate a
        FILTER before the filters of the block, and would then call the function for rows that are not solutions.
        """
        values = ", ".join(f"COALESCE(?{name}, {unbound})" for name in self.variables)
        within = f"WITH {self.default_graph} " if self.default_graph else ""
        using = " ".join(clause.replace("FROM", "USING", 1) for clause in self.dataset)
        solutions = f"{{ {self._select_clause} WHERE\n{self.block} }}"
        result = self._fresh_variable("called")
        never = f"INSERT {{ {result} {result} {result} }}"
        return f"{within}{never} {using} WHERE {{ {solutions} BIND({function}({values}) AS {result}) }}"


class Where(NamedTuple):
    """The WHERE block `source.text[start:end]`, and the prologue before it, which declares the `prefixes`."""

    source: Source
    start: int
    end: int
    prologue: str
    prefixes: Collection[str]

    def select(
        self,
        variables: Sequence[str],
        dataset: Sequence[str] = (),
        default_graph: str | None = None,
        *,
        distinct: bool,
    ) -> Select:
        """Make the SELECT for the block, and check that it parses. Raises QueryError.

        `variables` are its columns, and `dataset` its FROM clauses. With `distinct` each solution comes once.
        `default_graph` is the graph to read in place of the default graph.
        """
        block = for_oxigraph(self.source.text[self.start : self.end])
        select = Select(self.prologue, distinct, tuple(variables), tuple(dataset), default_graph, block)
        self._check(select)
        return select

    def _check(self, select: Select) -> None:
        """Raise QueryError, which names the place in the source, if Oxigraph cannot parse the query."""
        declared = {name.removesuffix(":") for name in self.prefixes}
        query = replace(select, block=unevaluated_pattern(select.block)).query
        try:
            with_stack(stack_for(query), lambda: _parse(query))
        except SyntaxError as error:
            has_base = "BASE <" in self.prologue
            written = self.source.text[self.start : self.end]
            found = problem(written, error.msg, declared, where="update", has_base=has_base)
            raise self.source.error(self.start + (found.at or 0), found.words) from None


def _parse(query: str) -> None:
    """Raise SyntaxError if Oxigraph cannot parse a query."""
    Store().query(query)
