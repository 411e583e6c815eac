"""Result: one result of a validation; Failure: a validation without results."""

from __future__ import annotations

from typing import NamedTuple

from rdflib.namespace import SH
from rdflib.term import Node

from tests.oracle.shacl.paths import Path


class Failure(Exception):  # noqa: N818  # the word of the specification
    """The validation cannot be done: the specification says that a failure must or may be reported."""


class Result(NamedTuple):
    """The properties of one sh:ValidationResult."""

    focus: Node
    path: Path | None
    value: Node | None
    shape: Node
    component: Node
    severity: Node = SH.Violation
    messages: frozenset[Node] = frozenset()
    constraint: Node | None = None
