"""Random documents of RDF/XML, which use XML in every way: entities, CDATA, comments, encodings, namespaces, base."""

from __future__ import annotations

from random import Random

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
ENCODINGS = ("", "UTF-8", "UTF-16", "ISO-8859-1", "US-ASCII", "windows-1252")
_ENTITIES = {"ex": "http://e/", "word": "a > b", "nested": "&word; &#233;"}
_EXPANDED = {"ex": "http://e/", "word": "a > b", "nested": "a > b \u00e9"}
_WORDS = ("one", " ", "a&b", "<i>", "]]>", "\u00e9t\u00e9", 'say "x"', "it's", "tab\there", "  two  spaces ", "a > b")
_LANGUAGES = ("en", "de-at", "")


class Writer:
    """Writes a document of a few nodes. All choices are those of `random`."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._ids = 0
        self._entities = random.random() < 0.6
        self._shown_language = False

    def document(self) -> bytes:
        """Write a document in one of the encodings."""
        encoding = self._random.choice(ENCODINGS)
        nodes = "".join(self.between() + self.node(0) for _ in range(self._random.randint(1, 4)))
        root = self._tag("rdf:RDF", {"xml:base": "http://base/dir/doc#f"} if self._may(0.3) else {}, language=True)
        text = self._prolog(encoding) + root + nodes + self.between() + "</rdf:RDF>" + self.space()
        if self._may(0.2):
            text = text.replace("\n", "\r\n")
        return text.encode(encoding or "UTF-8", "xmlcharrefreplace")

    def node(self, depth: int) -> str:
        """Write a node with its properties."""
        name = self._random.choice(("rdf:Description", "e:C", "f:D", "rdf:Seq"))
        attributes = {}
        match self._random.randrange(5):
            case 0:
                attributes["rdf:about"] = self.iri()
            case 1:
                attributes["rdf:nodeID"] = self._random.choice(("n1", "n2"))
            case 2:
                attributes["rdf:ID"] = self._id()
            case 3:
                attributes["about"] = self.iri()
        for each in ("e:a", "f:b"):
            if self._may(0.15):
                attributes[each] = self.words()
        if self._may(0.1):
            attributes["rdf:type"] = self.iri()
        inside = "".join(self.between() + self.property(depth) for _ in range(self._random.randint(0, 3)))
        return self._tag(name, attributes, language=True) + inside + self.between() + f"</{name}>"

    def property(self, depth: int) -> str:
        """Write a property with its value."""
        name = self._random.choice(("e:p", "f:q", "rdf:li", "e:r"))
        identified = {"rdf:ID": self._id()} if self._may(0.1) else {}
        kind = self._random.randrange(9 if depth < 3 else 5)
        if kind == 0:
            return self._tag(name, identified, language=True) + self.text(self.words()) + f"</{name}>"
        if kind == 1:
            datatype = {"rdf:datatype": "http://e/type"}
            return self._tag(name, identified | datatype, language=True) + self.text(self.words()) + f"</{name}>"
        if kind == 2:
            resource = self._random.choice(("rdf:resource", "resource"))
            return self._tag(name, identified | {resource: self.iri()}, empty=True)
        if kind == 3:
            word = self._random.choice(("Literal", "daml:list", "literal"))
            parse = {self._random.choice(("rdf:parseType", "parseType")): word}
            return self._tag(name, identified | parse) + self.markup(0) + f"</{name}>"
        if kind == 4:
            given = {each: self.words() for each in ("e:a", "f:b") if self._may(0.7)}
            return self._tag(
                name, given | ({"rdf:resource": self.iri()} if self._may(0.5) else {}), empty=True, language=True
            )
        if kind == 5:
            inside = "".join(self.between() + self.property(depth + 1) for _ in range(self._random.randint(0, 2)))
            return self._tag(name, identified | {"rdf:parseType": "Resource"}) + inside + f"</{name}>"
        if kind == 6:
            inside = "".join(self.between() + self.node(depth + 2) for _ in range(self._random.randint(0, 3)))
            return self._tag(name, identified | {"rdf:parseType": "Collection"}) + inside + f"</{name}>"
        return self._tag(name, identified) + self.between() + self.node(depth + 1) + self.between() + f"</{name}>"

    def iri(self) -> str:
        """Write an IRI, absolute or relative."""
        return self._random.choice(("http://e/x", "http://e/y?a=1&b=2", "#frag", "rel/ative", "../up", "", "//host/p"))

    def words(self) -> str:
        """Return a few words."""
        return "".join(self._random.choice(_WORDS) for _ in range(self._random.randint(0, 3)))

    def text(self, words: str) -> str:
        """Write words as the text of an element, in pieces of all kinds."""
        out = ""
        for piece in self._pieces(words):
            style = self._random.randrange(8)
            if style == 0 and "]]>" not in piece:
                out += f"<![CDATA[{piece}]]>"
            elif style == 1:
                out += "".join(f"&#{ord(each)};" for each in piece)
            else:
                out += self._escaped(piece)
            out += self._random.choice(("", "", "", "<!-- not said -->", "<?pi not said?>"))
        return out

    def markup(self, depth: int) -> str:
        """Write the content of a literal of XML.

        Processing instructions and attributes with a namespace are left out, since rdflib gets them wrong: it drops
        the first, against the canonical form, and does not declare the prefixes of the second.
        """
        out = self.text(self._random.choice(_WORDS[:4])) if self._may(0.6) else ""
        out = out.replace("<?pi not said?>", "")
        while depth < 3 and self._may(0.5):
            name = self._random.choice(("e:b", "i", "f:b"))
            attributes = {each: self.words() for each in ("z", "a") if self._may(0.3)}
            if name == "i" and depth == 2 and self._may(0.4):  # ElementTree declares xmlns="" in it where XML does not
                attributes["xmlns"] = self._random.choice(("http://default/", ""))
            out += self._tag(name, attributes) + self.markup(depth + 1) + f"</{name}>"
        return out

    def between(self) -> str:
        """Write what stands between elements and says nothing."""
        return self.space() + self._random.choice(("", "", "", "<!-- <rdf:x> & -->\n", "<?pi data?>"))

    def space(self) -> str:
        """Write blanks."""
        return self._random.choice(("", "\n", "\n\t", "  "))

    def _prolog(self, encoding: str) -> str:
        declared = (
            f'<?xml version="1.0" encoding="{encoding}"?>'
            if encoding
            else self._random.choice(("", '<?xml version="1.0"?>'))
        )
        if not self._entities:
            return declared + self.between() if declared else ""
        entities = []
        for name, value in _ENTITIES.items():
            quote = self._random.choice("\"'")
            entities.append(f"<!ENTITY {name} {quote}{value}{quote}>")
        return f"{declared}\n<!DOCTYPE rdf:RDF [{self.space()}{self.space().join(entities)}{self.space()}]>\n"

    def _tag(self, name: str, attributes: dict[str, str], *, empty: bool = False, language: bool = False) -> str:
        if name == "rdf:RDF":
            attributes = {"xmlns:rdf": RDF, "xmlns:e": "http://e/", "xmlns:f": "http://f#", **attributes}
        if language and self._may(0.3):
            attributes = {**attributes, "xml:lang": self._random.choice(_LANGUAGES)}
        if self._may(0.03) and name[:2] in ("e:", "f:"):
            attributes = {**attributes, "xmlns:" + name[0]: "http://e/" if name[0] == "e" else "http://f#"}
        order = list(attributes.items())
        self._random.shuffle(order)
        values = "".join(
            f"{self._random.choice((' ', ' ', chr(10)))}{each}={self._value(value)}" for each, value in order
        )
        if not empty:
            return f"<{name}{values}>"
        return f"<{name}{values}" + self._random.choice(("/>", f"></{name}>"))

    def _value(self, value: str) -> str:
        """Write a value with its quotation marks. A tab stands for a blank, as XML has it."""
        quote = self._random.choice("\"'")
        text = "".join(self._escaped(piece) for piece in self._pieces(value))
        return quote + text.replace(quote, "&quot;" if quote == '"' else "&apos;") + quote

    def _escaped(self, piece: str) -> str:
        for name, value in _EXPANDED.items():
            if self._entities and piece == value:
                return f"&{name};"
        escaped = piece.replace("&", "&amp;").replace("<", "&lt;").replace("]>", "]&gt;")
        return "&gt;" + escaped[1:] if escaped.startswith(">") else escaped

    def _pieces(self, words: str) -> list[str]:
        """Cut words in pieces. The text of an entity is a piece of its own."""
        for value in _EXPANDED.values():
            before, found, after = words.partition(value)
            if found and self._entities:
                return [*self._pieces(before), found, *self._pieces(after)]
        at = self._random.randint(0, len(words))
        return [piece for piece in (words[:at], words[at:]) if piece]

    def _id(self) -> str:
        self._ids += 1
        return f"id{self._ids}"

    def _may(self, share: float) -> bool:
        return self._random.random() < share
