"""What `kgreason classify` writes: kinds of axioms, annotations, releases that imply what the source implies."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest
from pyoxigraph import NamedNode, Quad, RdfFormat, Triple, parse

from kgreason.entailment.classification.release import GENERATORS, release
from kgreason.entailment.classification.taxonomy import Taxonomy, classify, taxonomy_of
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.rdf.owl import functional_syntax
from kgreason.terms import vocabulary as v
from tests.el.body import PREFIXES, run
from tests.rdf.reading import lines_read
from tests.tables import table
from tests.volume import many_seeds

ZOO = (
    PREFIXES
    + """
:Cat rdfs:subClassOf :Animal . :Animal rdfs:subClassOf :Being . :Feline owl:equivalentClass :Cat .
:tom a :Cat , :Being . :likes a owl:ObjectProperty ; rdfs:subPropertyOf :knows , :seen .
:knows a owl:ObjectProperty ; rdfs:subPropertyOf :seen . :seen a owl:ObjectProperty . :tom :likes :kit .
:loves a owl:ObjectProperty ; owl:equivalentProperty :likes .
:age a owl:DatatypeProperty ; rdfs:subPropertyOf :number . :number a owl:DatatypeProperty .
"""
)
KINDS = {
    "SubClass": ["Animal subClassOf Being", "Cat subClassOf Animal"],
    "EquivalentClass": ["Cat equivalentClass Feline"],
    "ClassAssertion": ["tom type Cat"],
    "PropertyAssertion": [f"tom {name} kit" for name in ("knows", "likes", "loves", "seen")],
    "SubObjectProperty": ["knows subPropertyOf seen", "likes subPropertyOf knows"],
    "SubDataProperty": ["age subPropertyOf number"],
    "EquivalentObjectProperty": ["likes equivalentProperty loves"],
}


def quads(text: str) -> set[Quad]:
    return set(parse(text, RdfFormat.TURTLE))


def short(term: str) -> str:
    return term.strip("<>").replace("#", "/").rpartition("/")[2]


@table("reasoner", ["el", "rl", "rl+el"])
def test_the_kinds_of_axioms(reasoner: str, tmp_path: Path) -> None:
    (file := tmp_path / "zoo.ttl").write_text(ZOO)
    with classify(file, reasoner=reasoner).graph as graph:  # type: ignore[arg-type]
        found = taxonomy_of(graph)
        for name, expected in KINDS.items():
            rows = release(graph, found, [name]).rows
            is_asserted = (name, reasoner) == ("PropertyAssertion", "el")  # owl2el derives no links
            told = ["tom likes kit"] if is_asserted else expected
            assert [" ".join(map(short, map(str, row))) for row in rows] == told, name
        types = [short(str(row.object)) for row in release(graph, found, ["ClassAssertion"], indirect=True).rows]
        assert types == ["Animal", "Being", "Cat"]
    assert [*GENERATORS] == [*KINDS]


def test_the_command_writes_the_kinds_that_it_is_asked_for(tmp_path: Path) -> None:
    (file := tmp_path / "zoo.ttl").write_text(ZOO)
    status, text, _ = run(file, "--axiom-generators", "ClassAssertion, SubDataProperty")
    assert status == 0
    assert quads(text) == quads(PREFIXES + ":tom a :Cat . :age rdfs:subPropertyOf :number .")
    status, _, told = run(file, "--axiom-generators", "SubClasses")
    assert (status, "SubClasses: not one of SubClass, " in told) == (2, True)
    status, _, told = run(file, "--axiom-generators", "SubClass", "--merge", "--remove-redundant")
    assert (status, "needs the --axiom-generators SubClass and EquivalentClass" in told) == (2, True)


def test_only_inferred_axioms_are_annotated(tmp_path: Path) -> None:
    """The annotation is that of `robot reason`. Whoever states that C equals B states that B equals C."""
    file = tmp_path / "zoo.ttl"
    file.write_text(PREFIXES + ":A rdfs:subClassOf :B . :C owl:equivalentClass :B . :B owl:equivalentClass :D .")
    _, text, _ = run(file, "--annotate", "--include-indirect")
    is_inferred = "<http://www.geneontology.org/formats/oboInOwl#is_inferred>"
    sources = {(short(str(quad.subject)), str(quad.predicate)): short(str(quad.object)) for quad in quads(text)}
    assert text.count('is_inferred> "true"') == text.count("owl:annotatedSource") == 8
    assert ("A", "<http://www.w3.org/2000/01/rdf-schema#subClassOf>") in sources
    assert f"{is_inferred} a owl:AnnotationProperty" in text
    assert text == run(file, "--annotate", "--include-indirect")[1]
    assert "is_inferred" not in run(file, "--annotate")[1].replace("is_inferred> a", "")


def test_an_annotated_axiom_stays(tmp_path: Path) -> None:
    (file := tmp_path / "zoo.ttl").write_text(
        PREFIXES
        + """:A rdfs:subClassOf :B , :C , :D . :B rdfs:subClassOf :C . :C rdfs:subClassOf :D .
        [] a owl:Axiom ; owl:annotatedSource :A ; owl:annotatedProperty rdfs:subClassOf ; owl:annotatedTarget :D ;
            rdfs:comment "by hand" ."""
    )
    status, text, told = run(file, "--merge", "--remove-redundant", "--prefix", "=http://e/")
    assert status == 0
    above = {short(str(quad.object)) for quad in quads(text) if str(quad.subject) == "<http://e/A>"}
    assert above == {"B", "D"}
    assert "by hand" in text
    assert "1 redundant superclass is kept, because of annotations" in told


def test_an_annotated_axiom_without_its_triple_is_stated(tmp_path: Path) -> None:
    file = tmp_path / "zoo.ttl"
    file.write_text(
        PREFIXES
        + """[] a owl:Axiom ; owl:annotatedSource :A ; owl:annotatedProperty rdfs:subClassOf ; owl:annotatedTarget :B ;
            rdfs:comment "by hand" ."""
    )
    _, text, _ = run(file, "--annotate", "--merge")
    assert ":A rdfs:subClassOf :B ." in text
    assert "is_inferred" not in text


def test_a_class_of_a_group_keeps_its_direct_superclass(tmp_path: Path) -> None:
    (file := tmp_path / "zoo.ttl").write_text(
        PREFIXES
        + """:A owl:equivalentClass :B . :A rdfs:subClassOf :B . :B rdfs:subClassOf :X , :Y . :X rdfs:subClassOf :Y .
        :X owl:equivalentClass :Z . :A rdfs:subClassOf :Z ."""
    )
    _, text, _ = run(file, "--merge", "--remove-redundant")
    rows = {(short(str(quad.subject)), short(str(quad.object))) for quad in quads(text) if "subClassOf" in str(quad)}
    assert rows == {("A", "X"), ("A", "Z"), ("B", "X"), ("X", "Y")}


@pytest.mark.parametrize("seed", many_seeds(0, 6))
def test_a_release_implies_what_its_source_implies(seed: int) -> None:
    random = Random(seed)
    kinds = [":{} rdfs:subClassOf :{} ."] * 5 + [
        ":{} owl:equivalentClass :{} .",
        ":{} rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :{} ] .",
        ":{1} owl:equivalentClass [ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :{0} ] .",
        "[] a owl:Axiom ; owl:annotatedSource :{} ; owl:annotatedProperty rdfs:subClassOf ; owl:annotatedTarget :{} .",
    ]
    text = " ".join(random.choice(kinds).format(*random.sample("ABCDEF", 2)) for _ in range(14))

    def classified(source: str) -> tuple[Taxonomy, str]:
        with KnowledgeGraph.open(rules=["owl2el"]) as graph:
            graph.add(source)
            found = taxonomy_of(graph)
            rows = release(graph, found, ["SubClass", "EquivalentClass"], merge=True, redundant=False).rows
        return found, "".join(f"{row} .\n" for row in rows)

    found, written = classified(PREFIXES + text)
    again, same = classified(written)
    assert again == found
    assert len(same.splitlines()) == len(written.splitlines())


def test_an_ontology_that_contradicts_itself_has_a_status_and_a_proof(tmp_path: Path) -> None:
    (file := tmp_path / "zoo.ttl").write_text(PREFIXES + ":A owl:disjointWith :B . :x a :A , :B .")
    output = tmp_path / "out.ttl"
    for reasoner in ("el", "rl", "rl+el"):
        status, _, told = run(file, "--reasoner", reasoner, "-o", output)
        assert (status, output.exists()) == (3, False)
        assert ":A owl:disjointWith :B" in told
        assert told.endswith("the ontology contradicts itself, so it has no model; nothing is written\n")
    status, text, _ = run(file, "--json", "-o", output)
    assert (status, json.loads(text)["consistent"], output.exists()) == (3, False, False)
    (file := tmp_path / "top.ttl").write_text(PREFIXES + "owl:Thing rdfs:subClassOf owl:Nothing .")
    assert run(file)[0] == 3


def test_rl_finds_classes_whose_members_contradict(tmp_path: Path) -> None:
    (file := tmp_path / "zoo.ttl").write_text(
        PREFIXES + ":Cat owl:disjointWith :Dog . :CatDog rdfs:subClassOf :Cat , :Dog . :Pup rdfs:subClassOf :CatDog ."
    )
    for reasoner in ("rl", "rl+el"):
        status, text, told = run(file, "--reasoner", reasoner)
        assert status == 1
        assert "2 classes that nothing can be in" in told
        assert ":Cat owl:disjointWith :Dog" in told
        assert ":CatDog owl:equivalentClass owl:Nothing" in text
        assert "subClassOf" not in text


def test_functional_syntax(tmp_path: Path) -> None:
    pytest.importorskip("pyhornedowl", reason="py-horned-owl is not installed")
    file, output = tmp_path / "zoo.ttl", tmp_path / "out.ofn"
    source = PREFIXES + ":A rdfs:subClassOf [ owl:onProperty :p ; owl:someValuesFrom :B ] . :p a owl:ObjectProperty ."
    file.write_text(source + " :C owl:equivalentClass [ owl:onProperty :p ; owl:someValuesFrom :B ] .")
    assert run(file, "-o", output)[0] == 0
    assert "SubClassOf(:A :C)" in output.read_text()
    assert run(file, "--merge", "--annotate", "-o", output)[0] == 0
    assert 'is_inferred> "true") :A :C)' in output.read_text()
    assert "SubClassOf(:A ObjectSomeValuesFrom(:p :B))" in output.read_text()
    with classify(output).graph as graph:
        assert ("http://e/A", "rdfs:subClassOf", "http://e/C") in graph


@pytest.mark.parametrize("name", ["x.", "x%20y."])
def test_functional_syntax_of_a_name_that_no_prefix_can_shorten(name: str) -> None:
    """The library shortens it nevertheless."""
    pytest.importorskip("pyhornedowl", reason="py-horned-owl is not installed")
    kind = (NamedNode(f"http://e/{name}"), NamedNode(v.RDF_TYPE[1:-1]), NamedNode(v.OWL_CLASS[1:-1]))
    written = functional_syntax([Triple(*kind)], {"": "http://e/"}, "out.ofn")
    assert f"<http://e/{name}> " in lines_read(written, "ofn").decode()


def test_functional_syntax_loses_nothing_in_silence(tmp_path: Path) -> None:
    pytest.importorskip("pyhornedowl", reason="py-horned-owl is not installed")
    file, output = tmp_path / "zoo.ttl", tmp_path / "out.ofn"
    disjoint = PREFIXES + "[] a owl:AllDisjointClasses ; owl:members ( :A :B :C ) {} . :A a owl:Class ."
    file.write_text(disjoint.format("; rdfs:comment 'why'"))
    status, _, told = run(file, "--merge", "-o", output)
    assert (status, output.exists()) == (2, False)
    assert "would lose 9 triples, such as _: <http://www.w3.org/1999/02/22-rdf-syntax-ns#first>" in told
    file.write_text(PREFIXES + "[] a :A . :A a owl:Class ; rdfs:subClassOf :B .")
    assert "would lose 1 triples, such as _: " in run(file, "--merge", "-o", output)[2]
    file.write_text(disjoint.format("") + " :C a owl:Class ; owl:disjointWith :D .")
    assert run(file, "--merge", "-o", output)[0] == 0
    assert "DisjointClasses(:A :B :C)" in output.read_text()
    assert "DisjointClasses(:C :D)" in output.read_text()


def test_a_query(tmp_path: Path) -> None:
    file, store = tmp_path / "zoo.ttl", tmp_path / "store"
    file.write_text(ZOO + ":Cat owl:disjointWith :Dog . :Dog rdfs:subClassOf :Animal .")
    status, text, _ = run(file, "--query", "Cat and Being")
    assert (status, text.splitlines()) == (
        0,
        [
            "equivalent classes:", "  :Cat", "  :Feline", "superclasses:", "  :Animal", "subclasses: none",
            "instances:", "  :tom",
        ],
    )  # fmt: skip
    status, text, _ = run(file, "--query", "Animal", "--include-indirect", "--json")
    assert json.loads(text)["subclasses"] == ["<http://e/Cat>", "<http://e/Dog>", "<http://e/Feline>"]
    assert run(file, "--query", "Cat and Dog")[0] == 1
    assert "union as a superclass" in run(file, "--query", "Cat or Dog")[2]
    with KnowledgeGraph.open(store, rules=["owl2el"]) as graph:
        graph.load(file)
    assert run("-l", store, "--query", "Cat and Being")[1] == run(file, "--query", "Cat and Being")[1]
    assert run("-l", store, "--query", "Cat", "--reasoner", "rl")[0] == 2
    for wrong in (["--query", "Cat"], [file, "-l", store, "--query", "Cat"], [file, "--query", "Cat", "-o", "x.ttl"]):
        assert run(*wrong)[0] == 2
    assert run(file, "-l", store)[0] == run()[0] == 2


@pytest.mark.parametrize(
    "options",
    [
        ("-o", "x.ttl"), ("--merge",), ("--annotate",), ("--remove-redundant",), ("--labels", "en"), ("--full",),
        ("--axiom-generators", "SubClass"), ("--equivalent-classes", "fail"),
    ],
)  # fmt: skip
def test_a_query_refuses_the_options_of_a_taxonomy(options: tuple[str, ...]) -> None:
    status, _, told = run("zoo.ttl", "--query", "Cat", *options)
    assert status == 2
    assert f"--query writes no taxonomy and no proof: leave {options[0]} out" in told


def test_what_is_excluded(tmp_path: Path) -> None:
    """The file says something of :A and :K. Of :B it only says that :A is below it."""
    file, imported = tmp_path / "zoo.ttl", tmp_path / "imported.ttl"
    some = "[ owl:onProperty :p ; owl:someValuesFrom :X ]"
    file.write_text(
        PREFIXES
        + f"""<http://e/zoo> a owl:Ontology ; owl:imports <http://e/imported> . :A rdfs:subClassOf :B .
        [] a owl:Axiom ; owl:annotatedSource :A ; owl:annotatedProperty rdfs:subClassOf ; owl:annotatedTarget :F .
        :K owl:equivalentClass {some} ."""
    )
    imported.write_text(
        PREFIXES
        + f"""<http://e/imported> a owl:Ontology . :B rdfs:subClassOf :C . :C rdfs:subClassOf {some} .
        :M owl:equivalentClass :C . :L owl:equivalentClass {some} ."""
    )

    def links(*options: str) -> set[str]:
        status, text, _ = run(file, "--catalogue", tmp_path, *options)
        assert status == 0
        rows = (
            " ".join(map(short, (str(each.subject), str(each.predicate), str(each.object)))) for each in quads(text)
        )
        return {row.replace("equivalentClass", "=").replace("subClassOf", "<") for row in rows if "_:" not in row}

    assert links() == {"A < B", "A < F", "B < C", "C < K", "C = M", "K = L"}
    assert links("--exclude-duplicate-axioms") == {"C < K", "K = L"}
    assert links("--exclude-external-entities") == {"A < B", "A < F", "K = L"}
    assert links("--exclude-external-entities", "--exclude-duplicate-axioms") == {"K = L"}
    merged = links("--merge", "--exclude-external-entities", "--exclude-duplicate-axioms")
    assert {"A < B", "K = L"} <= merged
    assert not merged & {"B < C", "C < K", "C = M"}
    for useless, why in (("--exclude-tautologies", "no tautologies"), ("--exclude-owl-thing", "below owl:Thing")):
        status, _, told = run(file, useless, "true")
        assert (status, why in told) == (2, True)
