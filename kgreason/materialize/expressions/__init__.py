"""Ways to evaluate the expressions of rules for many inputs at once, apart from Oxigraph (operators/evaluation.py).

calls       Python functions
numbers     filters that compare sums of numbers, as whole columns
"""
