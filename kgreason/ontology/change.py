"""`Change`: what each pass of a live translation receives and hands on: what went, and what came."""

from __future__ import annotations

from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")


class Change(NamedTuple, Generic[T]):
    """The items that went and the items that came."""

    gone: tuple[T, ...]
    come: tuple[T, ...]
