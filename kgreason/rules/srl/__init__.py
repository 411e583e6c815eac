"""From SPARQL-RL (.srl) and CONSTRUCT queries (.rq) to rules, and back. Other packages parse with `rules.parser`.

syntax       text -> statements of tokens with their places (grammar.lark)
mistakes     what a user may have meant with text that does not parse
abstract     rules as the W3C's text defines them: patterns, filters, assignments, negations
names        tokens -> terms: prefixes, the base, constants
triples      statements -> triples: lists, paths, reifiers and blank nodes in full
reader       statements of a rule set -> a program; checks that the rules are well-formed
queries      a CONSTRUCT query -> a program
translation  an abstract rule -> rules: blank nodes in heads, triple terms, NOT
parts        helper rules that take triple terms apart
imports      IMPORTS -> the rules of other files
writer       a program -> the text of a rule set or of a query
"""
