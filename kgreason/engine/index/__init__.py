"""Finds the rows of a circuit that have given values in some of their columns.

postings      the kernels of arrangements: groups of rows with equal values in the bound columns of a body atom
candidates    Catalogue: the rows that may have the constants of a new key
maintenance   the kernels that count rows for the trigger keys and enter rows into arrangements
arrangements  Arrangements: the arrays of all arrangements; fills them, grows them, drops them
"""
