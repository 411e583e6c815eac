"""Regular expressions that users write: those of XSD, and those of the built-ins of SWRL.

Python's `re` backtracks, so a short pattern can take for ever, and meanwhile no other thread runs. RE2 does not.

characters     sets of characters
translation    the syntax of XSD -> the syntax of RE2
matching       a compiled pattern; the parts of a text between the matches
"""
