"""The arrays of the engine, which kernels find by their addresses in one array, the memory block.

layout   the words of the memory block, and the columns of each array
blocks   Memory: a memory block and its arrays by name, which grow; how a kernel gets an array from the block
hashing  the hash of a row; entries of hash tables
"""
