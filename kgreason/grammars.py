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
    """Return the LALR parser for the file `grammar.lark` in the folder of a module. `options` are passed to Lark.

    The first of `modules` is the `__file__` of this module. The grammar may use rules of the files `grammar.lark`
    beside the other `modules`.
    """
    text = "\n".join(Path(module).with_name("grammar.lark").read_text("utf-8") for module in modules)
    with _BUILDING:
        return Lark(text, parser="lalr", lexer="contextual", maybe_placeholders=False, **options)
