"""Operators on Spark: NOT, expressions, aggregates and DATA. They read facts, and assert facts that rules read.

forms        which facts an operator reads and writes, as tables
program      the operators of a program, as tables of integers
tables       Tables: from facts to what operators read; from the results of operators to facts
terms        Terms: all terms of the data, and new terms that operators make
individuals  which terms are equal
negations    NOT: an anti-join
tasks        the functions that Spark tasks run for expressions and aggregates
expressions  FILTER, BIND and SKOLEM
aggregates   AGGREGATE
data         DATA: asserted triples as facts
operators    Assertions: all operators, stratum by stratum
"""
