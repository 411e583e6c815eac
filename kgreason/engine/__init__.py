"""The engine: facts and rules in ids, kept at the fixpoint. The circuit of DYRE on columns.

memory/, facts/, program/, index/, level/   what a circuit is made of: see there
circuit                     Circuit: the arrays, and the loop that calls the kernels
elastic, rebuild            Update or Bootstrap; where a Bootstrap starts, and what it has changed
engine                      Engine: commits
interrupts                  undivided: Ctrl-C waits until the arrays agree; other packages use it too
"""
