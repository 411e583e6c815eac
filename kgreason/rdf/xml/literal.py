"""`CanonicalXml`: the content of an element as text, in exclusive canonical XML with comments.

RDF/XML gives the content of `rdf:parseType="Literal"` this form (RDF 1.1 XML Syntax, 7.2.17; Exclusive XML
Canonicalization 1.0). An element declares the namespaces that its own name and attributes use, unless an element around
it in the content has declared them. Attributes are in the order of namespace and local name.

    <b z="1" a='2'/>   in   <p xmlns="http://e/" xmlns:q="http://q/">   ->   <b xmlns="http://e/" a="2" z="1"></b>

Cost: each part is written once; nothing is kept but the namespaces of open elements.
"""

from __future__ import annotations

from kgreason.rdf.xml.document import name_parts

XML = "http://www.w3.org/XML/1998/namespace"
_TEXT = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#xD;"})
_VALUE = str.maketrans({"&": "&amp;", "<": "&lt;", '"': "&quot;", "\t": "&#x9;", "\n": "&#xA;", "\r": "&#xD;"})


class CanonicalXml:
    """Writes the content of one element. Each method returns the text of one part of the content."""

    def __init__(self) -> None:
        self._declared = {"": ""}
        self._before: list[list[tuple[str, str | None]]] = []
        """For each open element, the prefixes that it declares, with what they stood for outside."""

    @property
    def depth(self) -> int:
        """How many elements of the content are open."""
        return len(self._before)

    def start(self, name: str, attributes: list[str]) -> str:
        """Write a start tag. Names are as in `document`."""
        given = sorted((name_parts(each), value) for each, value in zip(attributes[::2], attributes[1::2], strict=True))
        used = [name_parts(name), *(parts for parts, _ in given if parts[0])]
        tag, before = [f"<{qualified_name(name)}"], list[tuple[str, str | None]]()
        for prefix, iri in sorted({(prefix, iri) for iri, _, prefix in used}):
            if iri != XML and self._declared.get(prefix) != iri:
                before.append((prefix, self._declared.get(prefix)))
                self._declared[prefix] = iri
                tag.append(f' xmlns{":" if prefix else ""}{prefix}="{iri.translate(_VALUE)}"')
        self._before.append(before)
        for (_, local, prefix), value in given:
            tag.append(f' {prefix}{":" if prefix else ""}{local}="{value.translate(_VALUE)}"')
        return "".join([*tag, ">"])

    def end(self, name: str) -> str:
        """Write an end tag."""
        for prefix, iri in self._before.pop():
            if iri is None:
                del self._declared[prefix]
            else:
                self._declared[prefix] = iri
        return f"</{qualified_name(name)}>"

    def text(self, text: str) -> str:
        """Write text."""
        return text.translate(_TEXT)

    def comment(self, text: str) -> str:
        """Write a comment."""
        return f"<!--{text}-->"

    def instruction(self, target: str, text: str) -> str:
        """Write a processing instruction."""
        return f"<?{target} {text}?>" if text else f"<?{target}?>"


def qualified_name(name: str) -> str:
    """Return a name with its prefix, as a document has it."""
    _, local, prefix = name_parts(name)
    return f"{prefix}:{local}" if prefix else local
