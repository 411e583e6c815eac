"""The constraint components of SHACL, one function for each: from a parameter of a shape to rules.

values      components that look at each value node alone
counts      components that count value nodes
pairs       components that compare value nodes with the values of another property
logical     components that ask other shapes
sparql      SPARQL constraints, and components that the shapes graph defines
expression  sh:expression
"""
