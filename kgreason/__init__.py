"""kgreason keeps an RDF/OWL knowledge graph materialized.

Load an ontology and data, query the closure with SPARQL, edit either live:

>>> import kgreason
>>> with kgreason.KnowledgeGraph.open(rules=["owl2rl"]) as graph:
...     graph.stats()["facts"]
0

Importing the package loads no extra, and neither the engine nor Numba.
"""

from kgreason.entailment.entails import check, entails
from kgreason.graph.knowledge_graph import KnowledgeGraph

__all__ = ["KnowledgeGraph", "__version__", "check", "entails"]
__version__ = "0.1.0"
