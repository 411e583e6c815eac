"""A small ontology with data, and a store that holds it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.calling import succeed

FAMILY = """
@prefix : <http://example.org/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:hasParent rdfs:subPropertyOf :hasAncestor ; rdfs:range :Person .
:hasAncestor a owl:TransitiveProperty .
:hasName owl:inverseOf :isNameOf .
:ann :hasParent :eve ; :hasName "Ann" .
:eve :hasParent :ida ; :hasAge 07 .
"""


@pytest.fixture
def family(tmp_path: Path) -> Path:
    """A Turtle file."""
    path = tmp_path / "family.ttl"
    path.write_text(FAMILY)
    return path


@pytest.fixture
def store(tmp_path: Path, family: Path) -> Path:
    """A store that holds the family under OWL 2 RL."""
    path = tmp_path / "store"
    succeed("load", "-l", path, "-f", family)
    return path
