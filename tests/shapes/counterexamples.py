"""Small pairs on which a graph once had other results than the naive validator."""

from __future__ import annotations

from tests.oracle.shacl.drawn import Pair

COUNTEREXAMPLES = (
    # sh:closed without sh:property had no results, nested or not.
    Pair((":d :r :c .",), (":s sh:closed true ; sh:targetSubjectsOf :r .",)),
    Pair((":a :r :a, :c ; :p :b . :c :p :b .",), (":s sh:path :r ; sh:closed true ; sh:targetNode :a .",)),
    Pair((":c :r :b .",), (":s sh:targetNode :c ; sh:or ( :t :u ) . :t sh:closed true . :u sh:maxLength 2 .",)),
    # SPARQL's <= compares no IRIs, and no literals without a value.
    Pair((":a :p :a .",), (":s sh:targetNode :a ; sh:path :p ; sh:lessThanOrEquals :p .",)),
    Pair((":a :p 'a'^^:code .",), (":s sh:targetNode :a ; sh:path :p ; sh:lessThanOrEquals :p .",)),
    Pair((":a :p 'x'@en .",), (":s sh:targetNode :a ; sh:path :p ; sh:lessThanOrEquals :p .",)),
    Pair((":a :q '300'^^xsd:byte .",), (":s sh:minInclusive 2.0 ; sh:targetObjectsOf :q .",)),
    # A shape with targets that was also a value of sh:property validated the targets of its parent twice.
    Pair((), (":s sh:path :q ; sh:hasValue 'a' ; sh:targetNode 1 . :t sh:property :s ; sh:targetNode 'b' .",)),
    # Two value nodes with the same property were one result of sh:closed.
    Pair((":a :r :b, :c . :b :p :a . :c :p :a .",), (":s sh:targetNode :a ; sh:path :r ; sh:closed true .",)),
)
