"""`graphs_of`: the graph from which a CONSTRUCT or DESCRIBE takes its triples.

    CONSTRUCT { ... } WHERE { GRAPH :g { ... } }          <g>
    CONSTRUCT { ... } FROM :g WHERE { ... }               <g>
    DESCRIBE ... WHERE { GRAPH :g { ... } }               the default graph
    CONSTRUCT { ... } WHERE { ?s ?p ?o GRAPH :g { ... } } several

Law: if the result is one graph, all triples that the WHERE matches, or that a DESCRIBE gives, are in this graph.
Cost: a microsecond for each token of the query.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyoxigraph import BlankNode, NamedNode, QuerySolutions, Store

from kgreason.sparql.query.evaluation import Piece, pieces_of

_FORMS = ("CONSTRUCT", "DESCRIBE")


def graphs_of(
    query: str,
    prefixes: Mapping[str, str],
    base: str | None,
    default_graphs: Sequence[NamedNode | BlankNode] | None = None,
) -> tuple[str | None, ...]:
    """Return the name of the graph that a query reads, as text, or None for the default graph; () for several graphs.

    Oxigraph takes the query. `default_graphs` are read in place of the default graph; they overrule FROM.

    >>> graphs_of("CONSTRUCT { ?s ?p ?o } FROM <e:g> WHERE { ?s ?p ?o }", {}, None)
    ('<e:g>',)
    >>> graphs_of("CONSTRUCT WHERE { ?s ?p ?o }", {}, None), graphs_of("DESCRIBE <e:a> FROM <e:g> FROM <e:h>", {}, None)
    ((None,), ())
    """
    pieces = [piece for piece in pieces_of(query) if not piece.is_space]
    start = next(place for place, piece in enumerate(pieces) if piece.word in _FORMS)
    prologue = " ".join(piece.text for piece in pieces[:start])
    is_construct = pieces[start].word == "CONSTRUCT"
    if is_construct and any(piece.word == "GRAPH" for piece in pieces[start:]):
        name = _graph_name(pieces[start:])
        return (_resolve(prologue, name, prefixes, base),) if name else ()
    if default_graphs is not None:
        return (str(default_graphs[0]),) if len(default_graphs) == 1 else ()
    froms = [pieces[place + 1] for place, piece in enumerate(pieces) if place > start and piece.word == "FROM"]
    if not froms:
        return (None,)
    if len(froms) > 1 or froms[0].word == "NAMED":
        return ()
    return (_resolve(prologue, froms[0].text, prefixes, base),)


def _graph_name(pieces: Sequence[Piece]) -> str | None:
    """Return the name in `WHERE { GRAPH name { ... } }`, as it is written; None if the pattern has another form.

    `pieces` begin with CONSTRUCT and its template.
    """
    depth, opened = 0, list[int]()
    for place, piece in enumerate(pieces):
        if piece.text == "{":
            opened += [] if depth else [place]
            depth += 1
        depth -= piece.text == "}"
        if not depth and len(opened) == 2 and piece.text == "}":
            pattern = pieces[opened[1] + 1 : place]
            break
    else:
        return None
    if len(pattern) < 4 or pattern[0].word != "GRAPH" or pattern[1].is_variable or pattern[2].text != "{":
        return None
    if sum(piece.word == "GRAPH" for piece in pattern) > 1:
        return None
    for place, piece in enumerate(pattern[2:], 2):
        depth += (piece.text == "{") - (piece.text == "}")
        if not depth:
            return pattern[1].text if all(each.text == "." for each in pattern[place + 1 :]) else None
    return None


def _resolve(prologue: str, name: str, prefixes: Mapping[str, str], base: str | None) -> str:
    """Return an IRI or a prefixed name of a query as N-Triples text."""
    found = Store().query(f"{prologue} SELECT ({name} AS ?name) {{}}", prefixes=dict(prefixes), base_iri=base)
    assert isinstance(found, QuerySolutions)
    return str(next(found)["name"])
