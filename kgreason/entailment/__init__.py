"""Whether this graph entails that graph, and whether it contradicts itself.

entails      the two questions, over RDF files
conclusion   what a conclusion says: definitions to assume, parts to show
expressions  class expressions that no rule reads: counts, hasSelf
claims       axioms as goals
kinds        that names are of classes and of properties
classes      class expressions, to assume and to show
goals        what has to be shown, as values, and showing it
containers   what RDFS says of the terms that are named: rdf:_1, rdf:_2, ..., datatypes, resources
world        premises, materialized, to which assumptions are added for a while
values       literals by their values
matching     triple patterns over rows

Importing it loads neither the engine nor Numba.
"""

from kgreason.entailment.entails import check, entails

__all__ = ["check", "entails"]
