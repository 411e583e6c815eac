"""What a request brings with it, before the server knows who asks.

ids      the id of a request, in its answer, its problem and the log; texts of clients in lines of the log
logins   refused logins in the log, at a rate that cannot fill a disk
proxy    a path prefix, and headers of trusted proxies
"""
