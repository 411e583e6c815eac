"""A catalogue gives the file of an IRI: by what files declare, by an XML catalog, by a map; and says what is wrong."""

from __future__ import annotations

import gzip
import json
import shutil
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from kgreason.errors import InputError
from kgreason.rdf.catalogue import Catalogue
from kgreason.rdf.declared_iris import declared_iris
from kgreason.terms import vocabulary as v

PREFIXES = "@prefix owl: <http://www.w3.org/2002/07/owl#> .\n@prefix : <http://e/> .\n"
XML = '<catalog prefer="public" xmlns="urn:oasis:names:tc:entity:xmlns:xml:catalog">\n{}\n</catalog>\n'
ONTOLOGY = {
    "a.ttl": PREFIXES + ":o a owl:Ontology ; owl:versionIRI :o1 .",
    "a.nt": f"<http://e/o> {v.RDF_TYPE} {v.OWL_ONTOLOGY} .\n<http://e/o> {v.OWL_VERSION_IRI} <http://e/o1> .\n",
    "a.trig": PREFIXES + ":g { :o a owl:Ontology ; owl:versionIRI :o1 }",
    "a.owl": """<rdf:RDF xmlns:owl="http://www.w3.org/2002/07/owl#" xml:base="http://e/o"
        xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><owl:Ontology rdf:about="">
        <owl:versionIRI rdf:resource="o1"/></owl:Ontology></rdf:RDF>""",
    "a.jsonld": json.dumps(
        {
            "@id": "http://e/o",
            "@type": "http://www.w3.org/2002/07/owl#Ontology",
            "http://www.w3.org/2002/07/owl#versionIRI": {"@id": "http://e/o1"},
        }
    ),
    "a.ofn": "Ontology(<http://e/o> <http://e/o1>)",
    "a.owx": '<Ontology xmlns="http://www.w3.org/2002/07/owl#" ontologyIRI="http://e/o" versionIRI="http://e/o1"></Ontology>',
}


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Writes a file into the folder; Turtle gets its prefixes."""

    def write(name: str, text: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(PREFIXES + text if name.endswith((".ttl", ".trig")) else text)
        return path

    return write


@pytest.mark.parametrize("name", ONTOLOGY)
def test_an_ontology_is_known_by_its_iri_and_that_of_its_version(write: Callable[..., Path], name: str) -> None:
    path = write(name, ONTOLOGY[name].removeprefix(PREFIXES))
    assert declared_iris(path) == (frozenset({"<http://e/o>", "<http://e/o1>", f"<{path.as_uri()}>"}), "")
    catalogue = Catalogue.open(path.parent)
    assert catalogue.find("<http://e/o>") == catalogue.find("<http://e/o1>") == path
    assert catalogue.find("<http://e/other>") is None


def test_compressed_files_and_files_of_other_formats(tmp_path: Path) -> None:
    (tmp_path / "a.ttl.gz").write_bytes(gzip.compress((PREFIXES + ":o a owl:Ontology .").encode()))
    (tmp_path / "notes.txt").write_text("an Ontology of notes")
    (tmp_path / "folder.ttl").mkdir()
    catalogue = Catalogue.open(tmp_path)
    assert catalogue.find("<http://e/o>") == tmp_path / "a.ttl.gz"
    assert catalogue.unread() == []


def test_ontologies_that_a_document_only_mentions_are_not_its_own(write: Callable[..., Path]) -> None:
    before = ":before a owl:Ontology ; owl:versionIRI :before1 . :imported a owl:Ontology ."
    path = write("a.ttl", f":o a owl:Ontology ; owl:imports :imported, :o ; owl:priorVersion :before . {before}")
    assert declared_iris(path).iris == {"<http://e/o>", f"<{path.as_uri()}>"}


def test_ontologies_that_import_each_other_in_one_document(write: Callable[..., Path]) -> None:
    path = write("a.ttl", ":o a owl:Ontology ; owl:imports :p . :p a owl:Ontology ; owl:imports :o .")
    assert declared_iris(path).iris == {"<http://e/o>", "<http://e/p>", f"<{path.as_uri()}>"}


@pytest.mark.parametrize("at", [0, (1 << 20) - 4, (1 << 20), (3 << 20) - 5])
def test_the_header_may_stand_anywhere(write: Callable[..., Path], at: int) -> None:
    header = ":o a owl:Ontology .\n"
    space = "#" * (at - len(PREFIXES) - header.index("Ontology") - 1) + "\n" if at else ""
    path = write("a.ttl", space + header)
    assert not at or path.read_bytes().index(b"Ontology") == at
    assert "<http://e/o>" in declared_iris(path).iris


def test_relative_iris_lead_to_files(write: Callable[..., Path]) -> None:
    path = write("a.ttl", "<> a owl:Ontology . <#x> a :C .")
    assert Catalogue.open(path.parent).find(f"<{path.as_uri()}>") == path


def test_a_folder_is_looked_at_each_time(write: Callable[..., Path]) -> None:
    path = write("a.ttl", ":o a owl:Ontology .")
    catalogue = Catalogue.open(path.parent)
    assert catalogue.find("<http://e/new>") is None
    write("b.ttl", ":new a owl:Ontology .")
    assert catalogue.find("<http://e/new>") == path.parent / "b.ttl"
    write("a.ttl", ":changed a owl:Ontology .")
    assert catalogue.find("<http://e/changed>") == path
    assert catalogue.find("<http://e/o>") is None
    path.unlink()
    assert catalogue.find("<http://e/changed>") is None


def test_two_files_that_declare_the_same(write: Callable[..., Path]) -> None:
    one, _ = write("a.ttl", ":o a owl:Ontology ; owl:versionIRI :o1 ."), write("b.ttl", ":o a owl:Ontology .")
    with pytest.raises(InputError, match=r"<http://e/o>: both .*a.ttl and .*b.ttl declare this IRI"):
        Catalogue.open(one.parent).find("<http://e/o>")
    assert Catalogue.open(one.parent).find("<http://e/o1>") == one
    write("catalog-v001.xml", XML.format('<uri name="http://e/o" uri="b.ttl"/>'))
    assert Catalogue.open(one.parent).find("<http://e/o>") == one.parent / "b.ttl"


def test_a_file_that_does_not_parse_is_known_by_what_comes_first(write: Callable[..., Path]) -> None:
    early, late = (
        write("early.ttl", ":early a owl:Ontology .\n:x :p ."),
        write("late.ttl", ":x :p .\n:o a owl:Ontology ."),
    )
    catalogue = Catalogue.open(early.parent)
    assert catalogue.find("<http://e/early>") == early
    assert catalogue.find("<http://e/late>") is None
    assert [problem.split(" ")[0] for problem in catalogue.unread()] == [f"{early}:4:7:", f"{late}:3:7:"]


def test_files_that_cannot_be_read(write: Callable[..., Path]) -> None:
    path = write("a.ttl", ":o a owl:Ontology .").with_name("a.ttl.gz")
    path.write_bytes(gzip.compress(b"#" * 1000 + b"Ontology")[:-10])
    assert declared_iris(path) == (
        frozenset({f"<{path.as_uri()}>"}),
        f"{path}: the compressed data is damaged or cut short",
    )
    missing = path.with_name("missing.ttl")
    assert declared_iris(missing) == (frozenset(), f"{missing}: No such file or directory")


def test_a_map(write: Callable[..., Path], tmp_path: Path) -> None:
    path = write("map.json", json.dumps({"http://e/o": "sub/a.ttl", "http://e/p": str(tmp_path / "b.ttl")}))
    catalogue = Catalogue.open(str(path))
    assert catalogue.find("<http://e/o>") == tmp_path / "sub" / "a.ttl"
    assert catalogue.find("<http://e/p>") == tmp_path / "b.ttl"
    assert catalogue.find("<http://e/q>") is None
    assert catalogue.unread() == []


def test_a_mapping(tmp_path: Path) -> None:
    catalogue = Catalogue.of({"http://e/o": tmp_path / "a.ttl", "http://e/p": "b.ttl"})
    assert catalogue.find("<http://e/o>") == tmp_path / "a.ttl"
    assert catalogue.find("<http://e/p>") == Path("b.ttl")
    assert catalogue.find("<http://e/q>") is None


ENTRIES = """<uri id="User" name="http://e/o" uri="a%20b.ttl"/>
<uri name="http://e/o" uri="second.ttl"/>
<group id="Folder Repository, directory=, recursive=true, Auto-Update=false, version=2" prefer="public" xml:base="lib/">
  <uri name="http://e/p" uri="../p.ttl"/> <uri name="http://e/q" uri="q.ttl"/>
  <rewriteURI uriStartString="http://e/all/" rewritePrefix="all/"/>
  <rewriteURI uriStartString="http://e/all/of/" rewritePrefix="file:///of/"/>
</group>
<uriSuffix uriSuffix="/t.owl" uri="t.ttl"/><uriSuffix uriSuffix="s/t.owl" uri="st.ttl"/>
<system systemId="http://e/dtd" uri="x.dtd"/><uri name="http://e/net" uri="http://e/elsewhere.ttl"/>"""


@pytest.mark.parametrize(
    ("iri", "file"),
    [
        ("http://e/o", "a b.ttl"),
        ("http://e/p", "p.ttl"),
        ("http://e/q", "lib/q.ttl"),
        ("http://e/all/x.ttl", "lib/all/x.ttl"),
        ("http://e/all/of/x.ttl", "/of/x.ttl"),
        ("http://e/all/y/../x.ttl", "lib/all/y/../x.ttl"),
        ("http://e/all/../x.ttl", None),
        ("http://e/all/%00", None),
        ("http://e/all/%2e%2e/x.ttl", None),
        ("http://e/all/y/../../../../../../etc/passwd", None),
        ("http://e/all//etc/passwd", "lib/all//etc/passwd"),
        ("http://f/x/t.owl", "t.ttl"),
        ("http://f/xs/t.owl", "st.ttl"),
        ("http://e/dtd", None),
        ("http://e/net", None),
        ("http://e", None),
    ],
)
def test_an_xml_catalog(write: Callable[..., Path], tmp_path: Path, iri: str, file: str | None) -> None:
    path = write("catalog-v001.xml", XML.format(ENTRIES))
    expected = tmp_path / file if file else None
    assert Catalogue.open(path).find(f"<{iri}>") == Catalogue.open(tmp_path).find(f"<{iri}>") == expected


def test_next_catalogs_are_asked_last_and_once(write: Callable[..., Path], tmp_path: Path) -> None:
    next_ones = '<nextCatalog catalog="sub/catalog-v001.xml"/><nextCatalog catalog="sub/more.xml"/>'
    write("catalog-v001.xml", XML.format(f'{next_ones}<uri name="http://e/o" uri="a.ttl"/>'))
    back = '<nextCatalog catalog="../catalog-v001.xml"/><uri name="http://e/o" uri="b.ttl"/>'
    write("sub/catalog-v001.xml", XML.format(f'{back}<uri name="http://e/p" uri="p.ttl"/>'))
    write("sub/more.xml", XML.format('<uri name="http://e/p" uri="r.ttl"/><uri name="http://e/q" uri="q.ttl"/>'))
    catalogue = Catalogue.open(tmp_path)
    assert catalogue.find("<http://e/o>") == tmp_path / "a.ttl"
    assert catalogue.find("<http://e/p>") == tmp_path / "sub" / "p.ttl"
    assert catalogue.find("<http://e/q>") == tmp_path / "sub" / "q.ttl"
    assert Catalogue.open(tmp_path / "sub" / "catalog-v001.xml").find("<http://e/o>") == tmp_path / "sub" / "b.ttl"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (XML.format("<uri"), "catalog-v001.xml:3: not well-formed"),
        (XML.format('<uri name="http://e/o"/>'), "catalog-v001.xml:2: the element uri needs the attribute uri"),
        (
            XML.format('\n<rewriteURI rewritePrefix="x"/>'),
            "catalog-v001.xml:3: .* needs the attribute uriStartString",
        ),
        (
            XML.format('<nextCatalog catalog="gone.xml"/>'),
            "catalog-v001.xml:2: the catalog .*gone.xml, named by nextCatalog, does not exist",
        ),
        ("<html>\n</html>", "catalog-v001.xml:1: this is not an XML catalog"),
        (
            '<!DOCTYPE catalog [\n<!ENTITY a "b">]>\n' + XML.format(""),
            "xml:2: a catalog must not declare entities",
        ),
        ("", "catalog-v001.xml:1: no element found"),
    ],
)
def test_an_xml_catalog_that_cannot_be_read(write: Callable[..., Path], text: str, problem: str) -> None:
    path = write("catalog-v001.xml", text)
    for place in (path, path.parent):
        with pytest.raises(InputError, match=problem):
            Catalogue.open(place)


def test_the_declaration_of_a_document_type_is_not_fetched(write: Callable[..., Path], tmp_path: Path) -> None:
    kind = '<!DOCTYPE catalog PUBLIC "-//OASIS//DTD XML Catalogs V1.0//EN" "http://invalid.example/catalog.dtd">\n'
    catalogue = Catalogue.open(write("catalog-v001.xml", kind + XML.format('<uri name="http://e/o" uri="a.ttl"/>')))
    assert catalogue.find("<http://e/o>") == tmp_path / "a.ttl"


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("map.json", b'{"http://e/o":\n "a.ttl",}', r"map.json:2:\d+: "),
        ("map.json", b'["a.ttl"]', "map.json:1: must be a JSON object"),
        (
            "map.json",
            b'{"http://e/o": ["a.ttl"]}',
            r': the path for http://e/o must be a string, not \["a.ttl"\]',
        ),
        ("map.json", b"\xff\xfe", "map.json:1: is not UTF-8 text"),
        ("map.yaml", b"", "map.yaml: a catalogue is a folder, an XML catalog"),
        ("imports", None, "imports: No such file"),
        ("map.json", None, "map.json: No such file"),
        ("catalog.xml", None, "catalog.xml: No such file"),
    ],
)
def test_a_file_that_is_no_catalogue_is_refused(tmp_path: Path, name: str, content: bytes | None, problem: str) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=problem):
        Catalogue.open(tmp_path / name)


def test_the_documents_that_the_owl_2_test_cases_import(shared_data: Path, tmp_path: Path) -> None:
    with tarfile.open(shared_data / "w3c" / "owl2-test-cases.support.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    catalogue = Catalogue.open(tmp_path)
    for name in ("miscellaneous/consistent001", "miscellaneous/consistent002", "imports/support011-A"):
        found = catalogue.find(f"<http://www.w3.org/2002/03owlt/{name}>")
        assert found == tmp_path / f"{name.rpartition('/')[2]}.rdf"
    shutil.rmtree(tmp_path)
    assert catalogue.find("<http://www.w3.org/2002/03owlt/imports/support011-A>") is None
