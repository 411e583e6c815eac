"""`parser_of`: makes Lark's parser for a grammar.

Invariant: only one thread at a time makes a parser. Lark evaluates the literals of a grammar as Python code. CPython
3.11 may fail if two threads do this at the same time.

Cost: importing Lark, and 0.05 s for each call of `parser_of`. So the callers keep the parser.
"""

from __future__ import annotations

from pathlib import Path
from threading import Lock
from typing import Any

from lark import Lark

_BUILDING = Lock()


def parser_of(*modules: str, **options: Any) -> Lark:
    """Return the LALR parser for the grammar of a Python module. `options` are passed to Lark.

    `modules` are the `__file__` of this module, and of other modules. Beside each is a file `grammar.lark`. The grammar
    of the first may use rules of the others.
    """
    text = "\n".join(Path(module).with_name("grammar.lark").read_text("utf-8") for module in modules)
    with _BUILDING:
        return Lark(text, parser="lalr", lexer="contextual", maybe_placeholders=False, **options)
