r"""Random update requests: declarations between the operations, odd white space and comments, every form of a term.

A request is a list of (declarations, operation). Some forms are left out, since Oxigraph does not follow the grammar of
SPARQL 1.1 there: `TRUE`, `1.e3`, and `;` before `]` are refused, and a missing full stop between triples is taken. In a
pattern it reads `:p +1` as the path `:p+` and the number 1. An empty `GRAPH ?g { }` of DELETE WHERE has no rows in the
pattern of Oxigraph. Oxigraph also takes no declarations after the first operation, so it gets one operation at a time,
with all declarations before the operation.
"""

from __future__ import annotations

import re
from random import Random

FIRST = "BASE <http://b/> PREFIX : <http://e/> PREFIX p: <http://p/> PREFIX q: <q#> "
SEED = f"""{FIRST} BASE <http://e/> INSERT DATA {{ :a :p 1 , :b , 2 ; :q 'x' , <#d> . <c> :p :a , <<( :a :p :b )>> .
    <#d> a <c> . GRAPH :g {{ :a :p 1 . :b :q <c> }} GRAPH <h> {{ <c> :p :b }} }}"""

_WHITE = " ", " ", " ", "\n", "\t", "  # c }\n", " #<x>'\r", " \r\n"
_USUAL = "<http://e/a>", "<http://e/b>", "<c>", "<#d>", ":a", ":b", "p:c", "<http://e/x/../y>"
_ODD = (
    *("<../f>", "<>", "<?q>", r"<http://e/\u0041>", r"<http://e/\U0001F600>", "<//h/x>", "<urn:a:b>", "<http://e/é>"),
    *("p:", "p:x.y", r"p:a\,b", "p:%41", "q:é", ":1", "p:a:b", "p:-", "p:a-", ":a·"),
)
_LITERALS = (
    *("1", "-1", "+01", "1.5", ".5", "-.5", "1e3", "1.0E-3", ".5e1", "+.1E+1", "true", "'x'", '"y"', '"""a"b"""'),
    *("'''c'''", r'"\u0041\n\t\""', r"'\U00000042\''", "'x'@en", "'x'@en-GB", "'x' @en", "'x'@en--ltr", "'x'@EN--rtl"),
    *("'01'^^p:d", "'a'^^<d>", "'x' ^^ :d", '""', "''", '"""\n\n"""', '"}#{"'),
)
_QUOTED = "<<( :a :p 1 )>>", "<<( <c> p:c <<( :a :p 'x' )>> )>>", "<<( ?x :p ?y )>>"
_PATTERNS = (
    *("{}", "{ ?x ?y $z }", "{ ?x :p ?y OPTIONAL { ?y :q ?z } }", "{ GRAPH ?z { ?x ?y ?o } }"),
    "{ { ?x :p 1 } UNION { ?x a ?y FILTER(?x < 5 || ?x != '}') } # }\n }",
    "{ ?x ?y <c> FILTER NOT EXISTS { GRAPH :g { ?x ?y :a } } }",
    "{ VALUES (?x ?y) { (:a 1) (UNDEF :b) ('}' :p) } }",
    "{ SELECT ?x (COUNT(*) AS ?y) WHERE { ?x ?p ?o } GROUP BY ?x }",
    *("{ ?x ?y <#d> BIND(IRI('r') AS ?z) }", "{ ?x <p>/p:c* ?y }", "{ ?x :p [ :q ?y ] MINUS { ?x a ?y } }"),
    *("{ <<( ?x :p ?y )>> ?z ?o }", "{ BIND(BNODE() AS ?x) BIND(:p AS ?y) }", "{ ?x :p ?y FILTER(?y<3&&?y>-1) }"),
)
_DECLARED = (
    *("PREFIX : <http://e/>", "prefix p: <http://p/>", "PREFIX p: <rel/>", "PREFIX q: <#>", "PREFIX : <n#>"),
    *("PREFIX q: <>", r"PREFIX :<http://e/\u0042>", "PREFIX p.x: <u:>", "PREFIX é: <u:>"),
    *("BASE <http://b/x/y>", "base <z/>", "BASE <../w>", "BASE <//h2/>", "BASE <?b>"),
)
_WHOLE = (
    *("CLEAR ALL", "CLEAR SILENT DEFAULT", "DROP NAMED", "DROP SILENT GRAPH :g", "CLEAR SILENT GRAPH <h>"),
    *("CREATE SILENT GRAPH p:", "DROP ALL"),
)
_SIGNS = (
    *r"{}[]();.,<>@^\'" + '"#?$:_ |*+-/!~1e',
    *("<<(", ")>>", "^^", "{|", "|}", "GRAPH", "a", "_:", "é", "\ufeff", "\x00", "\u00a0", "\u2028", "\x0b", "\x0c"),
    *("INSERT", "@prefix", "<<", ">>", "true"),
)
_PIECE = re.compile(r'"""|<[^<>]*>|\w+|\s+|.', re.DOTALL)
Request = list[tuple[str, str]]


def text_of(request: Request) -> str:
    """The whole request as one text."""
    return " ; ".join(declared + operation for declared, operation in request)


class Requests:
    """Draws requests. The names of its methods are those of the parts of a request."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._one = self._random.choice

    def request(self) -> Request:
        found = []
        declared = FIRST + self._declarations(3)
        for number in range(self._one([1, 2, 3])):
            operation = self._operation()
            for label in ("n", "m", "1"):
                operation = operation.replace(f"_:{label}", f"_:{label}{number}")
            found.append((declared, operation))
            declared = self._declarations(2)
        return found

    def damaged(self) -> Request:
        """A request in which some tokens or characters of one operation are other ones, or missing."""
        request = self.request()
        place = self._random.randrange(len(request))
        declared, operation = request[place]
        pieces = _PIECE.findall(operation)
        for _ in range(self._one([1, 1, 2])):
            self._damage(pieces)
        request[place] = declared, "".join(pieces)
        return request

    def _damage(self, pieces: list[str]) -> None:
        at, other = (self._random.randrange(len(pieces)) for _ in "12")
        match self._random.randrange(6):
            case 0:
                pieces[at] = " "
            case 1:
                pieces.insert(at, pieces[at])
            case 2:
                pieces[at], pieces[other] = pieces[other], pieces[at]
            case 3:
                pieces.insert(at, self._one(_SIGNS))
            case 4:
                cut = self._random.randrange(len(pieces[at]))
                pieces[at] = pieces[at][:cut] + self._one("ab:.<>\\ \"'{}0") + pieces[at][cut + 1 :]
            case _:
                pieces[at] = pieces[at].swapcase()

    def _is(self, share: float) -> bool:
        return self._random.random() < share

    def _white(self) -> str:
        return self._one(_WHITE)

    def _maybe_white(self) -> str:
        return self._one(["", " ", "\n", "#x\n"])

    def _declarations(self, most: int) -> str:
        return "".join(self._one(_DECLARED) + self._white() for _ in range(self._one([0, 0, 1, most])))

    def _operation(self) -> str:
        white, maybe = self._white, self._maybe_white
        match self._random.randrange(10):
            case 0 | 1:
                return f"INSERT{white()}DATA{maybe()}{self._quads('b')}"
            case 2:
                return f"DELETE{white()}DATA{maybe()}{self._quads('')}"
            case 3:
                return f"DELETE{white()}WHERE{maybe()}{self._quads('v', is_pattern=True)}".replace("+", "")
            case 4:
                return self._one(_WHOLE)
            case 5:
                verb = self._one(["ADD", "COPY", "MOVE"])
                return f"{verb} SILENT {self._place()}{white()}TO{white()}{self._place()}"
        within = f"WITH{white()}{self._graph()}{white()}" if self._is(0.3) else ""
        kind = self._one(["D", "I", "DI"])
        removed = f"DELETE{maybe()}{self._quads('v')}{white()}" if "D" in kind else ""
        added = f"INSERT{maybe()}{self._quads('vb')}{white()}" if "I" in kind else ""
        using = "".join(
            f"{self._one(['USING ', 'using named '])}{self._graph()}{white()}" for _ in range(self._one([0, 0, 1, 2]))
        )
        return f"{within}{removed}{added}{using}{self._one(['WHERE', 'where '])}{maybe()}{self._one(_PATTERNS)}"

    def _graph(self) -> str:
        return self._one([":g", "<h>", "p:c"])

    def _place(self) -> str:
        return self._one(["DEFAULT", ":g", "GRAPH <h>", "p:c", "GRAPH :g"])

    def _quads(self, kinds: str, *, is_pattern: bool = False) -> str:
        """A block. With `v` in `kinds` it may have variables, with `b` blank nodes."""
        maybe, parts, is_open = self._maybe_white, list[str](), False
        for _ in range(self._one([1, 1, 2, 3])):
            if self._is(0.6):
                parts.append(("GRAPH :g {} " if is_open else "") + self._triples(kinds))
                is_open = True
                continue
            name = self._variable() if "v" in kinds and self._is(0.4) else self._graph()
            inside = self._triples(kinds) if is_pattern or self._is(0.9) else ""
            word = self._one(["GRAPH", "graph"])
            stop = self._one(["", " ."])
            parts.append(f"{word}{self._white()}{name}{maybe()}{{{maybe()}{inside}{maybe()}}}{stop}")
            is_open = False
        return f"{{{maybe()}{self._white().join(parts)}{maybe()}}}"

    def _triples(self, kinds: str) -> str:
        each = []
        for _ in range(self._one([1, 1, 2])):
            if "b" in kinds and self._is(0.05):
                each.append(f"({self._object(kinds, 1)})")
            else:
                each.append(f"{self._subject(kinds)}{self._white()}{self._properties(kinds)}")
        return f"{self._white()}.{self._white()}".join(each) + self._one(["", " .", "."])

    def _properties(self, kinds: str) -> str:
        maybe = self._maybe_white
        found = []
        for _ in range(self._one([1, 1, 1, 2])):
            objects = f"{maybe()},{maybe()}".join(self._object(kinds) for _ in range(self._one([1, 1, 1, 2])))
            found.append(f"{self._verb(kinds)}{self._white()}{objects}{' ;' if self._is(0.1) else ''}")
        return f"{maybe()};{maybe()}".join(found)

    def _variable(self) -> str:
        return self._one(["?x", "?y", "$z"])

    def _verb(self, kinds: str) -> str:
        return self._variable() if "v" in kinds and self._is(0.4) else self._one(["a", ":p", ":q", "<p>", "p:c"])

    def _name(self) -> str:
        return self._one(_USUAL) if self._is(0.85) else self._one(_ODD)

    def _subject(self, kinds: str) -> str:
        if "v" in kinds and self._is(0.5):
            return self._variable()
        return self._blank(0) if "b" in kinds and self._is(0.3) else self._name()

    def _object(self, kinds: str, depth: int = 0) -> str:
        if "v" in kinds and self._is(0.4):
            return self._variable()
        if "b" in kinds and self._is(0.3):
            return self._blank(depth)
        if self._is(0.4):
            return self._name()
        if self._is(0.1):
            quoted = self._one(_QUOTED)
            return quoted if "v" in kinds else quoted.replace("?x", ":a").replace("?y", "2")
        return self._one(_LITERALS)

    def _blank(self, depth: int) -> str:
        kind = self._random.random()
        if kind < 0.4:
            return self._one(["_:n", "_:m", "_:n.1", "_:1"])
        if kind < 0.6 or depth > 2:
            return f"[{self._one(['', ' ', chr(10)])}]"
        if kind < 0.8:
            return f"[{self._maybe_white()}{self._verb('')}{self._white()}{self._object('b', depth + 1)}]"
        inside = " ".join(self._object("b", depth + 1) for _ in range(self._random.randrange(3)))
        return f"({self._one(['', ' '])}{inside})"
