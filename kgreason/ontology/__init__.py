"""The ontology front end: closed schema triples in, rules with constant predicates out.

    read/       schema triples -> axioms
    twins       which restrictions say the same, and which of them represents the others
    translate/  axioms -> rules: rdfs and owl2rl hold the rows of the specifications, translate all passes in order
    reduce/     what chains of others imply goes: before the axioms are read, and rule by rule
    change      Change: what each pass of a live translation hands on
    live/       the same passes for a schema that is edited
    undo        UndoLog: takes back the edits since the last commit
    generic/    the rules of a rule set by their part, and which of them the data needs beside the translated ones

Everything here is pure: no engine, no dictionary, no input or output (docs/architecture.md, Schema closure and
translation).
"""
