"""SHACL: a shapes graph becomes rules, and a validation result is a fact that they derive.

    vocabulary    the terms of SHACL, and the relations of its rules
    graph         ShapesGraph: the triples of a shapes graph, for reading
    paths         property paths: text and rules
    shape         Shape: targets, and how shapes refer to each other
    writer        Writer: writes the rules of one shape
    query/        queries of a shapes graph as bodies of rules
    focus         the nodes that a shape validates
    components/   the constraint components, one function for each
    inference/    sh:rule and node expressions
    program       rules_of: the rules of a shapes graph
    result        Result: a fact as a validation result
    report        Report: the results that were derived, as W3C has them
    report_graph, messages   the report as triples; results in words

Law: the rules are a function of the shapes graph. No module here uses the engine, files or the network.
"""
