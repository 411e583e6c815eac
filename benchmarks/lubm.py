"""LUBM under OWL 2 RL, read and closed in this process, for the benchmarks of the engine.

Cost: a few seconds and 0.3 GB for LUBM(5,0). Nothing is kept between benchmarks, since some of them change the graph.
"""

from __future__ import annotations

import numpy as np

from benchmarks.workspace import Workspace
from kgreason.engine.memory import layout as at
from kgreason.materialize.edit import Edit
from kgreason.materialize.materializer import Materializer
from kgreason.materialize.selection import select
from kgreason.rdf.reader import read_files
from kgreason.zset.columns import Int32

ONTOLOGY = "univ-bench.ttl"
NAMESPACE = "http://swat.cse.lehigh.edu/onto/univ-bench.owl#"


def materialize(workspace: Workspace, universities: int) -> Materializer:
    """LUBM(universities, 0) and its ontology, closed."""
    materializer = Materializer(select(["owl2rl"]))
    materializer.change(
        Edit(added=read_files([workspace.lubm(universities), workspace.ontology(ONTOLOGY)], materializer.dictionary))
    )
    materializer.accept()
    return materializer


def asserted(materializer: Materializer) -> dict[int, Int32]:
    """The asserted triples, as a Bootstrap takes them."""
    return {materializer.triples: materializer.save().facts(True)}


def told(materializer: Materializer) -> dict[int, Int32]:
    """The facts about restrictions and literals that rules use in addition to the asserted triples."""
    saved = materializer.save()
    states, columns = saved.records[:, at.STATE], saved.records[:, at.FIRST :]
    return {
        number: np.ascontiguousarray(
            columns[(states >> at.TABLE & at.LAST_TABLE == number) & ((states & at.ASSERTED) != 0), :width]
        )
        for number, (is_triple, width) in enumerate(saved.tables)
        if not is_triple
    }
