"""W3C's suite for SHACL-SPARQL: kgreason's report is the expected one; what is a failure is refused.

The suite for SHACL Core is in tests/shapes/test_parity.py.
"""

from __future__ import annotations

import pytest

from kgreason import KnowledgeGraph
from kgreason.errors import ShapesError
from tests.conftest import NO_SHARED_DATA
from tests.oracle.shacl.suite import ARCHIVE, Case, cases

SIZE = 22


def passes(case: Case) -> bool:
    with KnowledgeGraph.open(rules=["none"]) as graph:
        graph.add(case.data)
        try:
            graph.shapes.load(case.shapes)
        except ShapesError:
            return case.fails
        return case.is_passed_by(graph.validate().to_graph())


@pytest.mark.skipif(not ARCHIVE.is_file(), reason=f"{NO_SHARED_DATA}: {ARCHIVE} is missing")
def test_the_sparql_suite_passes() -> None:
    found = {case.name: passes(case) for case in cases("sparql")}
    assert len(found) == SIZE
    assert not [name for name, is_passed in found.items() if not is_passed]
