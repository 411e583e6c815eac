"""Random axioms: every construct of OWL 2 RL over a vocabulary so tiny that axioms meet.

An `Axiom` is a kind, its triples, and a *witness*: data that makes it say something. `KINDS` names the kinds, `META`
those where schema and data mix: classes and properties as individuals, or equal, schema triples that data derive.
The syntactic limits of the profile are not kept, because the rules apply to any graph; all triples are valid RDF.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any, NamedTuple, TypeAlias

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from tests.oracle import vocabulary as v
from tests.oracle.graph import Triple
from tests.oracle.notation import term

from .expressions import Expression, listed, node, written
from .witnesses import CHARACTERISTICS, People, exercise, link, member

CLASSES = A, B, C = tuple(map(term, "ABC"))
PROPERTIES = P, Q = tuple(map(term, "pq"))
VALUE = term("value")
INDIVIDUALS = (term("i"), term("j"), "_:m")
LITERALS = tuple(
    map(
        term,
        ('"1"^^xsd:integer', '"01"^^xsd:integer', '"1.0"^^xsd:decimal', '"300"^^xsd:integer', '"x"', '"x"@en'),
    )
)
DATATYPES = tuple(map(term, ("xsd:integer", "xsd:byte", "xsd:decimal", "xsd:string", "rdfs:Literal")))

Written: TypeAlias = tuple[Iterable[Triple], Iterable[Triple]]
Kind: TypeAlias = Callable[[DrawFn], Written]
Witness: TypeAlias = Callable[[Any, Any, int, People], Iterator[Triple]]


class Axiom(NamedTuple):
    """One axiom: its kind, its triples, and data that makes it say something."""

    kind: str
    triples: frozenset[Triple]
    witness: frozenset[Triple]


classes = st.sampled_from(CLASSES)
properties = st.sampled_from(PROPERTIES)
any_property = st.sampled_from((*PROPERTIES, VALUE))
individuals = st.sampled_from(INDIVIDUALS)
literals = st.sampled_from(LITERALS)
datatypes = st.sampled_from(DATATYPES)
salts = st.integers(0, 1)
people = st.permutations(INDIVIDUALS).map(lambda drawn: (drawn[0], drawn[1], drawn[2]))


@st.composite
def property_expressions(draw: DrawFn) -> Expression:
    """A property, or sometimes the inverse of one."""
    name = draw(properties)
    return ("inverseOf", name) if draw(st.integers(0, 3)) == 3 else name


@st.composite
def class_expressions(draw: DrawFn, depth: int = 2) -> Expression:
    """A class, or an expression with others inside it."""
    construct = draw(st.sampled_from(("class", *_CONSTRUCTS))) if depth else "class"
    if construct == "class":
        return draw(classes)
    return (construct, *draw(_CONSTRUCTS[construct](class_expressions(depth - 1))))


def _restriction(*parts: SearchStrategy[Any]) -> SearchStrategy[Any]:
    return st.tuples(property_expressions(), *parts)


_CONSTRUCTS: dict[str, Callable[[SearchStrategy[Expression]], SearchStrategy[Any]]] = {
    "intersectionOf": lambda inner: st.lists(inner, min_size=1, max_size=3),
    "unionOf": lambda inner: st.lists(inner, min_size=1, max_size=3),
    "oneOf": lambda _: st.lists(individuals, min_size=1, max_size=2),
    "complementOf": st.tuples,
    "someValuesFrom": lambda inner: _restriction(st.one_of(inner, inner, st.just(v.THING))),
    "allValuesFrom": _restriction,
    "hasValue": lambda _: _restriction(st.one_of(individuals, literals)),
    "maxCardinality": lambda _: _restriction(st.integers(0, 1)),
    "maxQualifiedCardinality": lambda inner: _restriction(st.integers(0, 1), st.one_of(inner, st.just(v.THING))),
}


def _related(predicate: str, left: SearchStrategy[Any], right: SearchStrategy[Any], witness: Witness) -> Kind:
    """`left predicate right` with the triples of both expressions."""

    def kind(draw: DrawFn) -> Written:
        x, y, salt = draw(left), draw(right), draw(salts)
        triple = (node(x, salt), predicate, node(y, salt))
        return [triple, *written(x, salt), *written(y, salt)], witness(x, y, salt, draw(people))

    return kind


def _list_axiom(predicate: str, subject: SearchStrategy[str], items: SearchStrategy[Any], witness: Witness) -> Kind:
    """`subject predicate (items)`."""

    def kind(draw: DrawFn) -> Written:
        x, xs, salt = draw(subject), draw(st.lists(items, min_size=1, max_size=3)), draw(salts)
        return listed(x, predicate, xs, salt), witness(x, xs, salt, draw(people))

    return kind


def _grouped(type_: str, predicates: tuple[str, ...], items: SearchStrategy[str], witness: Witness) -> Kind:
    """`[ rdf:type type_ ; predicate (items) ]` with different items."""

    def kind(draw: DrawFn) -> Written:
        predicate, xs = draw(st.sampled_from(predicates)), draw(st.lists(items, min_size=2, max_size=3, unique=True))
        subject = node((type_, predicate, *xs))
        triples = [(subject, v.TYPE, type_), *listed(subject, predicate, xs)]
        return triples, witness(xs[0], xs[-1], 0, draw(people))

    return kind


def _negative(target: str, property_: SearchStrategy[str], values: SearchStrategy[str]) -> Kind:
    def kind(draw: DrawFn) -> Written:
        x, p, y = draw(individuals), draw(property_), draw(values)
        subject = node(("not", x, p, y))
        parts = ((v.TYPE, v.NEGATIVE_ASSERTION), (v.SOURCE_INDIVIDUAL, x), (v.ASSERTION_PROPERTY, p), (target, y))
        return [(subject, predicate, object_) for predicate, object_ in parts], [(x, p, y)]

    return kind


def _comparable(draw: DrawFn) -> Written:
    """`A below r, s below B` for two restrictions that Table 9 compares: by their fillers or by their properties."""
    construct = draw(st.sampled_from(("someValuesFrom", "allValuesFrom", "hasValue")))
    fillers: SearchStrategy[str] = individuals if construct == "hasValue" else classes
    p, q, x, y = draw(properties), draw(properties), draw(fillers), draw(fillers)
    by_filler = construct != "hasValue" and draw(st.booleans())
    r, s = (construct, p, x), (construct, p, y) if by_filler else (construct, q, x)
    relation = (x, v.SUB_CLASS_OF, y) if by_filler else (p, v.SUB_PROPERTY_OF, q)
    triples = [relation, (A, v.SUB_CLASS_OF, node(r)), (node(s), v.SUB_CLASS_OF, B), *written(r), *written(s)]
    return triples, member(A, 0, draw(people))


def _datatype_range(draw: DrawFn) -> Written:
    """`p range d`, with a value that may be none of d."""
    p, datatype = draw(any_property), draw(datatypes)
    return [(p, v.RANGE, datatype)], [(draw(individuals), p, draw(literals))]


def _datatype_filler(draw: DrawFn) -> Written:
    """`A below r` or `r below A` for a restriction to a datatype."""
    construct = draw(st.sampled_from(("someValuesFrom", "allValuesFrom")))
    r, who = (construct, draw(any_property), draw(datatypes)), draw(individuals)
    ends = draw(st.permutations((node(r), A)))
    return [(ends[0], v.SUB_CLASS_OF, ends[1]), *written(r)], [(who, r[1], draw(literals)), (who, v.TYPE, ends[0])]


def _fixed(*choices: list[Triple]) -> Kind:
    return lambda draw: (draw(st.sampled_from(choices)), ())


def _broken_list(draw: DrawFn) -> Written:
    """A list that never ends in rdf:nil: open, cyclic, or with a node that has no item."""
    construct = draw(st.sampled_from(("intersectionOf", "unionOf", "oneOf", "propertyChainAxiom")))
    x, item, fault = draw(classes), draw(classes), draw(st.sampled_from(("open", "cyclic", "empty")))
    head, tail = node(("broken", construct, x, item, fault)), node(("tail", construct, x, item, fault))
    triples = [(x, f"<{v.OWL}{construct}>", head), (head, v.FIRST, item), (head, v.REST, tail)]
    if fault != "empty":
        triples.append((tail, v.FIRST, item))
    if fault != "open":
        triples.append((tail, v.REST, head if fault == "cyclic" else v.NIL))
    return triples, member(item, 0, draw(people))


def _nothing(*_: Any) -> Iterator[Triple]:
    return iter(())


def _left(x: Expression, y: Expression, salt: int, who: People) -> Iterator[Triple]:
    yield from member(x, salt, who)
    yield from exercise(y, salt, who)


def _right(_: Expression, y: Expression, salt: int, who: People) -> Iterator[Triple]:
    yield from member(y, salt, who)
    yield from exercise(y, salt, who)


def _both(x: Expression, y: Expression, salt: int, who: People) -> Iterator[Triple]:
    yield from member(x, salt, who)
    yield from member(y, salt, who)


def _linked(x: Expression, _: Any, __: int, who: People) -> Iterator[Triple]:
    yield from link(x, *who[:2])


def _both_linked(x: Expression, y: Expression, _: int, who: People) -> Iterator[Triple]:
    yield from link(x, *who[:2])
    yield from link(y, *who[:2])


def _domain(p: Expression, c: Expression, salt: int, who: People) -> Iterator[Triple]:
    yield from link(p, who[0], who[1])
    yield from exercise(c, salt, who)


def _range(p: Expression, c: Expression, salt: int, who: People) -> Iterator[Triple]:
    yield from link(p, who[1], who[0])
    yield from exercise(c, salt, who)


def _characteristic(p: str, type_: str, _: int, who: People) -> Iterator[Triple]:
    named = dict(zip("xyz", who, strict=True))
    for start, end in map(tuple, CHARACTERISTICS[type_]):
        yield named[start], p, named[end]


def _chain(_: str, steps: list[Expression], __: int, who: People) -> Iterator[Triple]:
    for step, start, end in zip(steps, who, (*who[1:], who[0]), strict=False):
        yield from link(step, start, end)


def _key(c: str, keys: list[str], _: int, who: People) -> Iterator[Triple]:
    for x in who[:2]:
        yield x, v.TYPE, c
        yield from ((x, key, who[2]) for key in keys)


def _parts(construct: str) -> Witness:
    return lambda _, items, salt, who: member((construct, *items), salt, who)


def _type(x: str, c: Expression, salt: int, who: People) -> Iterator[Triple]:
    return exercise(c, salt, (x, who[1], who[2]))


def _same(x: str, y: str, _: int, __: People) -> Iterator[Triple]:
    yield x, v.SAME_AS, y


_any_class, _any_expression = class_expressions(), property_expressions()
_bounds, _counted = st.integers(0, 1), st.one_of(classes, st.just(v.THING))
_cardinality: SearchStrategy[Expression] = st.one_of(
    st.tuples(st.just("maxCardinality"), properties, _bounds),
    st.tuples(st.just("maxQualifiedCardinality"), properties, _bounds, _counted),
)
_KIND, _SUB_LIKE = term("TransitiveKind"), term("subLike")

_PLAIN: dict[str, Kind] = {
    "subClassOf": _related(v.SUB_CLASS_OF, _any_class, _any_class, _left),
    "equivalentClass": _related(v.EQUIVALENT_CLASS, classes, _any_class, _right),
    "disjointWith": _related(v.DISJOINT_WITH, classes, _any_class, _both),
    "complementOf": _related(v.COMPLEMENT_OF, classes, classes, _both),
    "nothing": _related(v.SUB_CLASS_OF, classes, st.just(v.NOTHING), _left),
    "intersectionOf": _list_axiom(f"<{v.OWL}intersectionOf>", classes, classes, _parts("intersectionOf")),
    "unionOf": _list_axiom(f"<{v.OWL}unionOf>", classes, classes, _parts("unionOf")),
    "oneOf": _list_axiom(f"<{v.OWL}oneOf>", classes, individuals, _nothing),
    "subPropertyOf": _related(v.SUB_PROPERTY_OF, _any_expression, _any_expression, _linked),
    "equivalentProperty": _related(v.EQUIVALENT_PROPERTY, properties, properties, _linked),
    "propertyDisjointWith": _related(v.PROPERTY_DISJOINT_WITH, properties, properties, _both_linked),
    "inverseOf": _related(v.INVERSE_OF, properties, properties, _linked),
    "domain": _related(v.DOMAIN, any_property, _any_class, _domain),
    "range": _related(v.RANGE, any_property, _any_class, _range),
    **{
        type_.rpartition("#")[2].rstrip(">"): _related(v.TYPE, any_property, st.just(type_), _characteristic)
        for type_ in CHARACTERISTICS
    },
    "propertyChainAxiom": _list_axiom(v.PROPERTY_CHAIN, properties, _any_expression, _chain),
    "hasKey": _list_axiom(v.HAS_KEY, classes, any_property, _key),
    "sameAs": _related(v.SAME_AS, individuals, individuals, _nothing),
    "differentFrom": _related(v.DIFFERENT_FROM, individuals, individuals, _same),
    "AllDifferent": _grouped(v.ALL_DIFFERENT, (v.MEMBERS, v.DISTINCT_MEMBERS), individuals, _same),
    "AllDisjointClasses": _grouped(v.ALL_DISJOINT_CLASSES, (v.MEMBERS,), classes, _both),
    "AllDisjointProperties": _grouped(v.ALL_DISJOINT_PROPERTIES, (v.MEMBERS,), properties, _both_linked),
    "negativeAssertion": _negative(v.TARGET_INDIVIDUAL, properties, individuals),
    "negativeValue": _negative(v.TARGET_VALUE, st.just(VALUE), literals),
    "cardinality": _related(v.SUB_CLASS_OF, classes, _cardinality, _left),
    "comparableRestrictions": _comparable,
    "expressionType": _related(v.TYPE, individuals, _any_class, _type),
    "declaration": _fixed(
        *([(c, v.TYPE, v.CLASS)] for c in CLASSES),
        *([(p, v.TYPE, v.OBJECT_PROPERTY)] for p in PROPERTIES),
        [(VALUE, v.TYPE, v.DATATYPE_PROPERTY)],
    ),
    "datatypeRange": _datatype_range,
    "datatypeFiller": _datatype_filler,
    "brokenList": _broken_list,
}
_META: dict[str, Kind] = {
    "classAsIndividual": _related(v.TYPE, classes, classes, _nothing),
    "classAsValue": _related(P, individuals, classes, _nothing),
    "propertyAsIndividual": _related(v.TYPE, properties, classes, _nothing),
    "propertyAsValue": _related(P, properties, properties, _nothing),
    "sameClasses": _related(v.SAME_AS, classes, _any_class, _right),
    "sameProperties": _related(v.SAME_AS, properties, properties, _linked),
    "derivedCharacteristic": _fixed(*([(_KIND, v.SUB_CLASS_OF, v.TRANSITIVE), (p, v.TYPE, _KIND)] for p in PROPERTIES)),
    "derivedSubProperty": _fixed(
        *([(_SUB_LIKE, v.SUB_PROPERTY_OF, v.SUB_PROPERTY_OF), (p, _SUB_LIKE, q)] for p, q in ((P, Q), (Q, P)))
    ),
    "derivedSubClass": _fixed(*([(p, v.SUB_PROPERTY_OF, v.SUB_CLASS_OF), (A, p, B)] for p in PROPERTIES)),
}
META = frozenset(_META)
KINDS = frozenset(_PLAIN) | META


@st.composite
def axioms(draw: DrawFn, kinds: Collection[str] = KINDS) -> Axiom:
    """Axioms of these kinds."""
    kind = draw(st.sampled_from(sorted(kinds)))
    triples, witness = (_PLAIN | _META)[kind](draw)
    return Axiom(kind, frozenset(triples), frozenset(witness))
