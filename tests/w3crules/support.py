"""The rule-support table, `docs/rule-support.md`: made of the tables, the cases and the gaps.

    python -m tests.w3crules.support       writes it anew

A test fails where the committed file is another than this module makes.
"""

from __future__ import annotations

from collections.abc import Iterator
from os.path import relpath
from pathlib import Path

from tests.graph.axioms.owlrl_differences import OURS, THEIRS

from .cases import Case, by_rule, cases
from .gaps import READINGS, Gap, gaps
from .rulesets import helpers, rule_of, switch
from .tables import TABLES, Table

DOCUMENT = Path(__file__).parents[2] / "docs" / "rule-support.md"
INTRODUCTION = """\
# Rule support

The rules of OWL 2 RL/RDF ([OWL 2 Profiles](https://www.w3.org/TR/owl2-profiles/#Reasoning_in_OWL_2_RL_and_RDF_Graphs_using_Rules),
section 4.3), of RDFS ([RDF 1.1 Semantics](https://www.w3.org/TR/rdf11-mt/#rdfs-entailment)) and of minimal RDFS, each
under its name there. Made by `python -m tests.w3crules.support` from the case folders and `tests/cases/gaps.toml`;
edit those, not this.

A case is a small ontology with data, the exact delta of loading it, an edit that retracts a premise, and the exact
delta of that. Every case runs with the schema translated (`schema="axioms"`) and read as data (`schema="data"`), and a
proof has to name the rule. *Our rules* are those of `rulesets/` that realise a rule where the schema is read as data:
a rule over a list needs others that walk the list.

Two literals of different values that a rule makes the same (`prp-fp`, `prp-ifp`, `prp-key`, `cls-maxc2`, `cls-maxqc3`,
`cls-maxqc4`, or a rule of the user) are one contradiction. For a rule of the tables, the rule of that name with the
ending `-literals` reports it, with the property and the axiom: `prp-fp-literals` once for each subject. For a rule of
the user, `dt-diff` and `eq-diff1` report it. By default nothing else follows: `eq-trans` and
`eq-rep-*` do not follow that link. The tables follow it, and say of each all that is said of the other. The group
`eq-literals` is the letter of the tables: `owl2rl+eq-literals`. Literals of one value, and literals of datatypes that
kgreason does not know, are made equal as the tables say. `:a owl:sameAs 1, 2` is a contradiction, and `:a` is in the
triples of 1 and in those of 2.

If two literals have one value, `eq-rep-o` gives each triple of the one to the other. Rules see all these triples.
Users see one spelling of a value for each subject and property: the asserted ones, otherwise the first by its text. The
group `eq-spellings` shows them all (`owl2rl+eq-spellings`), and so does `eq-literals`.

`owl:hasSelf` is in no table. The group `has-self` reads it in both directions (`owl2rl+has-self`): `has-self1` says
that an instance of `[ owl:onProperty :p ; owl:hasSelf true ]` has itself as a value of `:p`, and `has-self2` says that
a term with itself as a value of `:p` is an instance.

OWL has axioms that no rule of OWL 2 RL reads, or that are read on one side only: `some p C` is read as a subclass, but
as a superclass it asks for a value that no rule makes. `graph.warnings`, `kgreason load`, `materialize` and `check`
count the asserted axioms of these kinds, with an example of each: existential restrictions, unions and enumerations as
a superclass; universal restrictions, complements and maximum cardinalities as a subclass; minimum and exact
cardinalities, maximum cardinalities above 1, cardinalities over data ranges; `owl:hasSelf` without its group;
restrictions of several properties; datatypes with facets and complements of datatypes; disjoint unions; reflexive
properties. A kind is not counted if a rule of yours mentions its term of OWL.

A list that forks (a cell with two values of `rdf:first` or `rdf:rest`) is every list that it can be, as in the tables.
A warning names it. A list that does not end in `rdf:nil` counts for nothing, and a warning names it as well.
"""


def document() -> str:
    """The whole text."""
    sections = (line for table in TABLES for line in _section(table))
    return "\n".join([INTRODUCTION, *_summary(), *sections, *_beside_owlrl(), ""])


def _summary() -> Iterator[str]:
    rows = [(table.ruleset, rule) for table in TABLES for rule in table.rules]
    yield "| rule set | rules named | supported | of these off by default | cases |"
    yield "|---|---|---|---|---|"
    for name in dict.fromkeys(ruleset for ruleset, _ in rows):
        rules = [rule for ruleset, rule in rows if ruleset == name]
        good = [rule for rule in rules if _is_supported(gaps().get((name, rule)))]
        off = [rule for rule in good if switch(name, rule)]
        count = sum(case.ruleset == name for case in cases())
        yield f"| `{name}` | {len(rules)} | {len(good)} | {len(off)} | {count} |"
    yield ""


def _is_supported(gap: Gap | None) -> bool:
    return gap is None or gap.fails == ("name",)


def _section(table: Table) -> Iterator[str]:
    found = by_rule(cases())
    yield f"## {table.title}"
    yield ""
    yield "| rule | status | our rules | cases |"
    yield "|---|---|---|---|"
    for rule in table.rules:
        own = [rule, *helpers(table.ruleset, rule)] if rule_of(table.ruleset, rule) else []
        names = ", ".join(f"`{name}`" for name in own)
        links = [*map(_link, found.get((table.ruleset, rule), []))]
        cells = (
            f"`{rule}`",
            _status(table.ruleset, rule),
            names,
            f"{len(links)}: {', '.join(links)}" if links else "0",
        )
        yield f"| {' | '.join(cells)} |"
    yield ""


def _beside_owlrl() -> Iterator[str]:
    yield "## Beside owlrl"
    yield ""
    yield "The closure of eleven published ontologies is compared with that of owlrl; every difference is one of these."
    yield ""
    yield "| said by | class | reason |"
    yield "|---|---|---|"
    for who, classes in (("owlrl", THEIRS), ("kgreason", OURS)):
        yield from (f"| {who} | {name} | {each.reason} |" for name, each in classes.items())


def _status(ruleset: str, rule: str) -> str:
    gap, group = gaps().get((ruleset, rule)), switch(ruleset, rule)
    supported = f"supported, off by default: `{ruleset}+{group}`" if group else "supported"
    if gap is None:
        return supported
    where = "" if gap.readings == READINGS else f' (`schema="{gap.readings[0]}"`)'
    if _is_supported(gap):
        return f"{supported}; {gap.reason}"
    return f"{'not' if 'rule' in gap.fails else 'partly'}{where}: {gap.reason}"


def _link(case: Case) -> str:
    return f"[{case.folder.name}]({relpath(case.folder, DOCUMENT.parent)})"


if __name__ == "__main__":
    DOCUMENT.parent.mkdir(exist_ok=True)
    DOCUMENT.write_text(document(), "utf-8")
