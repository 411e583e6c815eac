"""The program (all rules in force) as the arrays that the kernels read.

encoding               rules and facts as ids; a rule becomes a shape and constants
shapes, plan_arrays    the plans of a shape, and the arrays of these plans
trigger_keys           find the trigger keys whose constants a row has
planner                Planner: the program as arrays
derivable              which plans can derive anything
"""
