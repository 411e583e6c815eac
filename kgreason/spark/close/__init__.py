"""The closure of encoded quads: the program of the data, and what is asserted between rounds of parts.

planner     Driver: makes the program on the driver, from the schema triples of the data
terms       all terms, and ids for new ones
literals    the facts about literals that rules need
decisions   what the driver does with the facts that operators assert
job         runs the rounds, and lets operators decide between them
close       runs all of these steps
"""
