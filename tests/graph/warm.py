"""Imported by the fork server alone: has the kernels that a load needs, without a store and its threads."""

from kgreason.graph.materializer import Materializer
from kgreason.graph.selection import select
from kgreason.resources import resource

Materializer(select(["owl2rl"])).load([resource("ontologies", "univ-bench.ttl")])
