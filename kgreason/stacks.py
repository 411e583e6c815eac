r"""`stack_for`: how much stack a SPARQL text may take. `with_stack`: a call in a thread with so much stack.

Oxigraph recurses where it parses a text, optimises it and evaluates it: for each bracket inside brackets, each step of
a path, each operand of `||`, each triple pattern. A stack that overflows ends the process.

    3,000 patterns -> 12,000 tokens -> a stack of 97 MB, of which Oxigraph touches 10

Law: Oxigraph takes at most `TOKEN_BYTES` of stack for a token. Tokens that it puts into a list take none: the data of
VALUES, and terms between commas, as in IN (1, 2). A text with more than `MOST_TOKENS` others is refused. Where the text
can be read in two ways, the way with more tokens counts.

Cost: nothing for a text of up to 300 characters, 2 nanoseconds for a character of a text of some 100 tokens, and 0.3
microseconds for each token of a longer one. A text of more than some 250 tokens that count needs a new thread, which
takes some 50 microseconds.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from typing import TypeVar

from kgreason.errors import QueryError

MOST_TOKENS = 1 << 15
"""The largest number of tokens that may take stack."""
TOKEN_BYTES = 1 << 13
_USUAL = 2 << 20
"""Every thread has at least this much stack left."""
_SHORT = 300
"""The number of characters of a text that surely does not need more than the usual stack."""
_SPARE = 1 << 20
"""What Python takes besides."""

_IRI = r"<[^\x00-\x20<>\"{}|^`\\]*>"
_TOKEN = re.compile(
    rf"""
      (?:\"\"\"(?:"{{0,2}}(?:[^"\\]|\\.))*\"\"\" | '''(?:'{{0,2}}(?:[^'\\]|\\.))*'''
        | "(?:[^"\\\r\n]|\\[^\r\n])*" | '(?:[^'\\\r\n]|\\[^\r\n])*')
      (?:@[A-Za-z0-9-]+|\^\^(?:{_IRI}|[\w:.-]+))?
    | <[A-Za-z][A-Za-z0-9+.-]*://[^\x00-\x20<>"{{}}|^`\\]*>
    | [?$]\w+ | _:\w* | [0-9]+ | [\w%]+(?::[\w:%]*)? | :[\w:%]* | \\.
    | \#[^\r\n]* | \|\| | &&
    | \S
    """,
    re.VERBOSE | re.DOTALL,
)
_NO_SIGNS = bytes(range(33)) + bytes(range(127, 256)) + b"_" + bytes(each for each in range(128) if chr(each).isalnum())
_RAW = re.compile(r"\w+|[^\w\s]")
_UNCLEAR = re.compile(r"\\[uU]|<(?![A-Za-z][A-Za-z0-9+.-]*://)(?=[^\x00-\x20<>\"{}|^`\\]*[#'])")
"""An escape may stand for any sign. A `<` may be the sign for less, so that a comment or a string begins behind it."""
_KINDS = {sign: sign for sign in "(){}[],<>+-.;/|*^!=&@"}
_VALUES = re.compile(r"v(?:t|\(t*\))\{(?:[^{}<]|<(?!<))*\}")
_ITEM = r"(?:[+-]?t(?:\.t)?|<[^<>(){}]*>)"
_LIST = re.compile(rf"\({_ITEM}(?:,{_ITEM})+\)")
Result = TypeVar("Result")


def stack_for(sparql: str) -> int:
    """Return how many bytes of stack a query, an update, or a part of one may take. 0 is at most the usual stack.

    Raises QueryError for a text that may take too much.
    """
    if len(sparql) <= _SHORT or is_small(sparql):
        return 0
    count = tokens(sparql)
    if count > MOST_TOKENS:
        raise QueryError(
            f"the text is too long: it has {count:,} names, signs and brackets, without those of VALUES and lists such"
            f" as IN (1, 2); at most {MOST_TOKENS:,} are allowed; give data in VALUES"
        )
    needed = count * TOKEN_BYTES
    return 0 if needed <= _USUAL else needed + _SPARE


def is_small(sparql: str) -> bool:
    """Whether a text surely has few tokens: words have white space or a sign between them."""
    signs = len(sparql.encode("utf-8", "replace").translate(None, _NO_SIGNS))
    return (2 * signs + len(sparql.split())) * TOKEN_BYTES <= _USUAL


def tokens(sparql: str) -> int:
    """Return the number of tokens that may take stack."""
    if _UNCLEAR.search(sparql):
        return len(_RAW.findall(sparql))
    found = _TOKEN.findall(sparql)
    if len(found) * TOKEN_BYTES <= _USUAL:
        return len(found)
    kinds = "".join([_token_kind(token) for token in found if token[0] != "#"])
    return len(_LIST.sub("()", _VALUES.sub("{}", kinds)))


def _token_kind(token: str) -> str:
    """Return one character for a token: `v` for VALUES, `t` for a term or another word, or the sign itself."""
    if token == "VALUES" or (len(token) == 6 and token.upper() == "VALUES"):
        return "v"
    return "t" if len(token) > 1 and token not in ("||", "&&") else _KINDS.get(token, "t")


def with_stack(size: int, call: Callable[[], Result]) -> Result:
    """Return the result of a call that may take `size` bytes of stack, as `stack_for` says.

    With 0 the call is made in this thread. Otherwise it has a thread of its own: what it returns must be something that
    any thread may use. Raises the errors of the call, and QueryError if the system does not give so much stack.
    """
    if not size:
        return call()
    results: list[Result] = []
    errors: list[BaseException] = []

    def calling() -> None:
        try:
            results.append(call())
        except BaseException as error:
            errors.append(error)

    start_thread(size, calling).join()
    if errors:
        try:
            raise errors.pop()
        finally:
            errors.clear()
    return results.pop()


def start_thread(
    size: int, call: Callable[[], object], *, name: str | None = None, daemon: bool | None = None
) -> threading.Thread:
    """Start a thread with `size` bytes of stack, or with the usual stack if `size` is 0. Raises QueryError.

    Threads that another thread starts meanwhile may have as much stack.
    """
    thread = threading.Thread(target=call, name=name, daemon=daemon)
    if not size:
        thread.start()
        return thread
    with _SIZING:
        before = threading.stack_size(size)
        try:
            thread.start()
        except (RuntimeError, MemoryError) as error:
            raise QueryError(f"the text is too long: there is no memory for a stack of {size >> 20:,} MB") from error
        finally:
            threading.stack_size(before)
    return thread


_SIZING = threading.Lock()
"""Held while the size of new stacks is another one."""
