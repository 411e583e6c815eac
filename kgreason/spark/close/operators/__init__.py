"""Operators: NOT, expressions, aggregates and DATA. They read facts, and assert facts that rules read.

program      the operators of a program, as tables of integers
tables       Tables: facts to keys, results to facts
terms        Terms: all terms, with those that operators make
individuals  which terms are equal
negations    NOT: an anti-join
tasks        what tasks run: expressions and aggregates
expressions  FILTER, BIND and SKOLEM
aggregates   AGGREGATE
data         DATA: asserted triples as facts
operators    Assertions: all operators, level by level
"""
