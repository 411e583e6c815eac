"""Arrays of the engine, by address in one memory block.

layout   the words and arrays of the block, and the records of its tables
blocks   Memory: arrays as kernels reach them
buffers  arrays that grow
hashing  the hash of a row; entries of hash tables
"""
