"""What those need who operate a server.

requests   the number of a request, in its answer, its problem and the log
access     the access log
logins     refused logins in the log, at a rate that cannot fill a disk
tokens     tokens from a file, read again on SIGHUP
tickets    /tickets: short-lived tickets for streams
proxy      a path prefix, and headers of trusted proxies
figures    figures for Prometheus about the graph, its commits and the disk
backup     /backup: a copy of the store as a tar file
"""
