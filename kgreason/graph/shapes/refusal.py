"""`results_that_refuse`: the validation results for which a graph refuses a commit (`options.OnViolation`)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from kgreason.options import OnViolation
from kgreason.shapes.vocabulary import SH

if TYPE_CHECKING:
    from kgreason.graph.changes.delta import Delta
    from kgreason.shapes.result import Result

ALLOWED: Mapping[OnViolation, Collection[str] | None] = {
    "report": None,
    "refuse": (f"{SH}Warning", f"{SH}Info"),
    "refuse-warnings": (f"{SH}Info",),
    "refuse-all": (),
}
"""The severities whose results a graph takes; None if it takes all results."""


def results_that_refuse(delta: Delta, allowed: Collection[str]) -> list[Result]:
    """Return the results that appear with a commit, other than those of the severities `allowed`."""
    return [each for each in delta.results() if each.severity.value not in allowed]
