"""Imported by the fork server alone: has the kernels that commits need, without a store and its threads."""

import numpy as np

from kgreason.materialize.edit import Edit
from kgreason.materialize.materializer import Materializer
from kgreason.materialize.selection import select
from kgreason.rdf.reader import read_files
from kgreason.resources import resource
from kgreason.rules.parser import parse

_materializer = Materializer(select(["owl2rl"]))
_materializer.change(Edit(added=read_files([resource("ontologies", "univ-bench.ttl")], _materializer.dictionary)))
_materializer.accept()
_quads = np.array([(*row, graph) for graph in (0, 1) for row in _materializer.save().facts(True)[:2]], dtype=np.int32)
_own = parse("hub(?x) :- [?x, ?p, ?y] . [?x, a, ?p] :- hub(?x), [?x, ?p, ?y] .", "hub rules").rules
for _edit in (Edit(added=_quads[2:], own=_own), Edit(removed=_quads), Edit(added=_quads, own=())):
    _materializer.change(_edit, strategy="update")
    _materializer.accept()
