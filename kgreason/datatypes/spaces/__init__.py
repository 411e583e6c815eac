"""The value spaces of datatypes, a module for each kind.

binary, numeric, textual, times, durations, markup
"""
