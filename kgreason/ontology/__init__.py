"""The ontology front end: closed schema triples in, rules with constant predicates out.

    schema.py     which triples are schema, and an index over them
    lists.py      RDF lists, or the fault that breaks one
    axioms.py     axioms as small values
    collect.py    schema -> axioms, node by node
    rows.py       what rows are written with
    rdfs.py       axiom -> rules: the rows of RDFS and rho-df
    owl2rl.py     axiom -> rules: the rows of the OWL 2 RL tables 4 to 7, in their order
    swrl.py       SWRL rules: nodes -> axiom -> rules
    normalise.py  rules -> fewer rules with the same closure: each by itself, then equal ones
    reduce.py     rules -> fewer rules with the same closure: without shortcuts
    translate.py  the passes in order
    live.py       the same for a schema that is edited: readings.py, statements.py and reduction.py hold the state of
                  a pass each and turn what came and went into what comes and goes; undo.py takes edits back
    twins.py      which restrictions say the same, and which of them represents the others
    generic.py    the rules of a rule set by their part: closing, rows, free
    needed.py     which of them the data needs beside the translated rules (patterns.py: unification)

Everything here is pure: no engine, no dictionary, no input or output (docs/architecture.md, Schema closure and
translation).
"""
