"""`parser`: the trees of SPARQL queries (`grammar.lark`), LALR(1).

Law: every query that Oxigraph takes has a tree. Oxigraph itself evaluates the query; the trees say where a query goes
wrong (`mistakes`), and which triples the values of an update come from.

Cost: 0.4 s for the tables, once; then some 20 microseconds a token.
"""

from __future__ import annotations

import functools
from typing import TypeAlias

from lark import Lark, Token, Tree

from kgreason.grammars import parser_of

Node: TypeAlias = Tree[Token]


@functools.cache
def parser() -> Lark:
    """Return the parser. A tree has a node for each rule and a child for each token.

    The start `query` takes a query, and the start `braces` takes a pattern in braces.
    """
    return parser_of(__file__, start=["query", "braces"], propagate_positions=True, keep_all_tokens=True)
