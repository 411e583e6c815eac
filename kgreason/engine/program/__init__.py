"""Rules -> the arrays that the kernels read.

encoding               rules in ids; shapes, slots, constants
shapes, plan_arrays    the plans of a shape, and their arrays
trigger_keys           which keys a row meets
planner                Planner: the program as arrays
derivable              which plans can derive anything
"""
