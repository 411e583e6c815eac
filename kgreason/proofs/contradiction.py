"""`Contradiction`: a derivation of `false`, shown as a sentence that says what contradicts what.

    cax-dw: <http://e/x> is in <http://e/A> and in <http://e/B>, which are disjoint
            (axiom <http://e/A> <.../owl#disjointWith> <http://e/B>)                      on one line

`_CLASHES` has one sentence for each W3C rule that derives `false`, and the triple patterns that bind the variables of
the sentence. The body of a rule may have these patterns in any order and with other names of variables. So a rule that
was translated from an axiom gives the same sentence as the generic rule of the W3C tables. Triples of the body that the
sentence does not use are axioms. A contradiction by a rule of the user lists the facts of its body.

Law: two derivations with the same `Reading.key` are one mistake of the user. Cost: a match of at most five atoms for
each rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from kgreason.proofs.notation import NO_PREFIXES, Step, check_prefixes, fact_text, is_hidden, term_text
from kgreason.rules.lowering import lowered_body
from kgreason.rules.model import FALSE, Atom, Rule, Term, Triple, Variable, contradiction, triple
from kgreason.terms import vocabulary as v
from kgreason.terms.names import Names
from kgreason.terms.vocabulary import VOCABULARY

Binding = dict[str, Term]
Key = tuple[str, tuple[str, ...]]
Cause = tuple[str, tuple[Triple, ...], tuple[str, ...]]
_NONE: Binding = {}
_WORDS = {
    "a": v.RDF_TYPE,
    "same": v.OWL_SAME_AS,
    "different": v.OWL_DIFFERENT_FROM,
    "first": v.RDF_FIRST,
    "nothing": v.OWL_NOTHING,
}
_VOCABULARY = frozenset(VOCABULARY)
_MOST_AXIOMS = 4


class _Clash(NamedTuple):
    """The sentence (`text`) for contradictions by one W3C rule, and how its variables get their values.

    `readings` are lists of triple patterns. The first list that matches the body of the rule gives the values. `alike`
    are two variables whose values may change places, such as `c` and `d` in "{x} is in {c} and in {d}, which are
    complements".
    """

    text: str
    readings: tuple[tuple[Atom, ...], ...]
    alike: tuple[str, ...] = ()


def _clash(text: str, *readings: str, alike: str = "") -> _Clash:
    return _Clash(text, tuple(tuple(map(_pattern, each.split(", "))) for each in readings), tuple(alike.split()))


def _pattern(text: str) -> Atom:
    subject, predicate, object_ = (
        Variable(word[1:]) if word.startswith("?") else _WORDS[word] for word in text.split()
    )
    return triple(subject, predicate, object_)


_LISTED = _clash(
    "{y} and {z} are the same individual (owl:sameAs), but are listed as different ones (owl:AllDifferent)",
    "?k first ?y, ?m first ?z, ?y same ?z",
    "?y same ?z",
    alike="y z",
)
_DENIED = _clash("{x} has the value {y} of {p}, which a negative property assertion denies", "?x ?p ?y")
_DISJOINT_CLASSES = _clash("{x} is in {c} and in {d}, which are disjoint classes", "?x a ?c, ?x a ?d", alike="c d")
_DISJOINT_PROPERTIES = _clash(
    "{x} has the value {y} of {p} and of {q}, which are disjoint properties", "?x ?p ?y, ?x ?q ?y", alike="p q"
)
_NO_VALUE = "{v} is not a value of the datatype {d}, but must be one"
_NO_VALUE_OF = "{s} has the value {v} of {p}, which must be in the datatype {d} but is not"
_TWO_VALUES = "{x} has the values {y} and {z} of {p}, "

_CLASHES: dict[str, _Clash] = {
    "eq-diff1": _clash(
        "{x} and {y} are the same (owl:sameAs) and different (owl:differentFrom)",
        "?x different ?y, ?x same ?y",
        "?x different ?y",
        alike="x y",
    ),
    "eq-diff2": _LISTED,
    "eq-diff3": _LISTED,
    "prp-fp": _clash(
        _TWO_VALUES + "which is a functional property: it has one value at most", "?x ?p ?y, ?x ?p ?z", alike="y z"
    ),
    "prp-ifp": _clash(
        "{x} and {y} have the value {z} of {p}, which is an inverse functional property: a value has one subject",
        "?x ?p ?z, ?y ?p ?z",
        alike="x y",
    ),
    "prp-key": _clash(
        "{x} and {y} are in {c} and have the same values of its key (owl:hasKey): they must be one individual",
        "?x a ?c, ?y a ?c",
        alike="x y",
    ),
    "prp-irp": _clash("{x} is related to itself by {p}, which is an irreflexive property", "?x ?p ?x"),
    "prp-asyp": _clash(
        "{x} and {y} are related both ways by {p}, which is an asymmetric property", "?x ?p ?y, ?y ?p ?x", alike="x y"
    ),
    "prp-pdw": _DISJOINT_PROPERTIES,
    "prp-adp": _DISJOINT_PROPERTIES,
    "prp-npa1": _DENIED,
    "prp-npa2": _DENIED,
    "cls-nothing2": _clash("{x} is in owl:Nothing, which is the empty class", "?x a nothing"),
    "cls-com": _clash("{x} is in {c} and in {d}, which are complements", "?x a ?c, ?x a ?d", alike="c d"),
    "cls-maxc1": _clash("{u} has the value {y} of {p}, but is in {x}, which allows no value", "?u a ?x, ?u ?p ?y"),
    "cls-maxc2": _clash(
        _TWO_VALUES + "but is in {c}, which allows one value", "?x a ?c, ?x ?p ?y, ?x ?p ?z", alike="y z"
    ),
    "cls-maxqc1": _clash(
        "{u} has the value {y} of {p}, which is in {c}; but {u} is in {x}, which allows no value of that class",
        "?u a ?x, ?u ?p ?y, ?y a ?c",
    ),
    "cls-maxqc2": _clash("{u} has the value {y} of {p}, but is in {x}, which allows no value", "?u a ?x, ?u ?p ?y"),
    "cls-maxqc3": _clash(
        _TWO_VALUES + "both in {d}; but {x} is in {c}, which allows one value of that class",
        "?x a ?c, ?x ?p ?y, ?y a ?d, ?x ?p ?z, ?z a ?d",
        alike="y z",
    ),
    "cls-maxqc4": _clash(
        _TWO_VALUES + "but is in {c}, which allows one value", "?x a ?c, ?x ?p ?y, ?x ?p ?z", alike="y z"
    ),
    "cax-dw": _DISJOINT_CLASSES,
    "cax-adc": _DISJOINT_CLASSES,
    "dt-not-type": _clash(_NO_VALUE, "?v a ?d", "?v a ?d, ?s ?p ?v"),
    "dt-not-type-equal": _clash(_NO_VALUE, "?x a ?d, ?x same ?v", "?x a ?d, ?x same ?v, ?s ?p ?v"),
    "dt-not-type-ill": _clash(
        "{s} has the value {v} of {p}, which is ill-typed: its text is not a value of its datatype", "?s ?p ?v"
    ),
    "union-refuted": _clash("{x} is in {c}, which is a union of classes, but in none of these classes", "?x a ?c"),
    "some-refuted": _clash(
        "{x} has a value in a class ({c}), but all its values are outside this class ({e})",
        "?x a ?c, ?x a ?e",
        alike="c e",
    ),
}
_OF_TWO = (_CLASHES["eq-diff1"], _LISTED)
_ITSELF = "{x} is different from itself (owl:differentFrom)"
_FAMILIES = {"eq-diff1-self": "eq-diff1", "dt-not-type-equal": "dt-not-type", "eq-diff3": "eq-diff2"}
"""Rule -> another rule. If both derive `false` for the same values, they report one mistake."""


class Contradiction(NamedTuple):
    """A derivation of `false`: the name of the rule, and what it was derived from.

    - `terms`: the values of the rule's variables, then its constants, both in the order of its body. Terms of the
      vocabulary, such as rdf:type, are left out.
    - `facts`: the facts that cannot all hold.
    - `axioms`: the triples of the ontology by which these facts cannot all hold.

    `str` gives one line, and `to_text` gives the same line with abbreviated IRIs.
    """

    rule: str
    terms: tuple[str, ...]
    facts: tuple[Atom, ...] = ()
    axioms: tuple[Triple, ...] = ()

    @property
    def message(self) -> str:
        """A sentence that says which facts contradict each other, without the rule and the axioms."""
        return self.sentence(NO_PREFIXES)

    def to_text(self, prefixes: Mapping[str, str] | None = None) -> str:
        """Return the contradiction in one line: the rule, the message and the axioms.

        `prefixes` (prefix -> namespace) abbreviate IRIs.
        """
        known = check_prefixes(prefixes)
        told = [axiom for axiom in self.axioms if not (isinstance(known, Names) and known.is_inside(axiom))]
        shown = [fact_text(triple(*axiom), known) for axiom in told[:_MOST_AXIOMS]]
        more = [f"{len(told) - len(shown)} more"] if len(told) > len(shown) else []
        name = "axiom" if len(told) == 1 else "axioms"
        axioms = f" ({name} {'; '.join(shown + more)})" if shown else ""
        return f"{self.rule}: {self.sentence(known)}{axioms}"

    def __str__(self) -> str:
        return self.to_text()

    def renamed(self, rename: Callable[[str], str]) -> Contradiction:
        """Return the contradiction with `rename(term)` in place of each term, also in `facts` and `axioms`."""
        facts = tuple(Atom(fact.relation, tuple(rename(str(term)) for term in fact.terms)) for fact in self.facts)
        axioms = tuple((rename(s), rename(p), rename(o)) for s, p, o in self.axioms)
        return Contradiction(self.rule, tuple(map(rename, self.terms)), facts, axioms)

    @property
    def cause(self) -> Cause:
        """What contradictions with one cause have in common: the rule, the axioms, and what their facts are about.

        Of a fact this is the class if it says the type of something, else its property or relation. Many things may be
        in a wrong class because of one axiom: their contradictions have one cause.
        """
        about = (str(fact.relation or fact.terms[2 if fact.terms[1] == v.RDF_TYPE else 1]) for fact in self.facts)
        return self.rule, self.axioms, tuple(about)

    @property
    def literal(self) -> str | None:
        """If the contradiction is that a literal is not a value of a datatype: this literal, otherwise None.

        It is also None if `facts` has a triple with the literal as its object.
        """
        clash = _clash_of(self.rule)
        if clash is None or clash.text != _NO_VALUE:
            return None
        _, binding = _match(clash, self.facts) or ((), {})
        return str(binding["v"]) if "v" in binding and "s" not in binding else None

    @property
    def is_respelled(self) -> bool:
        """Whether `facts` may have representatives in place of asserted terms; see `with_asserted_terms`.

        This concerns equal terms that were asserted to be different. It is True if `facts` mention cells of lists, or
        have one representative in place of both terms.
        """
        clash = _clash_of(self.rule)
        if clash is None or clash not in _OF_TWO:
            return False
        _, binding = _match(clash, self.facts) or ((), {})
        return "k" in binding or len({binding.get(name) for name in clash.alike}) == 1

    @property
    def pair(self) -> tuple[str, frozenset[str]] | None:
        """For a contradiction about two members of an owl:AllDifferent: a key that is equal for the same two members.

        It is None for all other contradictions.
        """
        clash = _clash_of(self.rule)
        if clash is not _LISTED:
            return None
        _, binding = _match(clash, self.facts) or ((), {})
        return _LISTED.text, frozenset(str(binding.get(name)) for name in clash.alike)

    def sentence(self, prefixes: Mapping[str, str]) -> str:
        """Return the message, with IRIs abbreviated by `prefixes` (prefix -> namespace)."""
        clash = _clash_of(self.rule)
        found = _match(clash, self.facts) if clash else None
        if clash is None or found is None:
            facts = ", ".join(fact_text(fact, prefixes) for fact in self.facts) or "nothing"
            return f"this cannot hold: {facts}"
        _, binding = found
        return _sentence(clash, binding).format_map(
            {name: term_text(value, prefixes) for name, value in binding.items()}
        )


def by_cause(found: Iterable[Contradiction]) -> dict[Cause, list[Contradiction]]:
    """Return the contradictions `found` by their causes (`Contradiction.cause`), both in the order of `found`.

    >>> facts = [(Atom(None, ("<http://e/x>", v.RDF_TYPE, v.OWL_NOTHING)),) for _ in range(3)]
    >>> [len(each) for each in by_cause(Contradiction("cls-nothing2", (), fact) for fact in facts).values()]
    [3]
    """
    causes: dict[Cause, list[Contradiction]] = {}
    for each in found:
        causes.setdefault(each.cause, []).append(each)
    return causes


def conclusion_text(proof: Step, prefixes: Mapping[str, str]) -> str:
    """Return the proved fact as text. If it is `false`, return the sentence of the contradiction."""
    if proof.rule is None or proof.rule.heads != (FALSE,):
        return fact_text(proof.fact, prefixes)
    return f"contradiction: {reading(proof.rule).contradiction([*map(str, proof.fact.terms[1:])]).sentence(prefixes)}"


class Reading(NamedTuple):
    """How to turn a derivation by `rule`, which derives `false`, into a `Contradiction`.

    - `terms`: the variables of the rule, then its constants.
    - `facts`: the atoms of the body that the sentence mentions. `axioms`: its other triple patterns.
    - `named`: pairs of a variable of the sentence and the term that the rule has for it.
    """

    rule: Rule
    terms: tuple[Term, ...]
    facts: tuple[Atom, ...]
    axioms: tuple[Atom, ...]
    named: tuple[tuple[str, Term], ...]

    @property
    def constants(self) -> tuple[str, ...]:
        """The constants of the rule, which are the last ones of `terms`."""
        return tuple(str(term) for term in self.terms if not isinstance(term, Variable))

    def contradiction(self, values: Sequence[str]) -> Contradiction:
        """Return the contradiction for one derivation. `values` are the values of `terms`."""
        known = dict(zip(self.terms, values, strict=True))
        axioms = self.rule.sources or tuple(_triple(_with_values(atom, known)) for atom in self.axioms)
        return Contradiction(
            self.rule.name, tuple(values), tuple(_with_values(atom, known) for atom in self.facts), axioms
        )

    def named_values(self, values: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Yield each variable of the sentence with its value in one derivation. `values` are the values of `terms`."""
        known = dict(zip(self.terms, values, strict=True))
        return ((name, str(known.get(term, term))) for name, term in self.named)

    @property
    def alike(self) -> tuple[str, ...]:
        """The two variables of the sentence whose values may change places; empty if there are none."""
        clash = _clash_of(self.rule.name)
        return clash.alike if clash else ()

    def key(self, values: Sequence[str], written: Sequence[str]) -> Key:
        """Return the key of a derivation. Derivations with the same key are one mistake of the user.

        `values` are the values of `terms`, with representatives in place of equal terms. `written` are the same values
        as asserted triples have them.
        """
        clash = _clash_of(self.rule.name)
        if clash is None or not self.named:
            return self.rule.name, tuple(values)
        if clash is _LISTED:  # identify members by list cells, or by their asserted terms
            known = dict(self.named_values(values))
            places = [known["k"], known["m"]] if "k" in known else sorted(dict(self.named_values(written)).values())
            return _FAMILIES.get(self.rule.name, self.rule.name), tuple(places)
        found = {name: value for name, value in self.named_values(values) if f"{{{name}}}" in clash.text}
        alike = sorted(found.pop(name) for name in clash.alike)
        return _FAMILIES.get(self.rule.name, self.rule.name), (*alike, *(found[name] for name in sorted(found)))


def reading(rule: Rule) -> Reading:
    """Return how derivations by a rule with the head `false` become contradictions."""
    _, *terms = contradiction(rule).terms
    clash = _clash_of(rule.name)
    found = _first_reading(clash, rule.body) if clash else None
    if found is None:
        shown = tuple(atom for atom in lowered_body(rule) if not is_hidden(atom))
        return Reading(rule, tuple(terms), shown, (), ())
    binding, facts = found
    axioms = tuple(atom for atom in rule.body if atom.relation is None and atom not in facts)
    return Reading(rule, tuple(terms), facts, axioms, tuple(binding.items()))


def with_asserted_terms(found: Contradiction, look_up: Callable[[Triple], Triple]) -> Contradiction:
    """Return the contradiction `found` with asserted terms in its facts.

    If one representative stands for two equal terms in `found`, the two terms take its place. `look_up` takes a triple
    over representatives, and returns an asserted triple that it stands for.
    """
    clash = _clash_of(found.rule)
    read = _match(clash, found.facts) if clash else None
    if read is None:
        return found
    patterns, names = read
    asserted: Binding = {}
    for pattern, fact in zip(patterns, found.facts, strict=True):
        if fact.terms[1] in (v.OWL_DIFFERENT_FROM, v.RDF_FIRST):
            asserted = _unify(pattern, triple(*look_up(_triple(fact))), asserted) or asserted
    known: dict[Term, str] = {Variable(name): str(value) for name, value in (names | asserted).items()}
    return found._replace(facts=tuple(_with_values(pattern, known) for pattern in patterns))


def _clash_of(name: str) -> _Clash | None:
    """Return the sentence for the rule `name`, or None. The rule `prp-fp-literals` has the sentence of `prp-fp`."""
    while name not in _CLASHES:
        name, mark, _ = name.rpartition("-")
        if not mark:
            return None
    return _CLASHES[name]


def _first_reading(clash: _Clash, body: Iterable[Atom]) -> tuple[Binding, tuple[Atom, ...]] | None:
    """Match the readings of the sentence `clash` with the body of a rule.

    Returns the values of the sentence's variables and the matched atoms, for the first reading that matches; None if
    none does. Atoms with a predicate of the vocabulary, such as rdfs:subClassOf, are taken for axioms: the readings are
    first matched with the other atoms, and with all atoms only if this fails.
    """
    atoms = [atom for atom in body if atom.relation is None]
    plain = [atom for atom in atoms if atom.terms[1] not in _VOCABULARY or atom.terms[1] in _WORDS.values()]
    found = (match for given in (plain, atoms) for reading in clash.readings for match in _matches(reading, given))
    return next(found, None)


def _sentence(clash: _Clash, binding: Binding) -> str:
    if clash is _CLASHES["eq-diff1"] and len({*binding.values()}) == 1:
        return _ITSELF
    return _NO_VALUE_OF if clash.text == _NO_VALUE and "s" in binding else clash.text


def _match(clash: _Clash, facts: Sequence[Atom]) -> tuple[tuple[Atom, ...], Binding] | None:
    """Match the readings of the sentence `clash` with `facts`, pattern by pattern."""
    for patterns in clash.readings:
        binding: Binding | None = {} if len(patterns) == len(facts) else None
        for pattern, fact in zip(patterns, facts, strict=False):
            binding = None if binding is None else _unify(pattern, fact, binding)
        if binding is not None:
            return patterns, binding
    return None


def _matches(
    patterns: Sequence[Atom], atoms: list[Atom], binding: Binding = _NONE, found: tuple[Atom, ...] = ()
) -> Iterator[tuple[Binding, tuple[Atom, ...]]]:
    """Yield each way to match all patterns with different atoms: values of the variables, and an atom for each pattern.

    `binding` has the values that variables have already; `found` has the atoms of the patterns matched before.
    """
    if not patterns:
        yield binding, found
        return
    for place, atom in enumerate(atoms):
        if (more := _unify(patterns[0], atom, binding)) is not None:
            yield from _matches(patterns[1:], atoms[:place] + atoms[place + 1 :], more, (*found, atom))


def _unify(pattern: Atom, atom: Atom, binding: Binding) -> Binding | None:
    known = dict(binding)
    for wanted, term in zip(pattern.terms, atom.terms, strict=True):
        if (known.setdefault(wanted.name, term) if isinstance(wanted, Variable) else wanted) != term:
            return None
    return known


def _with_values(atom: Atom, known: Mapping[Term, str]) -> Atom:
    return Atom(atom.relation, tuple([known.get(term, term) for term in atom.terms]))


def _triple(atom: Atom) -> Triple:
    subject, predicate, object_ = map(str, atom.terms)
    return subject, predicate, object_
