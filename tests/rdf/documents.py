"""Random documents of N-Triples, Turtle and JSON-LD, by a seed: everyday syntax in all its ways of writing."""

from __future__ import annotations

import json
from random import Random
from typing import Any, ClassVar

_LABELS = ("a", "b1", "x.y", "_z", "0")
_TAGS = ("en", "de-AT", "zh-Hant")
_CHARACTERS = "ab \t'é🐘\u2028\x7f\u0300#<>{}.,;@"
_ESCAPES = ("\\n", '\\"', "\\\\", "\\t", "\\r", "\\b", "\\f", "\\u00e9", "\\U0001F418")
_NAMES = ("a", "é", "b-c", "x.y", "n1", "1", "%41")
_DATATYPES = ("http://e/T", "http://www.w3.org/2001/XMLSchema#integer", "http://www.w3.org/2001/XMLSchema#date")


class _Documents:
    def __init__(self, seed: int) -> None:
        self._random = Random(seed)

    def _any(self, *choices: Any) -> Any:
        return self._random.choice(choices)

    def _one(self, *choices: str) -> str:
        return self._random.choice(choices)

    def _some(self, most: int, least: int = 0) -> range:
        return range(self._random.randint(least, most))

    def _chance(self, part: float) -> bool:
        return self._random.random() < part

    def _text(self, escapes: tuple[str, ...]) -> str:
        return "".join(self._one(*escapes) if self._chance(0.3) else self._one(*_CHARACTERS) for _ in self._some(6))

    def _iri(self) -> str:
        return f"http://e/{self._one('', 'd/', 'd?q=', 'd#')}{self._one(*_NAMES)}"


class NTriples(_Documents):
    """Lines with all white space, comments and escapes that N-Triples allows."""

    def document(self) -> str:
        """A document."""
        return "".join(self._line() + self._one("\n", "\r\n", "\n\n") for _ in self._some(8))

    def _line(self) -> str:
        comment = self._one("", "", "# text <a> .", " #")
        if self._chance(0.15):
            return f"{self._one('', ' ')}{comment}"
        node = f"_:{self._one(*_LABELS)}"
        subject, object_ = (self._one(f"<{self._escaped()}>", node) for _ in range(2))
        parts = [subject, f"<{self._escaped()}>", self._literal() if self._chance(0.6) else object_]
        return "".join(f"{part}{self._one(' ', '  ', chr(9))}" for part in parts) + f".{comment}"

    def _escaped(self) -> str:
        return self._iri().replace("é", self._one("é", "\\u00E9"))

    def _literal(self) -> str:
        end = self._one("", f"@{self._one(*_TAGS)}", f"^^<{self._one(*_DATATYPES)}>")
        return f'"{self._text(_ESCAPES)}"{end}'


class Turtle(_Documents):
    """Statements with prefixes, lists, nodes without labels, long strings, numbers and so on."""

    def document(self) -> str:
        """A document."""
        heads = ["@prefix : <http://e/> .", "PREFIX p: <http://e/d#>", "@base <http://e/d/> .", "@prefix q-b: <x/> ."]
        return "\n".join([*heads, *(self._statement() for _ in self._some(6))])

    def _statement(self) -> str:
        if self._chance(0.1):
            return self._one("# text .", "base <http://e/q/>", "@prefix p: <http://e/again/> .")
        if self._chance(0.15):
            return f"[ {self._pairs(1)} ] ."
        return f"{self._subject()} {self._pairs(2)}{self._one('', ' ;', ';;')} ."

    def _pairs(self, depth: int) -> str:
        pairs = (
            f"{self._one('a', self._name())} {', '.join(self._object(depth) for _ in self._some(2, 1))}"
            for _ in self._some(2, 1)
        )
        return self._one(" ; ", ";\n", " ;; ").join(pairs)

    def _subject(self) -> str:
        return self._one(self._name(), f"_:{self._one(*_LABELS)}", "[]", f"({self._object(0)})")

    def _name(self) -> str:
        local = self._one("a", "b-c", "x.y", "1", "%41", "é", "a:b", r"q\,r", r"\~", "")
        return self._one(f"<{self._iri()}>", "<rel#x>", "<>", "<../y>", f":{local}", f"p:{local}", f"q-b:{local}")

    def _object(self, depth: int) -> str:
        if depth and self._chance(0.3):
            return self._one(
                f"[ {self._pairs(depth - 1)} ]",
                f"( {' '.join(self._object(depth - 1) for _ in self._some(3))} )",
            )
        numbers = ("1", "-2", "+3", "1.5", "-.5", "1e3", "1.E-2", "true", "false", "007")
        return self._one(self._literal(), self._one(*numbers), self._name(), f"_:{self._one(*_LABELS)}", "()", "[]")

    def _literal(self) -> str:
        quote = self._one('"', "'", '"""', "'''")
        text = self._text((*_ESCAPES, "\\'"))
        if len(quote) == 3:
            text = f"{self._text(_ESCAPES).replace(quote[0] * 2, quote[0]).replace('#', chr(10))}x"
        elif quote == "'":
            text = self._text(_ESCAPES).replace("'", "")
        return f"{quote}{text}{quote}{self._one('', f'@{self._one(*_TAGS)}', '^^:T', f'^^<{self._one(*_DATATYPES)}>')}"


class JsonLd(_Documents):
    """Nodes with terms of all kinds, in contexts and in containers, as far as rdflib reads them rightly."""

    TERMS: ClassVar[dict[str, Any]] = {
        "name": "http://e/name",
        "e": "http://e/",
        "id": "@id",
        "type": "@type",
        "ref": {"@id": "e:ref", "@type": "@id"},
        "voc": {"@id": "http://e/voc", "@type": "@vocab"},
        "date": {"@id": "http://e/date", "@type": "http://www.w3.org/2001/XMLSchema#date"},
        "list": {"@id": "http://e/list", "@container": "@list"},
        "set": {"@id": "http://e/set", "@container": "@set"},
        "lang": {"@id": "http://e/lang", "@container": "@language"},
        "index": {"@id": "http://e/index", "@container": "@index"},
        "ids": {"@id": "http://e/ids", "@container": "@id"},
        "types": {"@id": "http://e/types", "@container": "@type"},
        "of": {"@reverse": "http://e/of"},
        "de": {"@id": "http://e/de", "@language": "de"},
        "inner": {"@id": "http://e/inner", "@context": {"name": "http://e/inner-name"}},
    }

    def document(self) -> str:
        """A document."""
        context: Any = self.TERMS | self._any({}, {"@vocab": "http://e/v#"}, {"@base": "http://e/base/"})
        context |= self._any({}, {"@language": "en"})
        nodes = [self._node(2) for _ in self._some(3)]
        if self._chance(0.3):
            body: Any = [{"@context": context} | node for node in nodes]
        elif self._chance(0.4):
            body = {"@context": self._any(context, [context], [{}, context]), "@graph": nodes}
        else:
            body = {"@context": context} | self._node(3)
        return json.dumps(body, indent=self._any(None, 1), ensure_ascii=self._chance(0.5))

    def _node(self, depth: int) -> dict[str, Any]:
        node: dict[str, Any] = {}
        if self._chance(0.7):
            node[self._any("@id", "id")] = self._reference()
        if self._chance(0.4):
            node[self._any("@type", "type")] = self._any("e:T", ["http://e/T", "e:U"])
        for _ in self._some(3):
            node |= self._property(depth)
        return node

    def _reference(self) -> str:
        return str(self._any("http://e/x", "e:y", "_:b", "_:c", "rel", "#f"))

    def _property(self, depth: int) -> dict[str, Any]:
        text = self._any("x", "", "é\n\"'", "http://e/z")
        inner = self._node(depth - 1) if depth else {"@id": "e:leaf"}
        values = {
            "name": self._any(text, 1, True, 2.5, None, [text, 3], {"@value": text, "@language": "de-AT"}, inner),
            "http://e/plain": self._any({"@value": text, "@type": "e:T"}, {"@value": 7}, {"@list": [1, text]}, inner),
            "e:short": self._any({"@set": [text, 2]}, {"@id": "rel"}, [inner, text]),
            "ref": self._any("http://e/r", "rel", ["e:a", "_:b"], inner),
            "voc": self._any("http://e/r", "e:a"),
            "date": self._any("2025-01-01", [text]),
            "list": self._any([], [1, text, {"@id": "e:a"}], text),
            "set": self._any([], text, [1, text]),
            "lang": {"en": text, "de-AT": [text, "y"]},
            "index": {"a": text, "b": [1, inner]},
            "ids": {"http://e/i": {"name": text}, "e:j": {}},
            "types": {"e:T": self._any({"@id": "e:k"}, {"name": text}, {"@id": "e:k", "@type": "e:V"})},
            "of": self._any({"@id": "e:a"}, [{"@id": "_:b"}], inner),
            "de": text,
            "inner": {"name": text, "@id": "e:n"},
        }
        key = self._any(*values)
        return {key: values[key]}


GENERATORS: dict[str, type[NTriples | Turtle | JsonLd]] = {"nt": NTriples, "ttl": Turtle, "jsonld": JsonLd}
