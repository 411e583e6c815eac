"""`unsatisfiable_classes`: the named classes of a graph that nothing can be in, each with a proof.

    graph + a member of each class -> new contradictions -> their proofs -> the members that a proof needs

A class is unsatisfiable if a member of it would contradict the ontology. So each class gets a member that exists for
this question alone, in an edit that is tried and rolled back. A proof that needs one member decides the class of this
member. A proof may need several members, because they have become equal; then each of their classes is asked about
alone. The members of decided classes are left out when the other classes are asked about again, until there is no new
contradiction. The rules of OWL 2 EL can find out that a class is below owl:Nothing. Such a class needs no member.

Laws: each class that is returned has a proof. A class that is not returned is satisfiable as far as the rules of the
graph can tell, if the graph has no contradiction: rules without NOT derive no less from more members. With NOT the
answer is about a member of which nothing else is known. A contradiction that the graph has already says nothing of a
class, by whichever of its equal terms it is named (`Consistency`). But such a contradiction may hide a new one, if a
member becomes equal to its terms. So the classes of members that have become equal to something are asked about alone
in such a graph. Alone, a member may still become equal to a term that has the same contradiction: then its class is not
decided, and not returned. Threads: all of this needs the graph's lock. Nothing changes.
Cost: one edit that is tried for each round, and one for each class that is asked about alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, TypeAlias

import numpy as np

from kgreason.graph.commits import Committer
from kgreason.graph.explanations.proofs import explain
from kgreason.graph.results.answers import Matches
from kgreason.interrupts import let_out
from kgreason.materialize.edit import Edit
from kgreason.materialize.quads.asserted_quads import default_graph_quads
from kgreason.proofs.contradiction import Contradiction
from kgreason.proofs.contradiction_proofs import prove_contradictions
from kgreason.proofs.notation import NO_PREFIXES
from kgreason.proofs.proof import Proof, Unsatisfiable
from kgreason.proofs.words.naming import MEMBER
from kgreason.terms import vocabulary as v
from kgreason.terms.dictionary import Dictionary

Match: TypeAlias = Callable[..., Matches]
"""`KnowledgeGraph.match`."""
_CLASSES = (v.OWL_CLASS, v.RDFS_CLASS)


def unsatisfiable_classes(committer: Committer, match: Match) -> list[Unsatisfiable]:
    """Return the named classes of a graph that nothing can be in; see `KnowledgeGraph.unsatisfiable_classes`."""
    empty = ((name, v.RDFS_SUB_CLASS_OF, v.OWL_NOTHING) for name in _classes_below_nothing(match))
    found = {triple[0]: explain(committer.state, triple, NO_PREFIXES) for triple in empty}
    waiting = [name for name in _classes(match) if name not in found]
    while waiting:
        tried = _try_members(committer, waiting)
        if not tried.proofs:
            break
        decided = dict[str, Proof | None]()
        for proof, needed in tried.proofs:
            for name in needed:
                if name not in decided:
                    decided[name] = proof if len(needed) == 1 else _contradiction_of_member(committer, name)
        found |= _only_proofs(decided)
        waiting = [name for name in waiting if name not in decided]
    if waiting and tried.may_hide:
        found |= _only_proofs({name: _contradiction_of_member(committer, name) for name in tried.equal})
    return [Unsatisfiable(name, found[name]) for name in sorted(found)]


def _only_proofs(decided: Mapping[str, Proof | None]) -> dict[str, Proof]:
    return {name: proof for name, proof in decided.items() if proof is not None}


def _classes_below_nothing(match: Match) -> list[str]:
    names = {str(subject) for subject, *_ in match(None, v.RDFS_SUB_CLASS_OF[1:-1], v.OWL_NOTHING[1:-1])}
    return sorted(filter(v.is_own_iri, names))


def _classes(match: Match) -> list[str]:
    """Return the named classes of a graph: what is declared as a class, and what is below or above another class."""
    names = {str(subject) for each in _CLASSES for subject, *_ in match(None, v.RDF_TYPE[1:-1], each[1:-1])}
    for subject, _, above, *_ in match(None, v.RDFS_SUB_CLASS_OF[1:-1]):
        let_out()
        names |= {str(subject), str(above)}
    return sorted(filter(v.is_own_iri, names))


class _Consequences(NamedTuple):
    """The consequences of giving classes members.

    - `proofs`: a proof of each new contradiction, with the classes whose members it needs.
    - `equal`: the classes whose members have become equal to another term.
    - `may_hide`: whether the graph has contradictions without the members. They may hide contradictions of `equal`.
    """

    proofs: list[tuple[Proof, list[str]]]
    equal: list[str]
    may_hide: bool


def _contradiction_of_member(committer: Committer, name: str) -> Proof | None:
    """Return a proof of a contradiction that a member of one class raises; None if it raises none."""
    proofs = _try_members(committer, [name]).proofs
    return proofs[0][0] if proofs else None


def _try_members(committer: Committer, names: Iterable[str]) -> _Consequences:
    """Give each class a member, read what follows, and take the members back."""
    materializer = committer.materializer
    dictionary = materializer.dictionary
    known = len(dictionary)
    try:
        classes = _members(names, dictionary)
        texts = [text for member, name in classes.items() for text in (member, v.RDF_TYPE, name)]
        triples = np.asarray(dictionary.intern(texts), dtype=np.int32).reshape(-1, 3)
    except BaseException:
        dictionary.truncate(known)
        raise

    def read(raised: tuple[Contradiction, ...], may_hide: bool) -> _Consequences:
        proofs = prove_contradictions(materializer, only=raised) if raised else []
        needs = [(proof, needed) for proof in proofs if (needed := _classes_of(proof, classes))]
        pairs = materializer.save(is_borrowed=True).representative_rows()
        is_equal = np.isin(triples[:, 0], pairs[pairs[:, 0] != pairs[:, 1]])
        equal = [name for name, is_one in zip(classes.values(), is_equal.tolist(), strict=True) if is_one]
        return _Consequences(needs, equal, may_hide)

    return committer.read_tentatively(Edit(added=default_graph_quads(triples)), known, read)


def _members(names: Iterable[str], dictionary: Dictionary) -> dict[str, str]:
    """Return a member for each class, as N-Triples text, that the dictionary lacks: its name ends as that of the class.

    >>> _members(["<http://e/Cat>", "<http://f/Cat>"], Dictionary())
    {'<urn:a-member-of:Cat>': '<http://e/Cat>', '<urn:a-member-of:Cat-2>': '<http://f/Cat>'}
    """
    found = dict[str, str]()
    for name in names:
        let_out()
        local = name[1:-1].rstrip("/#").rpartition("#")[2].rpartition("/")[2]
        member, number = f"<{MEMBER}{local}>", 1
        while member in found or dictionary.find([member])[0]:
            number += 1
            member = f"<{MEMBER}{local}-{number}>"
        found[member] = name
    return found


def _classes_of(proof: Proof, classes: Mapping[str, str]) -> list[str]:
    """Return the classes whose members a proof needs. `classes` maps members to their classes."""
    let_out()
    subjects = (str(step.fact.terms[0]) for step in proof.steps() if step.is_asserted and step.fact.terms)
    return list(dict.fromkeys(classes[each] for each in subjects if each in classes))
