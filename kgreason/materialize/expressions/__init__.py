"""Ways to evaluate an expression of a rule for many inputs at once, without Oxigraph (see operators/evaluation.py).

calls       Python functions
numbers     filters that compare sums of numbers, as whole columns
exact, exact_groups, reals   expressions and aggregates of numbers that are too long for Oxigraph
"""
