"""`kgreason serve` under load: many readers, some writers and some followers, over HTTP on the loopback.

serving   a server as a process of its own, and clients of it (`http.client`)
crowd     readers, writers and followers in threads, and what each of them must find
load      the benchmarks: throughput, latency and memory under load
kills     the server is killed at random points of that load; nothing that it has acknowledged may be lost
"""
