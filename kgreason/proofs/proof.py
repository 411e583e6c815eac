"""`Proof`: a fact, the rule that derived it, and the proofs of that rule's body; an asserted fact needs no proof.

If two steps of a proof use one fact, both share its subproof. So a proof is an acyclic graph with the proved fact at
its top. A proof may have as many levels as the graph has facts, so no function here calls itself. `steps` lists the
subproofs, each once; the proofs of premises come before the proof that uses them.

Two proofs are equal only if they are the same object.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from kgreason.interrupts import let_out
from kgreason.proofs.notation import NO_PREFIXES, check_prefixes, conditions, fact_text
from kgreason.rules.formatter import format_not, format_rule
from kgreason.rules.lowering import is_absence, is_aggregate_value, is_expression_result
from kgreason.rules.model import Atom, Rule, Triple
from kgreason.rules.parser import negation_of

if TYPE_CHECKING:
    from kgreason.terms.names import Names


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Proof:
    """A fact that is asserted (`rule` is None), or that a rule derives from the facts that `premises` prove.

    `rule` is also None for a hidden fact that states an absence, or the result of an expression or an aggregate. If
    it states the value of a MIN, MAX or SAMPLE, `premises` prove the facts from which this value was taken.

    `described` has triples of the graph that say what the blank nodes of the proof stand for: restrictions, lists.
    `str` gives the proof as text.
    """

    fact: Atom
    rule: Rule | None = None
    premises: tuple[Proof, ...] = ()
    described: tuple[Triple, ...] = ()

    @property
    def is_asserted(self) -> bool:
        """Whether no rule derives the fact: it is asserted, or is a hidden fact with an absence or a result."""
        return self.rule is None

    def __repr__(self) -> str:
        known = self._origin_text()
        count = len(self.steps())
        return f"<Proof of {fact_text(self.fact, {})}: {known}, {count} step{'s' if count > 1 else ''}>"

    def __str__(self) -> str:
        return self.to_text()

    def _origin_text(self) -> str:
        """Return how the fact is known: "by RULE", "absent", "computed" or "asserted"."""
        if self.rule is not None:
            return f"by {self.rule.name}"
        if is_absence(self.fact):
            return "absent"
        return "computed" if is_expression_result(self.fact) or is_aggregate_value(self.fact) else "asserted"

    def _repr_markdown_(self) -> str:
        return f"```mermaid\n{self.to_mermaid()}```\n"

    def steps(self) -> list[Proof]:
        """List this proof and all proofs in it, each once. Proofs of premises come first, so this proof is the last."""
        done: dict[Proof, None] = {}
        waiting = [self]
        while waiting:
            proof = waiting[-1]
            missing = [premise for premise in proof.premises if premise not in done]
            if missing:
                waiting += reversed(missing)
            else:
                done[waiting.pop()] = None
        return list(done)

    def uses(self, fact: Atom) -> bool:
        """Whether this proof uses `fact`: whether it contains a proof of `fact` below its top."""
        return any(step.fact == fact for step in self.steps()[:-1])

    def with_described(self, triples: Iterable[Triple]) -> Proof:
        """Return the proof with these triples as `described`."""
        return replace(self, described=tuple(triples))

    def to_text(
        self,
        prefixes: Mapping[str, str] | None = None,
        *,
        labels: Mapping[str, str] | None = None,
        full: bool = False,
    ) -> str:
        """Return the proof as indented text, with `prefixes` (prefix -> namespace) to abbreviate IRIs; see `text`.

        `labels` maps IRIs, as N-Triples text, to labels that stand in their place (`graph.labels` finds them). Blank
        nodes are written as class expressions in Manchester syntax, and steps that only take lists and expressions
        apart are left out. With `full` the text has all steps, and blank nodes have their labels.
        """
        from kgreason.proofs.text import to_text

        return to_text(*self._proof_to_show(prefixes, labels, full))

    def to_mermaid(
        self,
        prefixes: Mapping[str, str] | None = None,
        *,
        labels: Mapping[str, str] | None = None,
        full: bool = False,
    ) -> str:
        """Return the proof as a Mermaid flowchart; see `mermaid`. The arguments are those of `to_text`."""
        from kgreason.proofs.mermaid import to_mermaid

        return to_mermaid(*self._proof_to_show(prefixes, labels, full))

    def _proof_to_show(
        self, prefixes: Mapping[str, str] | None, labels: Mapping[str, str] | None, full: bool
    ) -> tuple[Proof, Mapping[str, str]]:
        """Return the proof to show, and the names of its terms."""
        from kgreason.proofs.words.naming import names

        if full:
            return self, names(check_prefixes(prefixes), labels=labels)
        shown = self.folded()
        return shown, shown.names(prefixes, labels)

    def names(self, prefixes: Mapping[str, str] | None = None, labels: Mapping[str, str] | None = None) -> Names:
        """Return the names of the terms of the proof, as `to_text` writes them; they may stand where prefixes do."""
        from kgreason.proofs.words.folding import source_triples
        from kgreason.proofs.words.naming import names

        return names(check_prefixes(prefixes), source_triples(self), labels)

    def folded(self) -> Proof:
        """Return the proof without the steps that only take lists and expressions apart, as `to_text` shows it."""
        from kgreason.proofs.words.folding import fold

        return fold(self)

    def to_json(self) -> dict[str, Any]:
        """Return the proof for `json.dumps`, as a flat list of steps.

        A step names its premises by their indexes in this list, and "fact" is the index of the proved fact:

        {"fact": 2, "steps": [{"fact": {"relation": None, "terms": [s, p, o]}, "asserted": True}, ..., {"fact": ...,
        "asserted": False, "rule": {"name", "group", "text", "conditions": [...], "sources": [[s, p, o], ...]},
        "premises": [0, 1]}]}. Terms are N-Triples text; `conditions` are the rule's conditions on literals, in words.
        "described" has the triples that say what blank nodes stand for; it is left out if there are none.
        """
        steps = self.steps()
        number = {step: place for place, step in enumerate(steps)}
        told = {"described": [list(each) for each in self.described]} if self.described else {}
        return {"fact": number[self], "steps": [_step(step, number) for step in steps], **told}


class Unsatisfiable(NamedTuple):
    """A class that nothing can be in: its `name` as N-Triples text, and a `proof` of the contradiction of a member.

    If the class is below owl:Nothing, `proof` proves that.
    """

    name: str
    proof: Proof

    def __str__(self) -> str:
        return f"nothing can be in {self.name}"

    def to_json(self) -> dict[str, Any]:
        """Return the class for `json.dumps`: a `message`, the `class` and the steps of the proof, as in a `Proof`."""
        return {"message": str(self), "class": self.name, **self.proof.to_json()}


def _step(proof: Proof, number: Mapping[Proof, int]) -> dict[str, Any]:
    let_out()
    fact = {"relation": proof.fact.relation, "terms": list(proof.fact.terms)}
    if is_expression_result(proof.fact) or is_aggregate_value(proof.fact):
        step = {"fact": fact, "asserted": False, "computed": fact_text(proof.fact, NO_PREFIXES)}
        return {**step, "premises": [number[premise] for premise in proof.premises]} if proof.premises else step
    if is_absence(proof.fact):
        return {"fact": fact, "asserted": False, "absent": format_not(negation_of(proof.fact), NO_PREFIXES)}
    if proof.rule is None:
        return {"fact": fact, "asserted": True}
    rule = {
        "name": proof.rule.name,
        "group": proof.rule.group,
        "text": format_rule(proof.rule),
        "conditions": list(conditions(proof.rule, NO_PREFIXES)),
        "sources": [list(source) for source in proof.rule.sources],
    }
    premises = [number[premise] for premise in proof.premises]
    return {"fact": fact, "asserted": False, "rule": rule, "premises": premises}
