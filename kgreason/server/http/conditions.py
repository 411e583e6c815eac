"""Conditional requests (RFC 9110, section 13): entity tags, `If-Match` and `If-None-Match`.

    "13-5f3a9c0d.ttl"         state 13 of a graph, in Turtle            "13-5f3a9c0d.ttl-gzip"    the same, compressed
    "13-5f3a9c0d"             state 13, for an answer to an edit        "13"    If-Match: no commit after 13

A state is the number of the last commit that changed the graph (`states`). The second part of a tag is new in each
process. So no tag of an earlier process fits, even if a backup was restored since, or another version writes the same
graph in other bytes. A client may also send the bare number of the last commit as `If-Match`,
which it has from `Kgreason-Commit`. Then no commit at all may have come since, in any graph.

Laws: If-Match compares strongly, so a weak tag never fits. If-None-Match compares weakly. An unreadable tag fits
nothing. If-Match comes first (section 13.2.2).
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator

from starlette.datastructures import Headers

from kgreason.server.problems import Problem

_PROCESS = secrets.token_hex(4)
_TAG = re.compile(r'\s*(W/)?"([\x21\x23-\x7e\x80-\xff]*)"\s*(?:,|$)')
_EMPTY = re.compile(r"[\s,]*")
_GZIP = "-gzip"
"""The end of the tag of a compressed answer (`compression`)."""


def etag(state: int, form: str = "") -> str:
    """Return the ETag of a graph in a state. With `form` it is the ETag of the graph in this format."""
    return f'"{state}-{_PROCESS}.{form}"' if form else f'"{state}-{_PROCESS}"'


def compressed_etag(found: str) -> str:
    """Return the ETag of the compressed answer, from the ETag of the plain answer."""
    return f'{found[:-1]}{_GZIP}"'


def _tags(header: str) -> Iterator[tuple[bool, str]]:
    """Yield the tags of a header: whether it is weak, and its text without quotes. Stops at a text that is no tag."""
    place = 0
    while match := _TAG.match(header, place := _EMPTY.match(header, place).end()):  # type: ignore[union-attr]
        yield match[1] is not None, match[2]
        place = match.end()


def check_edit(headers: Headers, state: int, commit: int, *, exists: bool = True) -> None:
    """Raise Problem 412 if If-Match or If-None-Match of an edit does not hold for a graph in this state.

    `commit` is the number of the last commit, and `exists` says whether the graph has a triple.
    """
    own = {"ETag": etag(state)} if exists else {}
    if (wanted := headers.get("if-match")) is not None:
        if exists:
            _check_match(wanted, state, commit)
        elif str(commit) not in _strong_tags(wanted):
            raise Problem(412, "If-Match names a state of a graph that does not exist")
    if exists and (refused := headers.get("if-none-match")) is not None:
        tags = {text for _, text in _tags(refused)}
        if refused.strip() == "*" or _has_state(tags, state):
            raise Problem(412, "the graph exists in the state that If-None-Match refuses", own)


def _check_match(header: str, state: int, commit: int) -> None:
    """Raise Problem 412 if a header If-Match does not hold for a graph in this state."""
    strong = _strong_tags(header)
    if not (header.strip() == "*" or str(commit) in strong or _has_state(strong, state)):
        text = f"commit {state} was the last one to change the graph, and If-Match names another state"
        raise Problem(412, text, {"ETag": etag(state)})


def _strong_tags(header: str) -> set[str]:
    return {text for is_weak, text in _tags(header) if not is_weak}


def _has_state(tags: set[str], state: int) -> bool:
    return any(text.partition(".")[0].removesuffix(_GZIP) == f"{state}-{_PROCESS}" for text in tags)


def check_read(headers: Headers, found: str, state: int, commit: int) -> str | None:
    """Return the ETag of the answer 304 to a GET or HEAD whose client has the graph already; None if it has not.

    `found` is the ETag of the plain answer. Raises Problem 412 if If-Match does not hold.
    """
    if (wanted := headers.get("if-match")) is not None:
        _check_match(wanted, state, commit)
    given, bare = headers.get("if-none-match", ""), found.removeprefix("W/")
    tags = {f'"{text}"' for _, text in _tags(given)}
    if given.strip() == "*" or bare in tags:
        return found
    return compressed_etag(found) if compressed_etag(bare) in tags else None
