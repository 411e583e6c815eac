"""The closure of encoded quads: the steps of a level (gatekeep, product, ground, distinct) as DataFrame operators.

planner     Driver: makes the program on the driver, from the schema triples of the data
plans       the rules as tables
literals    the facts about literals that rules need
kept        DataFrames that are computed once
rewrites    gatekeep, product and ground
operators   NOT, expressions and aggregates, which are evaluated between levels
fixpoint    computes a level from the levels before it
levels      runs all levels, from asserted facts or from an earlier result
close       runs all of these steps
extension   runs the levels from the closure that a graph has
"""
