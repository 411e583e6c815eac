"""Oxigraph behind one class.

store           OxigraphStore: the rows, on disk or in memory
update          a delta as one SPARQL update
worker          queries in another thread, which can be given up
process, child  queries in another process, which can be ended
failures        errors of pyoxigraph as errors of kgreason
results         results that another thread or process made
repeated        results in which a variable has several columns
"""
