"""The graph after its last commit, for reading: at rest in a snapshot, or in a running engine.

state        State: what can be asked of both
at_rest      AtRest: the graph without its engine
running      Running: the graph with its engine
statistics   counts of a state
rule_costs   the work of each rule
"""
