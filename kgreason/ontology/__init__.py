"""From an ontology to rules: the triples of a closed schema are translated to rules with constant predicates.

    read/       schema triples -> axioms
    twins       find restrictions that say the same, and choose one to represent the others
    translate/  axioms -> rules: `rdfs` and `owl2rl` hold the rows of the specifications, `translate` runs all passes
    reduce/     remove superfluous triples before the axioms are read, and superfluous rules afterwards
    change      Change: the input and output of each pass when a schema is edited
    undo        UndoLog: takes back the edits since the last commit
    generic/    the generic rules of a rule set, and which of them must run beside the translated rules

No module here uses the engine, the dictionary, files or the network (docs/architecture/ontology.md).
"""
