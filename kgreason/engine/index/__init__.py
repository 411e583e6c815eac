"""The rows of a circuit by some of their columns.

postings      arrangements: groups of rows that agree on the bound columns of a body atom
candidates    the catalogue: rows that a new key may meet
maintenance   present rows are counted, and stand in the arrangements
arrangements  Arrangements: their room, and how they keep up
"""
