"""rdflib over kgreason, and the idiom of owlrl.

    rdflib.Graph(store="kgreason")                            the Store plugin (`store`): reads the materialized graph
    rdflib.Graph(KGReasonStore(KnowledgeGraph.open(...)))     the same around a graph that is open already
    DeductiveClosure(OWLRL_Semantics).expand(graph)           adds what follows to any rdflib graph (`closure`)

store      KGReasonStore, the Store plugin
pending    edits that wait for their commit
opening    what a configuration string opens
sparql     queries and updates as rdflib hands them over
closure    DeductiveClosure and its semantics
terms      rdflib's terms and pyoxigraph's
"""

from kgreason.bridges.rdflib.closure import DeductiveClosure, OWLRL_Semantics, RDFS_OWLRL_Semantics, RDFS_Semantics
from kgreason.bridges.rdflib.store import KGReasonStore

__all__ = ["DeductiveClosure", "KGReasonStore", "OWLRL_Semantics", "RDFS_OWLRL_Semantics", "RDFS_Semantics"]
