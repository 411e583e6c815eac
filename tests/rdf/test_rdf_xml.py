"""RDF/XML is read as XML 1.0 and RDF 1.1 XML Syntax have it, and every error has a line."""

from __future__ import annotations

import io
import logging
import tracemalloc
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from random import Random
from xml.etree import ElementTree

import pyoxigraph
import pytest
from pyoxigraph import Literal, RdfFormat, Triple

from kgreason.errors import RdfSyntaxError
from kgreason.rdf.xml import text as text_module
from kgreason.rdf.xml.document import Document
from kgreason.rdf.xml.literal import CanonicalXml
from kgreason.rdf.xml.rdf_xml import ITS, RdfXml
from tests.rdf.rdf_xml_documents import RDF, Writer
from tests.rdf.reading import isomorphic, lines_of_file, lines_read
from tests.tables import table
from tests.volume import many_seeds

BASE = "http://doc/base/x"
ROOT = f'<rdf:RDF xmlns:rdf="{RDF}" xmlns:e="http://e/">'
XML_LITERAL = f"{RDF}XMLLiteral"


def _about(inside: str, attributes: str = 'rdf:about="http://e/s"') -> str:
    return f"{ROOT}\n<rdf:Description {attributes}>{inside}</rdf:Description>\n</rdf:RDF>"


def _objects(document: str | bytes) -> list[str]:
    """The objects of a document's triples, as N-Triples has them."""
    encoded = document if isinstance(document, bytes) else document.encode()
    quads = pyoxigraph.parse(lines_read(encoded, "rdf", base=BASE), RdfFormat.N_QUADS)
    return [str(quad.object).replace(f"^^<{RDF}XMLLiteral>", "^^X") for quad in quads]


@table(
    ("inside", "objects"),
    [
        ("<e:p>a<!-- c -->b<?pi x?>c<![CDATA[<d>]]>&amp;&#233;</e:p>", ['"abc<d>&\u00e9"']),
        ("<e:p> <!-- c --> </e:p>", ['"  "']),
        ("<e:p><![CDATA[]]></e:p>", ['""']),
        ('<e:p xml:lang="">x</e:p>', ['"x"']),
        ('<e:p xml:lang="en">x</e:p><e:p>y</e:p>', ['"x"@en', '"y"']),
        ('<e:p parseType="Resource"><e:q resource="#a"/></e:p>', ["_:", f"<{BASE}#a>"]),
        ('<e:p rdf:parseType="daml:collection"><e:D e:a="1"/></e:p>', None),
        ('<e:p rdf:parseType="Literal"> a &lt; b<br/></e:p>', ['" a &lt; b<br></br>"^^X']),
        ("<e:p rdf:parseType='Literal'><!-- c --><?pi d?>\r\n</e:p>", ['"<!-- c --><?pi d?>\\n"^^X']),
        (
            "<e:p rdf:parseType='Literal'><b xmlns='d:' z='1' a='\"' xmlns:q='u:' q:y='2' e:x=''><e:i c=''/></b></e:p>",
            [
                '"<b xmlns=\\"d:\\" xmlns:e=\\"http://e/\\" xmlns:q=\\"u:\\" a=\\"&quot;\\" z=\\"1\\" e:x=\\"\\"'
                ' q:y=\\"2\\"><e:i c=\\"\\"></e:i></b>"^^X'
            ],
        ),
        (
            "<e:p rdf:parseType='Literal'><i xmlns='d:'><e:b a=''><j xmlns=''><k/></j></e:b></i></e:p>",
            [
                '"<i xmlns=\\"d:\\"><e:b xmlns:e=\\"http://e/\\" a=\\"\\"><j xmlns=\\"\\"><k></k></j></e:b></i>"^^X',
            ],
        ),
        (f'<e:p rdf:datatype="{RDF}langString" xml:lang="en">v</e:p>', ['"v"@en']),
        (
            f'<e:p rdf:datatype="{RDF}dirLangString" xml:lang="en" xmlns:its="http://www.w3.org/2005/11/its" '
            'its:dir="rtl" rdf:version="1.2">v</e:p>',
            ['"v"@en--rtl'],
        ),
    ],
)
def test_entities_and_sections_of_xml_are_read(inside: str, objects: list[str] | None) -> None:
    found = _objects(_about(inside))
    if objects is None:
        objects = ['"<e:D xmlns:e=\\"http://e/\\" e:a=\\"1\\"></e:D>"^^X']
    assert [each.split(":b", 1)[0] + ":" if each.startswith("_:") else each for each in found] == objects


def test_no_language_is_no_language_inside_a_language() -> None:
    inside = (
        '<e:p>a</e:p><e:p xml:lang="">b</e:p><e:q xml:lang=""><e:C e:r="c"><e:p xml:lang="de">d</e:p></e:C></e:q>'
        '<e:p rdf:parseType="Resource" xml:lang=""><e:p>e</e:p></e:p>'
    )
    literals = [each for each in _objects(_about(inside, 'xml:lang="en"')) if each.startswith('"')]
    assert literals == ['"a"@en', '"b"', '"c"', '"d"@de', '"e"']


def test_no_language_inside_triple_terms() -> None:
    document = _about('<e:p xml:lang="" rdf:annotation="#t">x</e:p>', 'xml:lang="en"').replace(
        "<rdf:RDF", '<rdf:RDF rdf:version="1.2"', 1
    )
    quads = pyoxigraph.parse(lines_read(document.encode(), "rdf", base=BASE), RdfFormat.N_QUADS)
    terms = [quad.object.object if isinstance(quad.object, Triple) else quad.object for quad in quads]
    assert terms == [Literal("x")] * 2


def test_an_attribute_is_normalised_as_xml_has_it() -> None:
    given = 'e:p="a\tb\r\nc&#10;d"'
    assert _objects(_about("", given)) == ['"a b c\\nd"']
    document = _about("", "e:p='  a  b '").replace(
        "<rdf:RDF", "<!DOCTYPE x [<!ATTLIST rdf:Description e:p NMTOKENS ''>]><rdf:RDF", 1
    )
    assert _objects(document) == ['"a b"']


@table(
    ("declarations", "value"),
    [
        ("<!ENTITY x 'http://e/'>", "http://e/"),
        ("<!ENTITY x\n'a>b'  >", "a>b"),
        ('<!ENTITY y "b"><!ENTITY x "a&y;c">', "abc"),
        ('<!ENTITY x "&#38;amp; ]&#60;!-- no comment -->">', "& ]"),
        ("""<!ENTITY % p '<!ENTITY x "by a parameter">'> %p;""", "by a parameter"),
        ("<!-- <!ENTITY x 'no'> --><?pi <!ENTITY x 'no'>?><!ENTITY x 'first'><!ENTITY x 'second'>", "first"),
        ("<!ENTITY e SYSTEM 'file:///etc/passwd'><!ELEMENT a ANY><!NOTATION n SYSTEM 'n'><!ENTITY x ''>", ""),
    ],
)
def test_entities_however_they_are_declared(declarations: str, value: str) -> None:
    """The one with a comment in it stands in text only, where its markup counts."""
    document = f"<!DOCTYPE rdf:RDF [{declarations}]>" + _about("<e:p>&x;</e:p>")
    assert _objects(document) == [f'"{value}"']
    if "comment" not in declarations:
        assert (
            _objects(
                document.replace("<e:p>&x;</e:p>", "<e:p rdf:parseType='Resource' />").replace(
                    "Description ", "Description e:p='&x;' "
                )
            )[0]
            == f'"{value}"'
        )


@pytest.mark.parametrize("block", [0, 1, 2, 3, 7])
def test_references_in_comments_and_cdata_are_none(monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    before = "<!DOCTYPE rdf:RDF [<!-- &a; --><!ENTITY % p '<!ENTITY x \"y\">'> %p;<!-- &nbsp; -\n->&b;-->]>"
    if block:
        monkeypatch.setattr(text_module, "_BLOCK", block)
        monkeypatch.setattr(text_module, "_HEAD", before.index("%p;") + 3)
    hidden = "<!-- &nbsp;\n<![CDATA[ &c; - -->\n<![CDATA[&nbsp; ]] > <!-- ]]><?pi &d;\n<!-- ? > ?>"
    document = f"{before}{ROOT}\n<!--->--><e:C rdf:about='http://e/x' e:q='&x;'><e:p>{hidden}&x;</e:p></e:C></rdf:RDF>"
    assert _objects(document) == ["<http://e/C>", '"y"', '"\\n&nbsp; ]] > <!-- y"']
    for place, line in (("e:q='", 3), ("<e:p>", 3)):
        with pytest.raises(RdfSyntaxError, match="the entity &undeclared; is not declared") as caught:
            lines_read(document.replace(place, f"{place}&undeclared;").encode(), "rdf", base=BASE)
        assert caught.value.line == line
    with pytest.raises(RdfSyntaxError, match="the entity &undeclared; is not declared") as caught:
        lines_read(document.replace("</e:p>", "</e:p><e:p\nrdf:resource='&undeclared;'/>").encode(), "rdf", base=BASE)
    assert caught.value.line == 7


def test_an_external_document_type_is_skipped(tmp_path: Path) -> None:
    (tmp_path / "a.dtd").write_text("<!ENTITY x 'outside'>")
    for inside in ("", "[<!ENTITY y 'inside'>]", "[<!ENTITY y 'inside'><!ENTITY % p SYSTEM 'a.dtd'> %p;]"):
        path = tmp_path / "a.rdf"
        path.write_text(f"<!DOCTYPE rdf:RDF SYSTEM 'a.dtd' {inside}>" + _about("<e:p>&amp;</e:p>"))
        assert b'"&"' in lines_of_file(path)
        for used in ("<e:p>&x;</e:p>", "<e:p rdf:resource='&x;'/>"):
            path.write_text(f"<!DOCTYPE rdf:RDF SYSTEM 'a.dtd' {inside}>\n" + _about(used))
            with pytest.raises(RdfSyntaxError, match="the entity &x; is not declared in this document") as caught:
                lines_of_file(path)
            assert caught.value.line == 3


@pytest.mark.parametrize("piece", [1, 3, 1 << 16])
@table(
    ("encoding", "declared"),
    [
        ("utf-8", ""),
        ("utf-8-sig", ""),
        ("utf-8-sig", "windows-1252"),  # the mark has priority
        ("utf-8", "UTF8"),
        ("utf-8", "unicode-1-1-utf-8"),
        ("utf-16", "UTF-16"),
        ("utf-16", ""),
        ("utf-16-le", "UTF-16"),
        ("utf-16-be", ""),
        ("utf-32", ""),
        ("latin-1", "ISO-8859-1"),
        ("latin-1", "latin1"),
        ("ascii", "US-ASCII"),
        ("ascii", "ASCII"),
        ("cp1252", "windows-1252"),
        ("koi8-r", "KOI8-R"),
        ("shift_jis", "Shift_JIS"),
        ("gb18030", "GB18030"),
    ],
)
def test_encodings(encoding: str, declared: str, piece: int) -> None:
    class Slow(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            return super().read(min(size or piece, piece))

    letters = {"ascii": "M", "koi8-r": "\u0416", "shift_jis": "\u65e5", "gb18030": "\u65e5"}.get(encoding, "\u00fc")
    declaration = f'<?xml version="1.0"\n encoding="{declared}"?>\n' if declared else ""
    document = (declaration + _about(f"<e:p>{letters}</e:p>")).encode(encoding)
    xml = RdfXml(Slow(document), "s")
    assert f">{letters}<".encode() in b"".join(iter(lambda: xml.read(7), b""))
    if encoding != "utf-8-sig":
        document = document.replace("rdf:about".encode(encoding.removesuffix("-sig")[:9]), b"", 0)
    assert _objects(document) == [f'"{letters}"']


def test_the_format_of_a_file_in_utf_16_is_found(tmp_path: Path) -> None:
    path = tmp_path / "a.owl"
    path.write_bytes(_about("<e:p>x</e:p>").encode("utf-16"))
    assert b'"x"' in lines_of_file(path)


@table(
    ("document", "line", "problem"),
    [
        ("", 1, "not well-formed XML: no element found"),
        (ROOT, 1, "no element found"),
        ("\n<e:x/>", 2, "unbound prefix"),
        ("<rdf:RDF></rdf:RDF>", 1, "unbound prefix"),
        (_about("\n<e:p>&x;</e:p>"), 3, "the entity &x; is not declared in this document; kgreason fetches no DTD"),
        (_about("\n<e:p rdf:resource='&x;y'/>"), 3, "the entity &x; is not declared"),
        ("<!DOCTYPE x [<!ENTITY z SYSTEM 'f'>]>\n" + _about("<e:p>&z;</e:p>"), 3, "the external entity f is not read"),
        ("<!DOCTYPE x [<!ENTITY z SYSTEM 'f'>]>\n" + _about("", "e:p='&z;'"), 3, "external entity in attribute"),
        ('<?xml version="1.0" encoding="none-such"?>' + ROOT, 1, 'the encoding "none-such", which .* is unknown'),
        ('<?xml version="1.0" encoding="hex"?>' + ROOT, 1, "unknown or not that of the file; save the file in"),
        ('<?xml version="1.0" encoding="utf-7"?>' + ROOT, 1, "is unknown"),
        ('<?xml version="1.0" encoding="UTF-16"?>' + ROOT, 1, "not that of the file"),
        ('<?xml version="1.0" encoding="utf-32"?>' + ROOT, 1, "not that of the file"),
        (
            _about("\n<e:p>\udcfc</e:p>"),
            3,
            r"this is not UTF-8 \(the byte 0xFC\): save the file in the encoding UTF-8, or",
        ),
        (
            '<?xml version="1.0" encoding="ascii"?>' + _about("\n\n<e:p>\udcfc</e:p>"),
            4,
            "0xFC is not in the encoding ascii",
        ),
        (_about("\n<e:p rdf:resource='a b'/>"), 3, "Invalid IRI code point ' '"),
        (_about("\n<e:p xml:lang='en_US'>\n\nx</e:p>"), 3, "language tag 'en_us'"),
        (_about("\n\n<e:p rdf:ID='a'>1</e:p>\n<e:p rdf:ID='a'>2</e:p>"), 5, "already been used as rdf:ID"),
        (_about("<e:p/>\n\ntext\n"), 2, "Unexpected text event"),
        (_about("\n<p/>"), 3, "the element p is in no namespace"),
        (_about("", "\np='1'"), 2, "the attribute p is in no namespace: write a prefix, such as ex:p"),
        (
            _about("\n<e:p datatype='http://e/d'>1</e:p>"),
            3,
            "the attribute datatype is in no namespace: write rdf:datatype",
        ),
        (_about("", "about='a' rdf:about='b'"), 2, "the attribute about is there twice"),
        (
            _about("\n<e:p rdf:parseType='Resource' e:q='1'/>"),
            3,
            "the attribute q is not allowed on a property with rdf:parse",
        ),
        (
            _about("\n<e:p rdf:parseType='x' resource='1'/>"),
            3,
            "resource is not allowed on a property with rdf:parseType",
        ),
        (
            _about("\n<e:p rdf:datatype='http://e/d' rdf:resource='a'/>"),
            3,
            "resource is not allowed on a property with",
        ),
        (
            _about("<e:p rdf:datatype='http://e/d'>\n<e:C/></e:p>"),
            3,
            "an element cannot be inside a property with rdf:datatype",
        ),
        (_about("\n<e:p rdf:about='a'/>"), 3, "the attribute about is not allowed on a property"),
        (_about("", "rdf:resource='a'"), 2, "the attribute rdf:resource is not allowed on a node"),
        (_about("", "rdf:datatype='a'"), 2, "the attribute rdf:datatype is not allowed on a node"),
        (_about("", "parseType='Literal'"), 2, "the attribute rdf:parseType is not allowed on a node"),
        (_about("", "rdf:bagID='a'"), 2, "the attribute rdf:bagID is not allowed on a node"),
        (_about(f"\n<e:p rdf:datatype='{RDF}langString'>x</e:p>"), 3, "the datatype rdf:langString needs xml:lang"),
        (
            _about(f"\n<e:p rdf:datatype='{RDF}dirLangString' xml:lang='en'>x</e:p>"),
            3,
            "rdf:dirLangString needs its:dir",
        ),
        (
            _about(f"\n<e:p rdf:datatype='{RDF}dirLangString' xml:lang='en' xmlns:i='{ITS}' i:dir='ltr'>x</e:p>"),
            3,
            'rdf:dirLangString needs rdf:version="1.2"',
        ),
    ],
)
def test_every_error_has_a_line(document: str, line: int, problem: str) -> None:
    with pytest.raises(RdfSyntaxError, match=problem) as caught:
        lines_read(document.encode("utf-8", "surrogateescape"), "rdf", base=BASE)
    assert caught.value.line == line


def test_the_first_error_is_told() -> None:
    """The XML is read ahead of the RDF, but an error of the RDF that comes first is told first."""
    inside = "".join(f"<e:p rdf:resource='http://e/{each}'/>\n" for each in range(300))
    document = _about(inside + "<e:p rdf:resource='a b'/>\n" + inside + "</e:q>")
    with pytest.raises(RdfSyntaxError, match="Invalid IRI") as caught:
        lines_read(document.encode(), "rdf", base=BASE)
    assert caught.value.line == 302
    assert len(_objects(document.replace("a b", "ab").replace("</e:q>", ""))) == 601


def test_a_free_prefix_is_looked_for_once() -> None:
    class Prefixes(set[str]):
        asked = 0

        def __contains__(self, prefix: object) -> bool:
            Prefixes.asked += 1
            return super().__contains__(prefix)

    declared = "".join(f" xmlns:rdf{n}='http://q/{n}'" for n in range(100))
    nodes = "<e:C about='http://e/x'/>" * 50
    xml = RdfXml(io.BytesIO(f"{ROOT[:-1]}{declared}>{nodes}</rdf:RDF>".encode()), "s")
    xml._prefixes = Prefixes(xml._prefixes)
    assert b"".join(iter(xml.read, b"")).count(b'rdf100:about="http://e/x"') == 50
    assert Prefixes.asked < 200


def test_the_namespaces_of_a_literal_take_memory_once() -> None:
    canonical, names = CanonicalXml(), [f"http://q/{n}\x01x\x01a{n}" for n in range(1_000)]
    tracemalloc.start()
    try:
        for name in names:
            canonical.start(name, [])
        assert tracemalloc.get_traced_memory()[1] < 1 << 21
    finally:
        tracemalloc.stop()
    for name in reversed(names):
        canonical.end(name)
    assert canonical.depth == 0
    assert canonical.start(names[0], []) == '<a0:x xmlns:a0="http://q/0">'


def test_entities_cannot_fill_the_memory(shared_cases: Path) -> None:
    with pytest.raises(RdfSyntaxError, match="expand to far more text than the document has") as caught:
        lines_of_file(shared_cases / "20-entity-expansion" / "small.rdf")
    assert caught.value.line == 3
    chain = "".join(f"<!ENTITY e{each} '&e{each + 1};'>" for each in range(2_000))
    for use in ("<e:p>&e0;</e:p>", "<e:p rdf:resource='&e0;'/>"):
        with pytest.raises(RdfSyntaxError, match="more than 1,000 entities contain entities"):
            lines_read(f"<!DOCTYPE x [{chain}<!ENTITY e2000 ''>]>{_about(use)}".encode(), "rdf")


@pytest.mark.parametrize(
    ("declared", "use"),
    [
        ("<!ENTITY v '&u;&u;'><!ENTITY u 'xxxxxxxxxxxxxxxx'>", "<e:p>&v;</e:p>"),
        (f"<!ENTITY v '{'x' * 200}'>", "<e:p>&v;</e:p>"),
        (f"<!ENTITY v '{'x' * 200}'>", "<e:p e:q='&v;'/>"),
        (f"<!ENTITY % p '<!ENTITY v \"{'x' * 200}\">'> %p;", "<e:p>&v;</e:p>"),
        (f"<!ATTLIST e:p e:q CDATA '{'x' * 200}'>", "<e:p/>"),
        (f"<!ATTLIST e:p xmlns:q CDATA '{'x' * 200}'>", "<e:p/>"),
        (f"<!ENTITY v '<e:p>{'x' * 200}</e:p>'>", "&v;"),
    ],
)
@pytest.mark.parametrize("syntax", ["rdf", "owx"])
def test_nothing_that_a_document_declares_fills_the_memory(
    declared: str, use: str, syntax: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Expat does not count default attributes. It counts the rest from 8 MiB on, so it finds nothing here."""
    monkeypatch.setattr("kgreason.rdf.xml.document._FREE", 1 << 12)
    monkeypatch.setattr("kgreason.rdf.xml.document._TIMES", 1)

    class Heard:
        """Hears of the parts of a document."""

        start = end = text = namespace = comment = instruction = lambda *_: None

    document = Document(io.BytesIO(f"<!DOCTYPE x [{declared}]>{_about(use * 400)}".encode()), "s", Heard())
    with pytest.raises(RdfSyntaxError, match="expand to far more text than the document has"):
        deque(iter(document.advance, 0), maxlen=0)


def test_a_long_document_cannot_grow_without_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Expat lets a document grow a hundred times, which is too much for a long one."""
    monkeypatch.setattr("kgreason.rdf.xml.document._FREE", 1 << 16)
    document = f"<!DOCTYPE x [<!ENTITY e '{'x' * 500}'>]>" + _about("<e:p>&e;&e;</e:p>\n" * 5_000)
    with pytest.raises(RdfSyntaxError, match="expand to far more text"):
        lines_read(document.encode(), "rdf")


def test_a_document_is_read_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A block is cut anywhere, and a part of the document is in memory at a time."""
    monkeypatch.setattr(text_module, "_BLOCK", 100)
    monkeypatch.setattr(text_module, "_HEAD", 50)
    documents = [Writer(Random(seed)).document() for seed in range(5)]
    cut = [lines_read(each, "rdf", base=BASE) for each in documents]
    monkeypatch.undo()
    assert cut == [lines_read(each, "rdf", base=BASE) for each in documents]
    xml = RdfXml(io.BytesIO(_about("<e:p>x</e:p>" * 400_000).encode()), "s")
    most = 0
    while xml.read(2_048):
        most = max(most, sum(len(piece) for _, piece in xml._pieces))
    assert most < 2_000_000


def _without_markup(lines: bytes) -> bytes:
    """Canonical N-Quads with the text alone of each literal of XML."""
    out = []
    for quad in pyoxigraph.parse(lines, RdfFormat.N_QUADS):
        value = quad.object
        if isinstance(value, Literal) and value.datatype.value == XML_LITERAL:
            value = Literal(
                "".join(ElementTree.fromstring(f"<r>{value.value}</r>").itertext()), datatype=value.datatype
            )
        out.append(f"{quad.subject} {quad.predicate} {value} .\n")
    return "".join(out).encode()


def _literals(lines: bytes) -> list[str]:
    objects = (quad.object for quad in pyoxigraph.parse(lines, RdfFormat.N_QUADS))
    return [each.value for each in objects if isinstance(each, Literal) and each.datatype.value == XML_LITERAL]


def _sources(document: bytes) -> Iterator[ElementTree.Element]:
    """The properties of a document whose content is a literal of XML."""
    builder = ElementTree.TreeBuilder(insert_comments=True)
    for element in ElementTree.fromstring(document, ElementTree.XMLParser(target=builder)).iter():
        words = [element.get("parseType"), element.get(f"{{{RDF}}}parseType")]
        if any(words) and not {"Resource", "Collection"} & set(words):
            yield element


def _shape(element: ElementTree.Element) -> object:
    """An element without its prefixes."""
    children = [(_shape(child), child.tail or "") for child in element]
    return str(element.tag), sorted(element.attrib.items()), element.text or "", children


@pytest.mark.parametrize("seed", many_seeds(0, 12))
def test_random_documents_are_read_as_rdflib_reads_them(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """rdflib's literals of XML are not canonical, so only their texts are compared; another oracle is below."""
    rdflib = pytest.importorskip("rdflib")
    monkeypatch.setattr(rdflib, "NORMALIZE_LITERALS", False)
    logging.getLogger("rdflib").setLevel(logging.ERROR)
    document = Writer(Random(seed)).document()
    theirs = rdflib.Graph().parse(io.BytesIO(document), format="xml", publicID=BASE).serialize(format="nt").encode()
    ours = lines_read(document, "rdf", base=BASE)
    assert isomorphic(_without_markup(ours), _without_markup(theirs)), document


@table("seed", many_seeds(0, 12))
def test_literals_of_xml_are_canonical_and_say_the_same(seed: int) -> None:
    document = Writer(Random(seed)).document()
    literals = set(_literals(lines_read(document, "rdf", base=BASE)))
    for literal in literals:
        assert ElementTree.canonicalize(f"<r>{literal}</r>", with_comments=True) == f"<r>{literal}</r>"
    builders = (ElementTree.TreeBuilder(insert_comments=True) for _ in literals)
    parsed = [
        ElementTree.fromstring(f"<r>{literal}</r>", ElementTree.XMLParser(target=builder))
        for literal, builder in zip(literals, builders, strict=True)
    ]
    ours = {str(_shape(each)[2:]) for each in parsed}  # type: ignore[index]
    assert ours == {str(_shape(each)[2:]) for each in _sources(document)}  # type: ignore[index]


def test_cases_that_were_read_wrongly(shared_cases: Path) -> None:
    read = {
        "01-xml-lang-empty/a.rdf": '<http://e/s> <http://e/p> "x" .\n',
        "02-parsetype-other/a.rdf": (
            '<http://e/s> <http://e/p> "<e:D xmlns:e=\\"http://e/\\" xmlns:rdf=\\"'
            f'{RDF}\\" rdf:about=\\"http://e/x\\"></e:D>"^^<{XML_LITERAL}> .\n<http://e/s> <http://e/q> "kept" .\n'
        ),
        "04-entity-declarations/single.rdf": '<http://e/s> <http://e/p> "1" .\n',
        "04-entity-declarations/gt.rdf": '<http://e/s> <http://e/p> "a>b" .\n',
        "05-xml-encodings/ascii-text.rdf": '<http://e/s> <http://e/p> "Muller" .\n',
        "05-xml-encodings/us-ascii.rdf": '<http://e/s> <http://e/p> "Muller" .\n',
        "05-xml-encodings/latin1.rdf": '<http://e/s> <http://e/p> "M\u00fcller" .\n',
        "05-xml-encodings/utf16.rdf": '<http://e/s> <http://e/p> "M\u00fcller" .\n',
        "05-xml-encodings/cp1252.rdf": '<http://e/s> <http://e/p> "\u201cM\u00fcller\u201d" .\n',
        "08-langstring-without-language/a.rdf": '<http://e/s> <http://e/p> "v"@en .\n',
    }
    assert {name: lines_of_file(shared_cases / name).decode() for name in read} == read
