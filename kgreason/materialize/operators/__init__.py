"""Operators assert facts about what rules have derived: negations, aggregates, results of expressions.

operators    `Operators`: all operators together, as the materializer and table programs call them
functions    `Functions`: results of expressions
evaluation   `evaluated`: an expression for many inputs at once, by Oxigraph
negation     `Negations`: the values for which a negated pattern has no match
aggregation  `Aggregations`: one value for each group
data         `Data`: asserted triples as facts
groups       `FactsByGroup`: the facts of a table by group
values       `values_of`: the value of each group
drawn        `drawn`: generic rules, specialised to the schema, for the order of negations
individuals  `Individuals`: which names stand for one individual
skolems      `Skolems`: blank nodes for individuals
tables       `Table`: the rows that match an atom
"""
