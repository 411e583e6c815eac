"""Rules as data: values, the text they are written in, and their canonical form.

Import from the modules:

    model      Variable, Atom, Rule
    program    Program: rules with names, groups and prefixes
    parser     parse, load, ruleset: text -> Program        (grammar.lark, syntax, mistakes, constants)
    formatter  format_rule, format_program: the way back
    canonical  one value for all ways to write a rule
    safety     every head variable is bound
"""
