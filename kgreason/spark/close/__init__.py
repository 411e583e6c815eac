"""The closure of encoded quads: gatekeep, product, ground and distinct as DataFrame operators.

planner, plans       the program, made on the driver; rules as tables
literals             what rules need to know of literals
rewrites             gatekeep, product and ground
fixpoint, levels     a level; the levels, from scratch or from a result
close                close: all of it
"""
