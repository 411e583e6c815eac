"""Where a graph lives: five homes behind one protocol.

home       Home, and Writable for a home that takes commits: the protocols
position   Position: how far snapshot, journal and store are
disk       Disk: a store that this process writes
reader     Reader: a store that another process may write
memory     Memory: a graph that ends with the process
fork       Fork: a graph in memory that begins as a store is
past       Past: a store as it was after an earlier commit, for reading
in_memory  RowsInMemory: the rows of the last three, and the stage that may take their place
"""
