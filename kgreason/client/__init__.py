"""A graph that a server holds, as `kgreason serve` serves it, with the methods of a graph of this process.

    with kgreason.connect("http://127.0.0.1:7878", token="...") as graph:
        graph.add("<http://e/tom> a <http://e/Cat> .")

    link          requests and answers over HTTP; errors of the server as errors of the library
    graph         RemoteGraph: the methods
    transaction   edits that are sent as one request
    relation      a relation of the user
    shapes        the shapes graph in a transaction
    stream        the commits as they come

Texts, rows and files are parsed in this process, so blank nodes and errors are the same as with a graph of this
process. Rules are parsed twice: in this process, and by the server, which has the Python functions that rules call.
"""
