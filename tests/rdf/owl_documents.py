"""Random ontologies, each in functional syntax and in OWL/XML, which uses XML in every way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple

E = "http://e/"
XSD = "http://www.w3.org/2001/XMLSchema#"
_PREFIXES = {E: "", XSD: "xsd"}
_WORDS = ("", "one", "a&b", "<i>", "\u00e9", 'say "x"', "  two  ", "]]>", "\n", "_")


class _Part(NamedTuple):
    """An entity (its IRI), a literal (text, datatype or language), a number, or an expression with its parts."""

    name: str
    parts: tuple[_Part, ...] = ()
    iri: str = ""
    text: str | None = None
    datatype: str = ""
    language: str = ""
    number: int | None = None


class Ontology:
    """A random ontology. All choices are those of `random`."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._axioms = [self._axiom() for _ in range(random.randint(1, 5))]

    def functional(self) -> bytes:
        """The ontology in functional syntax."""
        prefixes = f"Prefix(:=<{E}>)\nPrefix(xsd:=<{XSD}>)\n"
        return f"{prefixes}Ontology(<{E}o>\n{chr(10).join(map(_functional, self._axioms))}\n)".encode()

    def owl_xml(self) -> bytes:
        """The ontology in OWL/XML."""
        random = self._random
        encoding = random.choice(("UTF-8", "UTF-16", "ISO-8859-1"))
        prefix = random.choice(("", "owl:"))
        body = "".join(self._between() + self._element(axiom, prefix) for axiom in self._axioms)
        declared = "xmlns:owl" if prefix else "xmlns"
        root = (
            f'{declared}="http://www.w3.org/2002/07/owl#" xml:base="{E}" ontologyIRI="{random.choice((E + "o", "o"))}"'
        )
        text = (
            f'<?xml version="1.0" encoding="{encoding}"?>\n<!DOCTYPE Ontology [<!ENTITY e "{E}">]>\n'
            f'<{prefix}Ontology {root}>\n<{prefix}Prefix name="q" IRI="&e;"/>{body}'
            f"{self._between()}</{prefix}Ontology>\n"
        )
        return text.encode(encoding)

    def _element(self, part: _Part, prefix: str) -> str:
        name = f"{prefix}{part.name}"
        if part.text is not None:
            about = f' datatypeIRI="{part.datatype}"' if part.datatype else ""
            about += f' xml:lang="{part.language}"' if part.language else ""
            if not part.text and self._random.random() < 0.5:
                return f"<{name}{about}/>"
            return f"<{name}{about}>{self._text(part.text)}</{name}>"
        if part.iri.startswith("_:"):
            return f'<{name} nodeID="{part.iri}"/>'
        if part.iri and part.name != "FacetRestriction":
            ours = part.iri.startswith(E)
            local = part.iri.removeprefix(E)
            styles = [f'IRI="{part.iri}"'] + [
                f"IRI='{local}'",
                f'abbreviatedIRI="q:{local}"',
                f'IRI="&e;{local}"',
            ] * ours
            if part.iri.startswith(XSD):
                styles.append(f'abbreviatedIRI="xsd:{part.iri.removeprefix(XSD)}"')
            style = self._random.choice(styles)
            return self._random.choice((f"<{name} {style}/>", f"<{name} {style}></{name}>"))
        about = f' cardinality="{part.number}"' if part.number is not None else ""
        about += f' facet="{part.iri}"' if part.iri else ""
        inside = "".join(self._between() + self._element(each, prefix) for each in part.parts)
        return f"<{name}{about}>{inside}{self._between()}</{name}>"

    def _text(self, text: str) -> str:
        at = self._random.randint(0, len(text))
        out = ""
        for piece in (text[:at], text[at:]):
            if self._random.random() < 0.3 and "]]>" not in piece:
                out += f"<![CDATA[{piece}]]>"
            else:
                out += piece.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
            out += self._random.choice(("", "", "<!-- not said -->", "<?pi not said?>"))
        return out

    def _between(self) -> str:
        return self._random.choice(("", "\n", "\n    ", "<!-- <Class/> -->", "<?pi?>"))

    def _axiom(self) -> _Part:
        """Make an axiom, maybe with an annotation."""
        c, o, d, i, p, many = (
            self._class,
            self._object,
            self._data,
            self._individual,
            self._annotation_property,
            self._many,
        )
        makers: list[tuple[str, Callable[[], Sequence[_Part]]]] = [
            ("Declaration", lambda: [self._random.choice((self._named("Class", "A"), o(plain=True), d(), p()))]),
            ("SubClassOf", lambda: [c(), c()]),
            ("EquivalentClasses", lambda: many(c, 2)),
            ("DisjointClasses", lambda: many(c, 2)),
            ("DisjointUnion", lambda: [self._named("Class", "A"), *many(c, 2)]),
            (
                "SubObjectPropertyOf",
                lambda: [self._random.choice((o(), _Part("ObjectPropertyChain", (o(), o())))), o()],
            ),
            ("InverseObjectProperties", lambda: [o(plain=True), o(plain=True)]),
            ("ObjectPropertyDomain", lambda: [o(), c()]),
            ("TransitiveObjectProperty", lambda: [o(plain=True)]),
            ("SubDataPropertyOf", lambda: [d(), d()]),
            ("DataPropertyRange", lambda: [d(), self._range()]),
            ("DatatypeDefinition", lambda: [self._named("Datatype", "T"), self._range()]),
            ("HasKey", lambda: [c(), o(plain=True), d()]),
            ("SameIndividual", lambda: many(i, 2)),
            ("DifferentIndividuals", lambda: many(i, 2)),
            ("ClassAssertion", lambda: [c(), i()]),
            ("ObjectPropertyAssertion", lambda: [o(plain=True), i(), i()]),
            ("NegativeDataPropertyAssertion", lambda: [d(), i(), self._literal()]),
            ("DataPropertyAssertion", lambda: [d(), i(), self._literal()]),
            ("SubAnnotationPropertyOf", lambda: [p(), p()]),
        ]
        name, make = self._random.choice(makers)
        return _Part(name, (*self._annotations(), *make()))

    def _annotations(self) -> list[_Part]:
        if self._random.random() < 0.8:
            return []
        return [_Part("Annotation", (self._annotation_property(), self._literal()))]

    def _class(self, depth: int = 0) -> _Part:
        if depth > 2 or self._random.random() < 0.5:
            return self._named("Class", "ABC")

        def inner() -> _Part:
            return self._class(depth + 1)

        o, d = self._object, self._data
        kind = self._random.choice(("Min", "Max", "Exact"))
        makers: list[tuple[str, Callable[[], Sequence[_Part]], int | None]] = [
            ("ObjectIntersectionOf", lambda: self._many(inner, 2), None),
            ("ObjectUnionOf", lambda: self._many(inner, 2), None),
            ("ObjectComplementOf", lambda: [inner()], None),
            ("ObjectOneOf", lambda: self._many(self._individual, 1), None),
            ("ObjectSomeValuesFrom", lambda: [o(), inner()], None),
            ("ObjectAllValuesFrom", lambda: [o(), inner()], None),
            ("ObjectHasValue", lambda: [o(), self._individual()], None),
            ("ObjectHasSelf", lambda: [o()], None),
            (f"Object{kind}Cardinality", lambda: [o(), inner()], 2),
            (f"Object{kind}Cardinality", lambda: [o()], 1),
            (f"Data{kind}Cardinality", lambda: [d(), self._range()], 3),
            ("DataSomeValuesFrom", lambda: [d(), self._range()], None),
            ("DataHasValue", lambda: [d(), self._literal()], None),
        ]
        name, parts, number = self._random.choice(makers)
        return _Part(name, tuple(parts()), number=number)

    def _range(self) -> _Part:
        integer = _Part("Datatype", iri=f"{XSD}integer")
        facet = _Part(
            "FacetRestriction", (_Part("Literal", text="5", datatype=f"{XSD}integer"),), iri=f"{XSD}minInclusive"
        )
        return self._random.choice(
            (
                integer,
                self._named("Datatype", "T"),
                _Part("DataComplementOf", (integer,)),
                _Part("DataOneOf", (self._literal(), self._literal())),
                _Part("DatatypeRestriction", (integer, facet)),
                _Part("DataUnionOf", (integer, self._named("Datatype", "T"))),
            )
        )

    def _object(self, *, plain: bool = False) -> _Part:
        named = self._named("ObjectProperty", "pq")
        return named if plain or self._random.random() < 0.8 else _Part("ObjectInverseOf", (named,))

    def _data(self) -> _Part:
        return self._named("DataProperty", "de")

    def _annotation_property(self) -> _Part:
        return self._named("AnnotationProperty", "n")

    def _individual(self) -> _Part:
        if self._random.random() < 0.2:
            return _Part("AnonymousIndividual", iri=f"_:{self._random.choice('xy')}")
        return self._named("NamedIndividual", "ij")

    def _literal(self) -> _Part:
        text = "".join(self._random.choice(_WORDS) for _ in range(self._random.randint(0, 2)))
        match self._random.randrange(3):
            case 0:
                return _Part("Literal", text=text, language=self._random.choice(("en", "de-at")))
            case 1:
                return _Part("Literal", text=text, datatype=f"{E}type")
        return _Part("Literal", text=text)

    def _named(self, name: str, letters: str) -> _Part:
        return _Part(name, iri=E + self._random.choice(letters))

    def _many(self, make: Callable[[], _Part], least: int) -> list[_Part]:
        return [make() for _ in range(self._random.randint(least, least + 1))]


def _functional(part: _Part) -> str:
    """A part in functional syntax."""
    if part.text is not None:
        quoted = '"' + part.text.replace("\\", "\\\\").replace('"', '\\"') + '"'
        return (
            quoted + (f"^^<{part.datatype}>" if part.datatype else "") + (f"@{part.language}" if part.language else "")
        )
    if part.iri and part.name != "FacetRestriction":
        return part.iri if part.iri.startswith("_:") else f"<{part.iri}>"
    inside = list(map(_functional, part.parts))
    if part.name == "FacetRestriction":
        return f"<{part.iri}> {inside[0]}"
    if part.name == "Declaration":
        inside[-1] = f"{part.parts[-1].name}({inside[-1]})"
    if part.name == "HasKey":
        inside[-2:] = [f"({inside[-2]})", f"({inside[-1]})"]
    number = "" if part.number is None else f"{part.number} "
    return f"{part.name}({number}{' '.join(inside)})"
