"""kgreason keeps an RDF/OWL knowledge graph materialized.

Load an ontology and data, query the closure with SPARQL, and edit the ontology or the data:

>>> import kgreason
>>> with kgreason.KnowledgeGraph.open(rules=["owl2rl"]) as graph:
...     graph.stats()["facts"]
0

`import kgreason` imports neither optional dependencies nor the engine nor Numba. Each name of `_HOMES` is imported when
it is first used. So the command line can prepare for Ctrl-C before it imports anything large.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kgreason.client.graph import connect
    from kgreason.entailment.classification.taxonomy import classify
    from kgreason.entailment.entails import check, entails
    from kgreason.graph.knowledge_graph import KnowledgeGraph

__all__ = ["KnowledgeGraph", "__version__", "check", "classify", "connect", "entails"]
__version__ = "0.1.0"
_HOMES = {
    "KnowledgeGraph": "kgreason.graph.knowledge_graph",
    "check": "kgreason.entailment.entails",
    "classify": "kgreason.entailment.classification.taxonomy",
    "connect": "kgreason.client.graph",
    "entails": "kgreason.entailment.entails",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
