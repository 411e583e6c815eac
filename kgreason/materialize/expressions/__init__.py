"""Ways to evaluate an expression of a rule for many inputs at once, beside Oxigraph (see operators/evaluation.py).

calls       Python functions
numbers     filters that compare sums of numbers, as whole columns
sums        sums of dates and durations, in steps that Oxigraph evaluates
exact, exact_groups, reals   expressions and aggregates of numbers that are too long for Oxigraph
"""
