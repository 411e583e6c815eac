r"""`TOKEN` finds the tokens that are needed to find blocks; `skeleton` replaces the contents of blocks by white space.

    INSERT { ?s :p "}" } WHERE { ... }    ->    INSERT {            } WHERE {     }

`TOKEN` knows only the tokens in which a brace, a quotation mark or a name may be something else: comments, IRIs,
strings, names, variables and the brackets of annotations. The parsers check whether the tokens stand in the right
places.

Invariant: the skeleton has the length and the line breaks of the text, so that a position means the same in both.
Cost: about 1 microsecond a token.
"""

from __future__ import annotations

import re

from kgreason.sparql.source import Source

_CHAR = r"0-9A-Z_a-z\xb7-\u1fff\u200c\u200d\u203f\u2040\u2070-\u2fef\u3001-\ud7ff\uf900-\U000effff"
_KEYWORD = rf"(?![0-9.-])[{_CHAR}-]+"
_PREFIX = rf"(?![0-9.-])(?:\.*[{_CHAR}-])+"
"""The prefix of a name. Unlike a keyword it may have a full stop inside.

`re` takes 2 ms for each class of so many characters, so the classes here are few.
"""

TOKEN = re.compile(
    rf"""
      (?P<skip>
          \#[^\r\n]*
        | <(?:[^\x00-\x20<>"{{}}|^`\\]|\\u[0-9A-Fa-f]{{4}}|\\U[0-9A-Fa-f]{{8}})*>
        | \"\"\"(?:"{{0,2}}(?:[^"\\]|\\.))*\"\"\" | '''(?:'{{0,2}}(?:[^'\\]|\\.))*'''
        | "(?:[^"\\\r\n]|\\[^\r\n])*" | '(?:[^'\\\r\n]|\\[^\r\n])*'
        | @[A-Za-z]+(?:--?[0-9A-Za-z]+)*
        | [0-9]+(?:\.[0-9]+)?(?:[Ee][+-]?[0-9]+)?
        | \{{\| | \|\}}
      )
    | (?P<variable>[?$][{_CHAR}]+)
    | (?P<name>(?:{_PREFIX})?:(?:(?!\.)(?:\.*(?:[{_CHAR}:%-]|\\.))+)? | {_KEYWORD} | \\.)
    | (?P<open>\{{)
    | (?P<close>\}}(?P<after>(?:\s|\#[^\r\n]*[\r\n])*)(?P<dot>\.?))
    | (?P<broken>["'])
    """,
    re.VERBOSE | re.DOTALL,
)
"""One token; its kind is `lastgroup`. A closing brace takes along the full stop that may follow it."""


def skeleton(source: Source) -> str:
    """Return the text with white space in place of what is between the braces of each outermost block.

    Raises QueryError if a block or string has no end.
    """
    text = source.text
    parts: list[str] = []
    depth = start = done = 0
    for token in TOKEN.finditer(text):
        if token["broken"]:
            raise source.error(token.start(), "the string that begins here does not end")
        if token["open"]:
            depth += 1
            start = token.end() if depth == 1 else start
        elif token["close"] and depth:
            depth -= 1
            if not depth:
                parts += text[done:start], _white_space(text[start : token.start()])
                done = token.start()
    if depth:
        raise source.error(start - 1, "the block that begins here does not end")
    return "".join([*parts, text[done:]])


def _white_space(text: str) -> str:
    """Return white space that can replace `text` without a change of any position after it.

    It has the length of `text`, the same number of line breaks, and a last line of the same length.
    """
    lines, last = text.count("\n"), len(text) - text.rfind("\n") - 1
    return " " * (len(text) - lines - last) + "\n" * lines + " " * last
