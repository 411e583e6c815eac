"""`parser_of`: Lark's parser of a grammar.

Invariant: no two threads build one at a time. Lark evaluates the literals of a grammar as Python, in which CPython 3.11
may fail where two threads do it at once.

Cost: importing Lark, and 0.05 s for each grammar; to be kept by who asks.
"""

from __future__ import annotations

from pathlib import Path
from threading import Lock
from typing import Any

from lark import Lark

_BUILDING = Lock()


def parser_of(*modules: str, **options: Any) -> Lark:
    """The LALR parser of `grammar.lark` beside a module, which is given by its file; `options` are those of Lark.

    The grammar may use the rules of the grammars beside further modules.
    """
    text = "\n".join(Path(module).with_name("grammar.lark").read_text("utf-8") for module in modules)
    with _BUILDING:
        return Lark(text, parser="lalr", lexer="contextual", maybe_placeholders=False, **options)
