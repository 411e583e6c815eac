"""The engine: holds facts and rules as numbers (ids), and after each commit all facts that follow.

It implements the circuit of DYRE on integer columns.

memory/, facts/, program/, index/, level/   the parts of a circuit
circuit                     Circuit: the arrays, and the loop that calls the kernels
elastic                     the choice between Update and Bootstrap
rebuild                     the facts that a Bootstrap starts from, and the changes that a Bootstrap made
engine                      Engine: commits
interrupts                  undivided: hold Ctrl-C back until the arrays are consistent (also used by other packages)
"""
