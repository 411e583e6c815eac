"""Known gaps: `tests/cases/gaps.toml`, which names for a rule what its cases do not show, in which readings, and why.

Law: a gap is true. Its cases are expected to fail, and one that passes fails the run; without cases the rule is not
among those that are shipped.
"""

from __future__ import annotations

import tomllib
from functools import cache
from typing import Literal, NamedTuple, get_args

from kgreason.options import SchemaMode

from .cases import ROOT

Check = Literal["rule", "deltas", "name"]
READINGS: tuple[SchemaMode, ...] = get_args(SchemaMode)


class Gap(NamedTuple):
    """What fails, in which readings of the schema, and why."""

    fails: tuple[Check, ...]
    readings: tuple[SchemaMode, ...]
    reason: str

    def spoils(self, check: Check, schema: SchemaMode) -> bool:
        """Whether the deltas, or the name, of a case are not as they should be in a reading."""
        return schema in self.readings and check in self.fails


@cache
def gaps() -> dict[tuple[str, str], Gap]:
    """The gaps by (rule set, rule)."""
    read = tomllib.loads((ROOT / "gaps.toml").read_text("utf-8"))
    return {
        (ruleset, rule): Gap(tuple(gap["fails"]), tuple(gap.get("readings", READINGS)), gap["reason"])
        for ruleset, rules in read.items()
        for rule, gap in rules.items()
    }
