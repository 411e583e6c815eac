"""Every form of an update is understood, and what is wrong is named with its place before anything runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgreason.errors import QueryError
from kgreason.sparql.operations import Clear, Create, DeleteData, InsertData, Load, Modify, Operation, Transfer
from kgreason.sparql.parser import parse
from kgreason.sparql.template import placeholder
from tests.tables import table

PREFIX = "PREFIX e: <http://e/>\n"
XSD = "http://www.w3.org/2001/XMLSchema#"


def only(text: str) -> Operation:
    (operation,) = parse(PREFIX + text)
    return operation


def rows(text: str) -> list[str]:
    operation = only(text)
    assert isinstance(operation, InsertData | DeleteData)
    return operation.rows.decode().splitlines()


def modify(text: str) -> Modify:
    operation = only(text)
    assert isinstance(operation, Modify)
    return operation


@table(
    ("written", "read"),
    [
        ("<http://e/x>", "<http://e/x>"),
        ("e:x.y", "<http://e/x.y>"),
        ("e:true", "<http://e/true>"),
        ("e:GRAPH", "<http://e/GRAPH>"),
        ("e:a\\,b%20", "<http://e/a,b%20>"),
        ("01", f'"01"^^<{XSD}integer>'),
        ("-1.50", f'"-1.50"^^<{XSD}decimal>'),
        ("1e3", f'"1e3"^^<{XSD}double>'),
        ("TRUE", f'"TRUE"^^<{XSD}boolean>'.lower().replace("xmlschema", "XMLSchema")),
        ("False", f'"false"^^<{XSD}boolean>'),
        ('"a}b"', '"a}b"'),
        ("'''it's {'''", '"it\'s {"'),
        ('"""a "?x" #b\n"""', '"a \\"?x\\" #b\\n"'),
        ("'x'@EN-gb", '"x"@EN-gb'),
        ("'GRAPH'@graph", '"GRAPH"@graph'),
        ("'1'^^e:d", '"1"^^<http://e/d>'),
        ("<http://e/#{}>".replace("{}", "x"), "<http://e/#x>"),
        ("<<( e:s e:p 1 )>>", f'<<( <http://e/s> <http://e/p> "1"^^<{XSD}integer> )>>'),
        ("()", "<http://www.w3.org/1999/02/22-rdf-syntax-ns#nil>"),
    ],
)
def test_every_form_of_a_term(written: str, read: str) -> None:
    for verb in ("INSERT", "DELETE"):
        assert rows(f"{verb} DATA {{ e:a e:b {written} }}") == [f"<http://e/a> <http://e/b> {read} ."]


@pytest.mark.parametrize("word", ["true", "FALSE"])
def test_a_full_stop_behind_a_boolean(word: str) -> None:
    boolean = f'"{word.lower()}"^^<{XSD}boolean>'
    assert rows(f"INSERT DATA {{ e:a e:b {word}.<http://e/c> e:d {word}.}}") == [
        f"<http://e/a> <http://e/b> {boolean} .",
        f"<http://e/c> <http://e/d> {boolean} .",
    ]


def test_triples_around_graphs() -> None:
    text = (
        "insert data { e:a a e:C, e:D GRAPH e:g { e:a e:p 'g' } . e:b e:q 'b' # }\n graph <http://e/h>{}e:c e:q 'c'. }"
    )
    kind = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
    assert rows(text) == [
        f"<http://e/a> {kind} <http://e/C> .",
        f"<http://e/a> {kind} <http://e/D> .",
        '<http://e/a> <http://e/p> "g" <http://e/g> .',
        '<http://e/b> <http://e/q> "b" .',
        '<http://e/c> <http://e/q> "c" .',
    ]


def test_blank_nodes_of_data_are_new_each_time() -> None:
    text = "INSERT DATA { _:x e:p _:x GRAPH e:g { _:x e:p [ e:q () ] } }"
    first, second = rows(text), rows(text)
    labels = [{word for line in lines for word in line.split() if word.startswith("_:")} for lines in (first, second)]
    assert [len(found) for found in labels] == [2, 2]
    assert not labels[0] & labels[1]
    assert "_:x" not in labels[0]


def test_declarations_hold_to_the_end() -> None:
    operations = parse(
        "BASE <http://b/> INSERT DATA { <a> <b> <c> } ; PREFIX : <x#> INSERT DATA { :a <b> <c> } ; "
        "PREFIX : <y#> BASE <d/> INSERT DATA { :a <b> <c> } ;"
    )
    assert [operation.rows.decode() for operation in operations if isinstance(operation, InsertData)] == [
        "<http://b/a> <http://b/b> <http://b/c> .\n",
        "<http://b/x#a> <http://b/b> <http://b/c> .\n",
        "<http://b/y#a> <http://b/d/b> <http://b/d/c> .\n",
    ]


def test_where_becomes_a_select() -> None:
    operation = modify("DELETE { ?s e:p ?o } INSERT { ?s e:q $o } USING e:g USING NAMED e:h WHERE { ?s ?p ?o # }\n }")
    assert operation.select.query == (
        "PREFIX e: <http://e/> SELECT DISTINCT ?s ?o FROM <http://e/g> FROM NAMED <http://e/h> "
        "WHERE\n{ ?s ?p ?o # }\n }"
    )
    assert operation.select.default_graph is None


@pytest.mark.parametrize(
    "where",
    ["?x e:p 1.e:b e:p ?y", "?x e:p true.:b e:p ?y", "?x e:p 1.5.:b e:p ?y", "?x e:p ?y # }\r"],
)
def test_a_full_stop_after_a_term_is_no_part_of_it(where: str) -> None:
    [operation] = parse(f"{PREFIX} PREFIX : <http://e/> INSERT {{ ?x e:q ?y }} WHERE {{ {where} }}")
    assert isinstance(operation, Modify)
    assert where in operation.select.query


def test_solutions_that_make_blank_nodes_are_not_taken_together() -> None:
    assert modify("INSERT { ?s e:q [] } WHERE { ?s ?p ?o }").select.query.endswith("SELECT ?s WHERE\n{ ?s ?p ?o }")


def test_with_names_the_graph_that_using_replaces() -> None:
    assert modify("WITH e:g INSERT { ?s ?p ?o } WHERE { ?s ?p ?o }").select.default_graph == "<http://e/g>"
    using = modify("WITH e:g INSERT { ?s ?p ?o GRAPH e:h { ?s ?p ?o } } USING e:u WHERE { ?s ?p ?o }")
    assert using.select.default_graph is None
    assert [str(quad.graph_name) for quad in using.added.quads] == ["<http://e/g>", "<http://e/h>"]


@table(
    ("text", "operation"),
    [
        ("CLEAR ALL", Clear(True, None)),
        ("DROP SILENT NAMED", Clear(False, None)),
        ("clear default", Clear(True, ())),
        ("DROP GRAPH e:g", Clear(False, ("<http://e/g>",))),
        ("CREATE GRAPH e:g", Create("<http://e/g>", False)),
        ("Create Silent Graph <http://e/g>", Create("<http://e/g>", True)),
        ("COPY DEFAULT TO e:g", Transfer("COPY", None, "<http://e/g>", False)),
        ("MOVE SILENT GRAPH e:g TO DEFAULT", Transfer("MOVE", "<http://e/g>", None, True)),
        ("ADD e:g TO GRAPH e:h", Transfer("ADD", "<http://e/g>", "<http://e/h>", False)),
        ("ADD graph:g TO default:h", Transfer("ADD", "<http://g/g>", "<http://d/h>", False)),
        ("LOAD <file:///a%20b.ttl>", Load(Path("/a b.ttl"), None, False)),
        ("LOAD SILENT <file://localhost/a.nt> INTO GRAPH e:g", Load(Path("/a.nt"), "<http://e/g>", True)),
    ],
)
def test_graph_management(text: str, operation: Operation) -> None:
    assert parse(f"{PREFIX}PREFIX graph: <http://g/> PREFIX default: <http://d/> {text}") == (operation,)


def test_nothing_is_an_update() -> None:
    for text in ("", " # nothing\n", PREFIX, "LOAD SILENT <http://example.org/>"):
        assert parse(text) == ()
    assert len(parse("CLEAR ALL;")) == 1


_BLANKS = "DELETE cannot contain blank nodes (_:b, [] or lists); use a variable in DELETE ... WHERE"
ERRORS = {
    "SELECT * WHERE {}": (2, 1, "this is a SPARQL query, not an update: use `query` for it"),
    "CLEAR ALL CLEAR ALL": (2, 11, "';' is missing before 'CLEAR': it stands between two operations"),
    "INSERT DAT { }": (2, 8, "found 'DAT'; do you mean DATA?"),
    "INSERT {\n}": (3, 2, "found the end of the text, but INSERT and DELETE need WHERE { ... }; "),
    "WITH e:g CLEAR ALL": (2, 10, "found 'CLEAR', expected DELETE or INSERT"),
    "CLEAR ALL }": (2, 11, "found '}', expected ';' or the end of the text"),
    "COPY {": (2, 6, "the block that begins here does not end"),
    "COPY GRAPH TO e:g": (2, 12, "found 'TO', expected a prefixed name or an IRI in angle brackets"),
    "PREFIX f <http://f/>": (2, 8, "found 'f', expected a prefix with its colon"),
    "PREFIX f: <rel> CLEAR ALL": (2, 11, "the IRI is relative: write it in full"),
    "CREATE GRAPH <rel>": (2, 14, "the IRI is relative: write it in full"),
    "CLEAR GRAPH f:x": (2, 13, "the prefix f: is not declared; "),
    "LOAD <http://e/x>": (2, 6, "LOAD reads local files (file:///...), not http://e/x"),
    "LOAD <file://host/x>": (2, 6, "LOAD reads local files (file:///...), not file://host/x"),
    "INSERT DATA { e:a e:b ?x }": (2, 23, "INSERT DATA cannot contain a variable (?x)"),
    "DELETE DATA { ?x e:b 1 }": (2, 15, "DELETE DATA cannot contain a variable (?x)"),
    "INSERT DATA { e:a f:b e:c }": (2, 19, "the prefix f: is not declared; "),
    "INSERT DATA { e:a e:b\n  }": (3, 3, "the triple before } has no object"),
    "INSERT { ?é\n ?pé ?longer , } WHERE {}": (3, 16, "the triple before } has no object"),
    "INSERT { GRAPH ?g { ?s } } WHERE {}": (2, 24, "the triple before } has no predicate"),
    "INSERT DATA { GRAPH e:g { e:a e:b e:c . GRAPH e:h { } } }": (2, 51, "a GRAPH cannot contain another block"),
    "INSERT DATA { GRAPH _:g { e:a e:b e:c } }": (2, 20, "a blank node cannot name a graph in an update"),
    "INSERT { GRAPH [] { e:a e:b e:c } } WHERE {}": (2, 15, "a blank node cannot name a graph in an update"),
    "INSERT DATA { e:a e:b <x y> }": (2, 23, "Invalid IRI code point ' '"),
    "INSERT DATA { e:a e:b 'x }": (2, 23, "the string that begins here does not end"),
    "INSERT {} WHERE { ?s ?p ?o ": (2, 17, "the block that begins here does not end"),
    "DELETE DATA { e:a e:b _:x }": (2, 23, _BLANKS),
    "DELETE { e:a e:b [] } WHERE {}": (2, 8, _BLANKS),
    "DELETE WHERE { (1) e:b <<( e:a e:b _:x )>> }": (2, 36, _BLANKS),
    "DELETE WHERE { ?s e:p 1 FILTER(?s) }": (2, 25, "FILTER cannot be the subject of a triple"),
    "INSERT DATA { _:b e:p 1 };\nINSERT { _:b e:p 2 } WHERE {}": (
        *(3, 10, "an earlier operation uses _:b for another blank node"),
    ),
    "INSERT { e:a e:b 'z'^^?d } WHERE {}": (2, 23, "a datatype is an IRI, and ?d is a variable: write BIND(STRDT("),
    "DELETE { e:a e:b 'z'#?x\n^^ #\n$d } WHERE {}": (4, 1, "a datatype is an IRI, and $d is a variable"),
    "DELETE WHERE { GRAPH ?g { e:a e:b 'z'^^?d } }": (2, 40, "a datatype is an IRI, and ?d is a variable"),
    "CLEAR ALL ;\u2003": (2, 12, "found the character U+2003, expected "),
    "INSERT {} WHERE { ?s ?p\u00a0?o }": (2, 24, "found the character U+00A0, expected "),
    "INSERT {} WHERE { ?s f:p ?o }": (2, 22, "the prefix f: is not declared; begin the update with PREFIX f: <"),
    "INSERT {} WHERE\n{ ?s ?p ?o\n FILTER(?o >) }": (4, 13, "found ')', expected an expression"),
    "INSERT {} WHERE { VALUES (?x ?y) { (1) } }": (2, 17, "Oxigraph does not take it"),
    "INSERT {} WHERE { ?s <rel> ?o }": (2, 22, "the IRI <rel> is relative: "),
    "INSERT {} WHERE { ?s ?p '\ud800' }": (2, 26, "invalid character (a lone surrogate)"),
    f"INSERT {{ e:a e:b {'<<( e:a e:b ' * 3000}1{' )>>' * 3000} }} WHERE {{}}": (
        2,
        8,
        "triple terms are nested too deep",
    ),
}


@table("text", ERRORS)
def test_an_error_says_where_what_and_what_was_expected(text: str) -> None:
    line, column, problem = ERRORS[text]
    with pytest.raises(QueryError) as caught:
        parse(PREFIX + text, "my.ru")
    assert str(caught.value).startswith(f"my.ru:{line}:{column}: {problem}")


_PIECES = (
    *(
        "INSERT",
        "DELETE",
        "DATA",
        "WHERE",
        "WITH",
        "USING",
        "CLEAR",
        "ALL",
        "GRAPH",
        "COPY",
        "TO",
        "e:g",
        "<http://e/>",
    ),
    *(
        "{",
        "}",
        "{ }",
        "{ e:a e:p ?x }",
        "?x",
        "'",
        '"',
        "#",
        "\n",
        ";",
        ".",
        "1",
        "_:b",
        "\\",
        "<",
        "\u00e9",
        "[",
        "(",
    ),
)


@given(st.lists(st.sampled_from(_PIECES), max_size=12).map(" ".join) | st.text(max_size=20))
def test_any_text_is_an_update_or_one_clear_error(text: str) -> None:
    problem = ""
    try:
        parse(PREFIX + text)
    except QueryError as error:
        problem = str(error)
    assert not problem or problem.startswith("<update>:")


def test_numba_is_not_needed() -> None:
    code = "import sys, kgreason.sparql.parser, kgreason.sparql.evaluate; assert 'numba' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_no_carrier_of_a_tag_leaves_a_block() -> None:
    text = """{ ?s <http://e/'@Foo> "x"@en-GB, "'@Foo' a", <<( ?s e:p "y"@De )>> .
                _:b <http://e/x@Bar> "x"^^<http://e/'@Foo> . }"""
    added = modify(f"INSERT {text} WHERE {{ ?s ?p ?o }}").added
    (blank,), s = added.blanks, placeholder("s")
    assert [str(quad).replace(str(blank), "_:b") for quad in added.quads] == [
        f"""{s} <http://e/'@Foo> "x"@en-GB""",
        f"""{s} <http://e/'@Foo> "'@Foo' a\"""",
        f"""{s} <http://e/'@Foo> <<( {s} <http://e/p> "y"@De )>>""",
        """_:b <http://e/x@Bar> "x"^^<http://e/'@Foo>""",
    ]
    data = text.replace("?s", "e:s").replace("_:b", "e:b")
    inserted, deleted = (sorted(rows(f"{verb} DATA {data}")) for verb in ("INSERT", "DELETE"))
    assert inserted == deleted
    assert """<http://e/s> <http://e/'@Foo> "x"@en-GB .""" in inserted
