"""`Change`: the items that an edit removed and added. Each pass of a live translation takes and returns a `Change`."""

from __future__ import annotations

from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")


class Change(NamedTuple, Generic[T]):
    """The items (triples, axioms or rules) that an edit removed (`gone`) and added (`come`)."""

    gone: tuple[T, ...]
    come: tuple[T, ...]
