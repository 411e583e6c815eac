"""`compile_pattern`: a pattern of a user, ready to match. `tokens`: the parts of a text between its matches.

RE2 matches in a time that grows with the text, whatever the pattern. While it matches, other threads run.

Law: no Python regular expression is made of a text of a user. Cost: some microseconds for a match of a short text, and
at most 8 MiB of memory for each of the last patterns.
"""

from __future__ import annotations

import time
from functools import lru_cache
from typing import TYPE_CHECKING

from kgreason.patterns.translation import translate

if TYPE_CHECKING:
    import re2

_KEPT = 32
_MEMORY = 8 << 20
"""The largest number of bytes that RE2 may take for a pattern."""
_LONGEST = 0.5
"""The largest number of seconds that a thread may work on the parts of one text."""


@lru_cache(_KEPT)
def compile_pattern(pattern: str, *, is_part: bool = False, flags: str = "") -> re2._Regexp:
    """Compile a pattern of XSD, for use with `fullmatch`.

    With `is_part` it is a pattern of XPath, which may have `flags` (see `translation`).

    Raises ValueError for an error in the pattern, and for a pattern that needs too much memory.
    """
    import re2  # 10 milliseconds

    options = re2.Options()
    options.log_errors, options.never_capture, options.max_mem = False, True, _MEMORY
    text = translate(pattern, is_part=is_part, flags=flags)
    try:
        return re2.compile(text, options)
    except re2.error as error:
        shown = pattern if len(pattern) <= 200 else f"{pattern[:200]}..."
        problem = "it would take too much memory" if b"too large" in error.args[0] else error.args[0].decode()
        raise ValueError(f"{shown!r} is not a valid pattern: {problem}") from None
    finally:
        re2.purge()  # its own cache would keep many more patterns


def tokens(text: str, pattern: str) -> list[str]:
    """Return the parts of a text between the matches of a pattern of XPath, without empty parts.

    Raises ValueError as `compile_pattern` does, and TimeoutError after half a second of this thread's CPU: RE2 may read
    the rest of the text for each match. What else the machine does is not counted.
    """
    found, begun, until = [], 0, time.thread_time() + _LONGEST
    for match in compile_pattern(pattern, is_part=True).finditer(text):
        start, end = match.span()
        if start > begun:
            found.append(text[begun:start])
        begun = end
        if time.thread_time() > until:
            raise TimeoutError(f"splitting the text took longer than {_LONGEST:g} s")
    return found if begun == len(text) else [*found, text[begun:]]
