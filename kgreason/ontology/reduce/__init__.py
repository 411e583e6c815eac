"""The passes that drop what the rest implies.

covers  pairs of the taxonomy that shorter pairs imply
reduce  rules that chains of other rules replace
"""
