"""Decide whether one graph entails another.

    materialize the premises in memory -> assume the definitions of the conclusion -> try to show each of its parts

Sound: if `entails` returns True, the conclusion is entailed under the semantics of the rules. Not complete: `entails`
finds what the rules can derive, also by refutation (see `claims` and `classes`). So if `entails` returns False, the
conclusion may still be entailed. Contradictory premises entail everything.

Cost: the closure of the premises, then a few small commits for each axiom or class expression of the conclusion.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from os import PathLike
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from kgreason.errors import InputTypeError
from kgreason.options import check_choice
from kgreason.resources import resource

if TYPE_CHECKING:
    from kgreason.entailment.world import Closure
    from kgreason.graph.opening.options import Documents
    from kgreason.proofs.contradiction import Contradiction
    from kgreason.rules.model import Constant, Triple

File: TypeAlias = str | PathLike[str]
Semantics: TypeAlias = Literal["direct", "rdf-based"]
ENTAILMENT_RULES = ("owl2rl+thing+scm-reflexive+annotation",)
"""OWL 2 RL with groups of rules that are noise in a graph but useful in a proof: reflexive schema triples, owl:Thing as
a class, annotation properties."""
CHECK_RULES = ("owl2rl",)


def entails(
    premises: File | Iterable[File],
    conclusion: File | Iterable[File],
    *,
    rules: str | Sequence[str] = ENTAILMENT_RULES,
    semantics: Semantics = "direct",
    catalogue: Documents | None = None,
    datatypes: Iterable[Constant] | None = None,
) -> bool:
    """Whether the premises entail the conclusion. Premises and conclusion are each one RDF file or several.

    Blank nodes of the conclusion are variables. If `rules` has owl2rl, the axioms and class expressions of the
    conclusion are proved by assumptions; a statement is also proved if its negation leads to a contradiction. Without
    owl2rl, the triples of the conclusion must be in the closure. `rules="rdfs"` is all of RDFS entailment (RDF 1.1
    Semantics, section 9), with axiomatic triples and the types of literals.

    `semantics="direct"` ignores declarations, ontology headers and annotations of the conclusion; with "rdf-based" they
    must be entailed, too. In both, keys hold for unnamed individuals as well, unlike in OWL 2 Direct Semantics.

    `catalogue` has the documents that the premises import, as for `KnowledgeGraph.open`; without it, imports are not
    read. Literals are compared by value if their datatype is one of `datatypes`, IRIs in N-Triples syntax; None stands
    for all supported datatypes.

    Raises InputError, RdfSyntaxError, RuleError.
    """
    parts = unproved_parts(
        premises, conclusion, rules=rules, semantics=semantics, catalogue=catalogue, datatypes=datatypes
    )
    return next(parts, None) is None


def unproved_parts(
    premises: File | Iterable[File],
    conclusion: File | Iterable[File],
    *,
    rules: str | Sequence[str] = ENTAILMENT_RULES,
    semantics: Semantics = "direct",
    catalogue: Documents | None = None,
    datatypes: Iterable[Constant] | None = None,
) -> Iterator[tuple[Triple, ...]]:
    """For each part of a conclusion that could not be proved, yield the triples of this part.

    Arguments as for `entails`.
    """
    check_choice("semantics", semantics, Semantics)
    known = _Premises(premises, rules, catalogue, datatypes)
    yield from known.unproved_parts(conclusion, semantics)


class Judgement(NamedTuple):
    """The answer of `judge`.

    `unproved_parts` has one entry for each part of the conclusion that could not be proved: all triples of this part.
    `is_contradictory` says whether the premises contradict themselves. Such premises entail everything.
    """

    unproved_parts: list[tuple[Triple, ...]]
    is_contradictory: bool


def judge(
    premises: File | Iterable[File],
    conclusion: File | Iterable[File],
    *,
    rules: str | Sequence[str] = ENTAILMENT_RULES,
    semantics: Semantics = "direct",
    catalogue: Documents | None = None,
) -> Judgement:
    """Decide whether premises entail a conclusion, and whether the premises contradict themselves.

    Arguments as for `entails`.
    """
    check_choice("semantics", semantics, Semantics)
    known = _Premises(premises, rules, catalogue, None)
    is_contradictory = known.closure.is_absurd
    return Judgement(list(known.unproved_parts(conclusion, semantics)), is_contradictory)


class _Premises:
    """The materialized premises, and the rules. The arguments are those of `entails`."""

    def __init__(
        self,
        premises: File | Iterable[File],
        rules: str | Sequence[str],
        catalogue: Documents | None,
        datatypes: Iterable[Constant] | None,
    ) -> None:
        from kgreason.datatypes.datatype_map import DATATYPES
        from kgreason.entailment import containers
        from kgreason.entailment.world import Closure

        self.rules = containers.complete_names([rules] if isinstance(rules, str) else rules)
        self.is_owl = any(name.split("+")[0] == "owl2rl" for name in self.rules)
        recognized = DATATYPES if datatypes is None else datatypes
        refutation = [str(resource("rulesets", "refutation.dl"))] if self.is_owl else []
        self.closure = Closure([*self.rules, *refutation], catalogue, recognized)
        self.closure.load(_files(premises))

    def unproved_parts(self, conclusion: File | Iterable[File], semantics: Semantics) -> Iterator[tuple[Triple, ...]]:
        """For each part of a conclusion that could not be proved, yield the triples of this part.

        Call this method only once: it adds triples about the terms of the conclusion to the closure for good.
        """
        from kgreason.entailment.conclusion import PremiseTerms, conclusion_of
        from kgreason.entailment.goals import prove

        closure = self.closure
        triples = closure.read(_files(conclusion))
        _assume_vocabulary(closure, triples, self.rules, self.is_owl)
        literally = conclusion_of(triples, "triples", PremiseTerms())
        if all(prove(part.goal, closure) for part in literally.parts):
            return
        impossible = closure.ill_typed(triples)  # never assumed: everything would follow
        yield from ((each,) for each in impossible)
        triples = [each for each in triples if each not in impossible]
        known = PremiseTerms(closure.enumerations(), closure.annotations(triples))
        wanted = conclusion_of(triples, semantics if self.is_owl else "triples", known)
        with closure.suppose(wanted.definitions):
            for part in wanted.parts:
                if not prove(part.goal, closure):
                    yield part.triples


def _assume_vocabulary(closure: Closure, conclusion: Sequence[Triple], rules: Sequence[str], is_owl: bool) -> None:
    """Add triples that hold in every graph to the premises: about the values of literals, datatypes and rdf:_n.

    `closure` has the premises. Only terms that occur in them or in `conclusion` get such triples. `rules`: the names of
    the rule sets. `is_owl`: whether datatypes are classes.
    """
    from kgreason.entailment import containers

    is_rdfs = any(map(containers.is_rdfs, rules))
    terms = {*closure.terms(), *chain.from_iterable(conclusion), *(closure.datatypes() if is_rdfs else ())}
    closure.assume_values(terms, are_classes=is_owl)
    if is_rdfs:
        closure.assume([*containers.axiomatic_triples(terms, conclusion, closure.recognized_datatypes(terms))])


def check(
    paths: File | Iterable[File], *, rules: str | Sequence[str] = CHECK_RULES, catalogue: Documents | None = None
) -> list[Contradiction]:
    """Find every contradiction in one or several RDF files, together with the documents that these files import.

    Raises InputError, RdfSyntaxError, RuleError.
    """
    from kgreason.graph.knowledge_graph import KnowledgeGraph

    with KnowledgeGraph.open(rules=rules, catalogue=catalogue) as graph:
        graph.load(*_files(paths))
        return graph.contradictions()


def _files(files: File | Iterable[File]) -> list[File]:
    if isinstance(files, str | PathLike):
        return [files]
    if not isinstance(files, Iterable):
        raise InputTypeError(f"pass the path of an RDF file, or several; got {files!r} ({type(files).__name__})")
    return list(files)
