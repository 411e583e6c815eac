"""Decide whether one graph entails another graph, and find the contradictions of a graph.

entails      the two questions, asked about RDF files
conclusion   divides a conclusion into definitions, which are assumed, and parts, which have to be proved
expressions  class expressions that no rule reads: cardinalities, hasSelf
claims       turns an axiom into a goal
kinds        the goal that a name denotes a class or a property
classes      turns "x is in this class expression" into assumptions or into a goal
goals        goals (statements to show) as values; `prove` tries to show a goal
containers   triples that RDFS derives from nothing: about rdf:_1, rdf:_2, ..., datatypes, resources
world        Closure: the materialized premises, to which assumptions can be added for a while
values       compares literals by value
matching     matches triple patterns with rows
repairs      the axioms whose removal ends a contradiction, or makes a class satisfiable

Three packages about classes and versions stand beside: `classification`, `dl_query`, `versions`.

Importing the package loads neither the engine nor Numba.
"""

from kgreason.entailment.entails import check, entails

__all__ = ["check", "entails"]
