"""What those need who operate a server.

access     the access log
tokens     tokens from a file, read again on SIGHUP
tickets    /tickets: short-lived tickets for streams
figures    figures for Prometheus about the graph, its commits and the disk
backup     /backup: a copy of the store as a tar file
"""
