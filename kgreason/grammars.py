"""`parser_of`: makes Lark's parser for a grammar.

Invariant: only one thread at a time makes a parser. Lark evaluates the literals of a grammar as Python code. CPython
3.11 may fail if two threads do this at the same time.

Cost: importing Lark, and 0.05 s for each call of `parser_of`, unless the wheel has the parser's tables
(`prepared_value`). So the callers keep the parser.
"""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from threading import Lock
from typing import Any

import lark
from lark import Lark

from kgreason.resources import prepare, prepared_value

_BUILDING = Lock()


def parser_of(*modules: str, **options: Any) -> Lark:
    """Return the LALR parser for the grammar of a Python module. `options` are passed to Lark.

    `modules` are the `__file__` of this module, and of other modules. Beside each is a file `grammar.lark`. The grammar
    of the first may use rules of the others.
    """
    text = text_of(*modules)
    with _BUILDING:
        tables = prepared_value("grammar", lark.__version__, text) if not options else None
        if tables is not None:
            return Lark.load(BytesIO(tables))
        return Lark(text, parser="lalr", lexer="contextual", maybe_placeholders=False, **options)


def text_of(*modules: str) -> str:
    """Return the text of the grammar that `parser_of` takes."""
    return "\n".join(Path(module).with_name("grammar.lark").read_text("utf-8") for module in modules)


def prepare_grammar(folder: Path, *modules: str) -> None:
    """Write the tables of the parser for `modules` to `folder`, for `parser_of` without options."""
    tables = BytesIO()
    parser_of(*modules).save(tables)
    prepare(folder, tables.getvalue(), "grammar", lark.__version__, text_of(*modules))
