"""Headers that a client sends as several lines (RFC 9110, section 5.3).

    Accept: text/turtle                    Accept: text/turtle, text/csv;q=0.5
    Accept: text/csv;q=0.5          ->

The lines of a list are one list, in their order. So every path sees one line. A header with one value must not be sent
twice: a proxy and the server could take different lines for the value.
"""

from __future__ import annotations

from kgreason.server.problems import Problem

Lines = list[tuple[bytes, bytes]]
_LISTS = frozenset(
    b"accept accept-encoding accept-language cache-control content-encoding if-match if-none-match".split()
)
_SINGLE = frozenset((b"authorization", b"content-type", b"host", b"last-event-id", b"origin"))


def join_lists(lines: Lines) -> Lines:
    """Return the headers of a request with the lines of each list joined.

    Raises Problem for two lines of a header that is no list.

    >>> join_lists([(b"accept", b"text/csv"), (b"host", b"e"), (b"accept", b"*/*")])
    [(b'accept', b'text/csv, */*'), (b'host', b'e')]
    """
    names = [name for name, _ in lines]
    if len(names) == len(set(names)):
        return lines
    found: dict[bytes, list[bytes]] = {}
    others: Lines = []
    for name, value in lines:
        if name in _LISTS:
            found.setdefault(name, []).append(value)
        else:
            others.append((name, value))
    for name in _SINGLE:
        if sum(each == name for each, _ in others) > 1:
            raise Problem(400, f"the header {name.decode()} is given twice; give it once")
    return [(name, b", ".join(values)) for name, values in found.items()] + others
