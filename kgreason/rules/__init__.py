"""Rules as data: values, the text in which they are written, and their canonical form.

Import from the modules:

    model           Variable, Atom, Rule
    program         Program: rules with names, groups and prefixes
    parser          parse, load, ruleset: from text to Program        (rules/text, rules/srl)
    formatter       format_rule, format_program: from rules to text
    canonical_form  canonical: the same value for all ways to write a rule
    safety          check_safe: every variable of a head must occur in the body
    patterns        unification of two atoms that may both have variables
    lowering        rules_without_not: rules with NOT, FILTER and BIND as positive rules
    strata          stratify: the order in which negations are decided
"""
