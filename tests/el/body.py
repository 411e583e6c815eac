"""An ontology of a body, whose subclasses follow in EL alone; and the command `classify`."""

from __future__ import annotations

from click.testing import CliRunner

from kgreason.cli.commands import main

PREFIXES = """@prefix : <http://e/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
"""
BODY = (
    PREFIXES
    + """
:partOf a owl:ObjectProperty, owl:TransitiveProperty .
:Finger rdfs:subClassOf [ owl:onProperty :partOf ; owl:someValuesFrom :Hand ] .
:Hand rdfs:subClassOf [ owl:onProperty :partOf ; owl:someValuesFrom :Arm ] .
:Arm rdfs:subClassOf [ owl:onProperty :partOf ; owl:someValuesFrom :Body ] .
:BodyPart owl:equivalentClass [ owl:onProperty :partOf ; owl:someValuesFrom :Body ] .
:Thumb rdfs:subClassOf :Finger , :BodyPart .
"""
)


def run(*arguments: object) -> tuple[int, str, str]:
    """The status of `classify`, and what it prints as output and as messages."""
    result = CliRunner().invoke(main, ["classify", *map(str, arguments)])
    return result.exit_code, result.stdout, result.stderr
