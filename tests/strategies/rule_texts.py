"""Random programs with everything that rule text can say: every kind of constant, odd characters, names and groups.

Unlike those of `programs`, these rules are made to be written and read, not to be evaluated.
"""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from kgreason.rules.model import FALSE, Atom, Computed, Constant, Not, Rule, Term, Variable
from kgreason.rules.program import Program
from kgreason.terms.quoting import quote

XSD = "http://www.w3.org/2001/XMLSchema#"
NAMESPACES = ("http://example.org/", "http://example.org/deep#", XSD, "urn:x:")

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
_local = st.text(st.characters(categories=["L", "N"]) | st.sampled_from("-_.~!$&'()*+,;=:@/?"), max_size=6)
_words = st.from_regex(r"[a-zA-Z][a-zA-Z0-9_]{0,3}", fullmatch=True) | st.sampled_from(
    ["été", "名前", "a", "true", "x1"]
)

iris = st.builds(lambda start, rest: f"<{start}{rest}>", st.sampled_from(NAMESPACES), _words | _local)
blanks = st.from_regex(r"_:[a-z0-9_]([a-z.-]{0,2}[a-z0-9_])?", fullmatch=True)
_languages = st.sampled_from(["@en", "@de-ch", "@ar--rtl", "@zh-hant-tw"])
_numbers = st.from_regex(r"[+-]?[0-9]{0,2}(\.[0-9]{1,2})?([eE][+-]?[0-9])?|true|false|1\.|x", fullmatch=True)
_number_types = st.sampled_from([f"<{XSD}{name}>" for name in ("integer", "decimal", "double", "boolean", "byte")])
literals: SearchStrategy[Constant] = st.one_of(
    texts.map(quote),
    st.builds(lambda text, language: quote(text) + language, texts, _languages),
    st.builds(lambda text, datatype: f"{quote(text)}^^{datatype}", _numbers, _number_types),
    st.builds(
        lambda text, datatype: f"{quote(text)}^^{datatype}", texts, iris.filter(lambda iri: iri != f"<{XSD}string>")
    ),
)
constants: SearchStrategy[Constant] = st.recursive(
    iris | blanks | literals,
    lambda inner: st.builds(lambda s, p, o: f"<<( {s} {p} {o} )>>", iris | blanks, iris, inner),
    max_leaves=3,
)
variables = (_words | st.just("0")).map(Variable)
_RDF_TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"


def atoms(terms: SearchStrategy[Term]) -> SearchStrategy[Atom]:
    """Triple patterns, generalised ones too, and atoms of any arity."""
    relations = _words | st.sampled_from(["prefix", "rule", "falsehood"])
    return st.one_of(
        st.builds(lambda s, p, o: Atom(None, (s, p, o)), terms, terms | st.just(_RDF_TYPE), terms),
        st.builds(lambda relation, drawn: Atom(relation, tuple(drawn)), relations, st.lists(terms, max_size=4)),
    )


@st.composite
def rules(draw: DrawFn) -> Rule:
    """Any safe rule, with or without a name and a group."""
    body = draw(st.lists(atoms(constants | variables | variables), max_size=4))
    bound = sorted({variable for atom in body for variable in atom.variables()})
    terms = constants | st.sampled_from(bound) if bound else constants
    heads = draw(st.just([FALSE]) | st.lists(atoms(terms), min_size=1, max_size=3))
    name = draw(st.sampled_from(["", "prp-dom", "rule-2"]) | texts)
    group = draw(st.sampled_from(["", "rdfs", "scm-reflexive"]) | texts)
    return Rule(tuple(heads), tuple(body), name, group, negated=tuple(draw(st.lists(negated(terms), max_size=2))))


@st.composite
def negated(draw: DrawFn, terms: SearchStrategy[Term]) -> Not:
    """`NOT atom`, `NOT EXISTS ?local IN (atoms, filters)`, or `NOT EXISTS (atoms, filters)`."""
    if draw(st.booleans()):
        return Not((draw(atoms(terms)),))
    local = Variable("local")
    tested = draw(st.lists(terms.filter(_is_plain), max_size=2))
    filters = tuple(Computed(("ISBLANK", "(", each, ")")) for each in tested)
    if filters and draw(st.sampled_from([True, False])):
        return Not(tuple(draw(st.lists(atoms(terms), max_size=2))), (), filters)
    found = draw(st.lists(atoms(terms | st.just(local)), max_size=2))
    return Not((*found, Atom("near", (local, draw(terms)))), (local,), filters)


def _is_plain(term: Term) -> bool:
    """Whether a term can stand in an expression: a variable, an IRI or a literal."""
    return isinstance(term, Variable) or term.startswith(("<http", '"'))


def programs() -> SearchStrategy[Program]:
    """Programs of such rules, with prefixes for some of their namespaces."""
    prefixes = st.dictionaries(_words | st.just("") | st.just("a-b"), st.sampled_from(NAMESPACES), max_size=3)
    return st.builds(lambda drawn, known: Program(tuple(drawn), known), st.lists(rules(), max_size=4), prefixes)
