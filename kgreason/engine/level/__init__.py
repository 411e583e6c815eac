"""The kernels of a level, in the order in which they run.

gatekeep        find the trigger keys of new facts; each (key, fact) starts rewrites
product, probe  extend rewrites by facts from the arrangements; choose which atom comes next
ground          turn finished rewrites into head rows
distinct        enter head rows into the fact table; new rows are the next level
meeting, shares, entering
                gatekeep, product and distinct for many rows, by all workers of a crew
asserting       take in the asserted facts of a Bootstrap, by all workers of a crew
fixpoint        advance: run levels until nothing is new
returning       facts that left and return, because a derivation is left
commit_end      list the changes of a commit; make it final, or undo it
"""
