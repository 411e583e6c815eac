"""The closure of encoded quads: the program of the data, and what is asserted between rounds of parts.

planner     Driver: makes the program on the driver, from the schema triples of the data
literals    the facts about literals that rules need
kept        DataFrames that are computed once
operators   NOT, expressions and aggregates, which are evaluated between rounds
close       runs all of these steps
"""
