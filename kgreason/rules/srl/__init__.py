"""From SPARQL-RL (.srl) and CONSTRUCT queries (.rq) to rules; `rules.parser` is the door.

syntax       text -> statements of tokens with their places (grammar.lark)
mistakes     what a user may have meant with text that does not parse
names        tokens -> terms: prefixes, the base, constants
triples      statements -> triples: lists, paths, reifiers and blank nodes in full
reader       statements -> a program; checks that the rules are well-formed
translation  an abstract rule -> rules: blank nodes in heads, triple terms, NOT
imports      IMPORTS -> the rules of other files
"""
