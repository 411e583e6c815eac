"""`to_json`, `from_json`: rules, proofs, contradictions and answers of why_not as JSON.

    None, a boolean, a number, a text      themselves
    a tuple                                a list
    a dict                                 {"map": [[key, value], ...]}
    an atom, a rule and so on              {"Atom": [field, ...]}
    a proof                                {"Proof": [[fact, rule, [place, ...]], ...]}
    a proof with described blank nodes     {"Described": [[triple, ...], {"Proof": ...}]}

A proof may be deep, so it is written as a flat list of its steps. A step comes after its premises, and names each of
them by its place in the list, counted from 0. Cost: linear in the value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from kgreason.errors import StoreError
from kgreason.proofs.contradiction import Contradiction
from kgreason.proofs.proof import Proof, Unsatisfiable
from kgreason.proofs.reasons import Reason
from kgreason.proofs.why_not.answer import WhyNot
from kgreason.proofs.why_not.attempts import Attempt, Failure
from kgreason.rules.model import Aggregate, Atom, Column, Computed, Not, Relation, Rule, Variable

_CLASSES: dict[str, Any] = {
    each.__name__: each
    for each in (
        Aggregate,
        Atom,
        Attempt,
        Column,
        Computed,
        Contradiction,
        Failure,
        Not,
        Reason,
        Relation,
        Rule,
        Unsatisfiable,
        Variable,
        WhyNot,
    )
}


def to_json(value: Any) -> Any:
    """Turn a value into objects that `json.dumps` takes.

    Raises TypeError if the value, or a part of it, is of a class that is not in the table of the module.
    """
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Proof):
        steps = {"Proof": _steps(value)}
        return {"Described": [to_json(value.described), steps]} if value.described else steps
    if (name := type(value).__name__) in _CLASSES and type(value) is _CLASSES[name]:
        return {name: [to_json(getattr(value, field)) for field in _fields(type(value))]}
    if isinstance(value, (tuple, list)):
        return [to_json(each) for each in value]
    if isinstance(value, Mapping):
        return {"map": [[to_json(key), to_json(each)] for key, each in value.items()]}
    raise TypeError(f"{value!r} cannot be sent")


def from_json(value: Any) -> Any:
    """Turn the result of `to_json` back into the value. Lists become tuples.

    Raises StoreError if the value names a class that is not in the table of the module.
    """
    if isinstance(value, list):
        return tuple(map(from_json, value))
    if not isinstance(value, dict):
        return value
    [(name, content)] = value.items()
    if name == "map":
        return {from_json(key): from_json(each) for key, each in content}
    if name == "Proof":
        return _proof(content)
    if name == "Described":
        triples, proof = map(from_json, content)
        return proof.with_described(triples)
    if name not in _CLASSES:
        raise StoreError(f"the server sends {name}, which this version of kgreason does not know")
    made = _CLASSES[name]
    return made(**dict(zip(_fields(made), map(from_json, content), strict=True)))


def _fields(kind: Any) -> tuple[str, ...]:
    if is_dataclass(kind):
        return tuple(field.name for field in fields(kind) if field.init)
    return tuple(kind._fields)


def _steps(proof: Proof) -> list[Any]:
    steps = proof.steps()
    place = {step: number for number, step in enumerate(steps)}
    return [[to_json(step.fact), to_json(step.rule), [place[each] for each in step.premises]] for step in steps]


def _proof(steps: list[Any]) -> Proof:
    made: list[Proof] = []
    for fact, rule, premises in steps:
        made.append(Proof(from_json(fact), from_json(rule), tuple(made[place] for place in premises)))
    return made[-1]
