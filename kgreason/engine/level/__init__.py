"""The kernels of a level, in the order in which they run.

gatekeep        new facts meet triggers: rewrites
product, probe  rewrites meet facts through arrangements; which atom comes next
ground          finished rewrites become head rows
distinct        head rows meet the fact table: the next level
fixpoint        advance: levels until nothing is new
commit_end      what a commit changed; making it final, undoing it
"""
