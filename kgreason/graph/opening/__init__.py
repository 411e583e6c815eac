"""How a graph is opened.

options   the options of `KnowledgeGraph.open`: which a store keeps, and which hold until the graph is closed
opened    open_home: the home of a graph, made by these options
"""
