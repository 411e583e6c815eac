"""The user's rules: which rules exist after a commit, and which rules a name or a text removes.

Law: the user's rules after the last commit are those of the snapshot, changed by each record of the journal after it.
Nothing here needs the engine. So an edit that removes an unknown rule is refused before the engine starts.

Cost: parsing the rules of the snapshot and of the journal.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from os.path import abspath
from pathlib import Path

from kgreason.errors import RuleError
from kgreason.functions.registry import Find, no_function
from kgreason.options import DEFAULT_GROUPS
from kgreason.rules.canonical_form import canonical
from kgreason.rules.expressions import function_names
from kgreason.rules.formatter import format_program, format_rule
from kgreason.rules.model import Rule
from kgreason.rules.parser import Syntax, load, parse, ruleset
from kgreason.rules.program import Finder, Program
from kgreason.rules.srl.parts import without_unread_parts
from kgreason.shapes.vocabulary import SOURCE
from kgreason.store import snapshot
from kgreason.store.folder import Manifest
from kgreason.store.journal.record import Record
from kgreason.terms.quoting import quote, unescape

_CALLS = re.compile(r"^# calls (.*)$", re.MULTILINE)
_FROM = re.compile(r'(?:# from "(.*)"\n)?(?:# dialect (\w+)\n)?')
_NAMED = 5
"""A message names at most this many rules."""
_GIVEN = re.compile(r"rule-\d+")
"""The pattern of names such as `rule-1`, which kgreason gives to rules without a name."""
_RULE_FILE = re.compile(r"\S+\.(?:dl|rules|datalog|srl|rq)")
SHIPPED = tuple(DEFAULT_GROUPS)


def own_rules(
    manifest: Manifest, path: Path | None, records: Iterable[Record], find: Finder | None = None
) -> tuple[Rule, ...]:
    """Return the user's rules after the commits `records`.

    Before these commits the rules are those of the snapshot `path`. If `path` is None, they are those of the rule files
    that the store was made with. `find` finds the documents that rule files import. Raises StoreError.
    """
    if path is None:
        from kgreason.materialize.selection import select

        own = select(manifest.effective_rules, manifest.schema, manifest.same_as, manifest.aliases, None, find).own
    else:
        own = snapshot.read_own_rules(path)
    for record in records:
        own = rules_after(own, record)
    return own


def rules_after(own: Iterable[Rule], record: Record) -> tuple[Rule, ...]:
    """Return the user's rules after a commit; `own` are the rules before it."""
    rules = dict.fromkeys(own)
    for sign, text in record.rules:
        for rule in rules_of_journal_text(text):
            if sign > 0:
                rules[rule] = None
            else:
                rules.pop(rule, None)
    return tuple(rules)


def journal_text(rule: Rule, find: Find = no_function) -> str:
    """Write a rule as text for the journal, with its name and its group. `rules_of_journal_text` reads the text.

    Comments before the rule tell its file, its dialect, and the signatures of the Python functions that the rule calls.
    `find` finds these functions.
    """
    comment = f"# from {quote(rule.file)}\n" if rule.file else ""
    comment += f"# dialect {rule.dialect}\n" if rule.dialect else ""
    comment += "".join(f"# calls {find(name) or name}\n" for name in function_names([rule]))
    return comment + format_program(Program((rule,)))


def function_signatures(records: Iterable[Record]) -> dict[str, str]:
    """Return the signatures of the Python functions in rules that these commits add, by the name of the function."""
    found = (line for record in records for sign, text in record.rules if sign > 0 for line in _CALLS.findall(text))
    return {signature.partition("(")[0]: signature for signature in found}


def rules_of_journal_text(text: str) -> tuple[Rule, ...]:
    """Return the rules in a text of the journal; the inverse of `journal_text`."""
    comment = _FROM.match(text)
    file, dialect = comment.groups(default="") if comment else ("", "")
    rules = parse(text, "journal", None).rules
    return tuple(replace(rule, file=unescape(file), line=0, dialect=dialect) for rule in rules)


def files_of(names: Iterable[str]) -> list[str]:
    """Return the rule files among the `names` that a store was made with. The other names are rule sets."""
    return [name for name in names if name != "none" and name.split("+")[0] not in SHIPPED]


def has_rules_of_file(file: str, own: Collection[Rule], find: Finder | None = None) -> bool:
    """Whether one of the user's rules `own` came from the rule file `file`, or all rules of the file are among `own`.

    `find` finds the documents that the rule file imports.
    """
    if any(rule.file and abspath(rule.file) == abspath(file) for rule in own):
        return True
    forms = {_without_name(rule) for rule in own}
    return Path(file).exists() and all(_without_name(rule) in forms for rule in load(Path(file), None, find).rules)


def how_to_add(files: Sequence[str]) -> str:
    """Return the end of a message that says how to add the rules of `files`; the empty text if there are no files."""
    calls = "".join(f".load_rules({file!r})" for file in files)
    return f"; to add the rules of {' and '.join(files)}, call tx{calls} in a transaction tx" if files else ""


def without_named_rules(
    own: Iterable[Rule],
    text: str | None,
    source: str,
    file: str | None = None,
    *,
    selected: Iterable[str],
    syntax: Syntax = "datalog",
    find: Finder | None = None,
) -> tuple[Rule, ...]:
    """Return the rules `own` without the rules that `text` and `file` name.

    - `text`: the name of a rule, or rules as text in `syntax`; `source` names the text in messages.
    - `file`: the name under which a rule file was added, or the last part of this name. Then only rules that came from
      this file are removed: those with the name `text`, or all of them if `text` is None.
    - `selected`: the rule sets and rule files that the store was made with.
    - `find`: finds the documents that `text` imports.

    Raises RuleError if `own` has no such rule, or if several rules have the name and `_check_name_is_clear` does
    not allow this.
    """
    own = tuple(own)
    meant = own if file is None else _rules_from_file(own, file)
    if text is not None:
        name = text.strip()
        meant = tuple(rule for rule in meant if rule.name == name)
        if not meant and file is not None:
            raise RuleError(f"{name}: no rule of this name came from {file}")
        if not meant and _RULE_FILE.fullmatch(name):
            raise RuleError(f"{name!r} is the name of a file; to remove its rules, call remove_rules(file={name!r})")
        if not meant and ("." in text or "{" in text):
            return without_rules(own, parse(text, source, None, syntax=syntax, find=find).rules)
        if not meant:
            raise RuleError(
                f"{name}: no rule of this name was added{_hint_at_rule_set(name, selected) or _rule_names(own)}"
            )
        _check_name_is_clear(meant)
    _check_shapes(meant)
    return without_unread_parts(rule for rule in own if rule not in meant)


def _check_shapes(gone: Iterable[Rule]) -> None:
    if any(rule.file == SOURCE for rule in gone):
        raise RuleError(
            "rules of the shapes graph go with its triples: edit graph.shapes, or use kgreason shapes unload"
        )


def _rules_from_file(own: tuple[Rule, ...], file: str) -> tuple[Rule, ...]:
    """Return those of the rules `own` that came from the rule file `file`.

    Raises RuleError if no rule came from a file of this name, or if rules came from several such files.
    """
    files = {
        rule.file for rule in own if rule.file and (file == Path(rule.file).name or abspath(file) == abspath(rule.file))
    }
    if not files:
        others = ", ".join(dict.fromkeys(rule.file for rule in own if rule.file))
        raise RuleError(f"{file}: no rule came from this file{f'; rules came from {others}' if others else ''}")
    if len(files) > 1:
        raise RuleError(f"{file}: rules came from {' and '.join(sorted(files))}; say which of these files is meant")
    return tuple(rule for rule in own if rule.file in files)


def _rule_names(own: tuple[Rule, ...]) -> str:
    """Return the end of a message that lists the names of the user's rules; the empty text if there are no rules."""
    names = list(dict.fromkeys(rule.name for rule in own))
    more = ", ..." if len(names) > _NAMED else ""
    return f"; the rules that were added are called {', '.join(names[:_NAMED])}{more}" if names else ""


def _check_name_is_clear(named: tuple[Rule, ...]) -> None:
    """Raise RuleError if it is not clear which rules a name means. `named` are all rules with this name.

    If the user gave them the name, and all of them came from one file (or all were added as text), the name means all
    of them. Several rules are an error if they came from different files, or if kgreason gave them the name (`rule-1`
    and so on).
    """
    files = list(dict.fromkeys(rule.file for rule in named))
    if len(named) < 2 or (len(files) == 1 and not _GIVEN.fullmatch(named[0].name)):
        return
    if len(files) > 1:
        origins = ", ".join(f"one {f'from {rule.file}' if rule.file else 'added as text'}" for rule in named)
        choice = "say which file is meant with --file FILE (in Python: file=), or give the text of the rule"
    else:
        every = "both" if len(named) == 2 else "all"
        origins = f"{every} {f'came from {files[0]}' if files[0] else 'were added as text'}"
        choice = "give the text of the rule (on the command line: --rule TEXT)"
    raise RuleError(f"{named[0].name}: {len(named)} rules have this name: {origins}; {choice}")


def _hint_at_rule_set(name: str, selected: Iterable[str]) -> str:
    """Return the end of a message that says which rule set has a rule of this name, and that it cannot be removed."""
    used = {each.split("+")[0] for each in selected}
    for ruleset_name in SHIPPED:
        if ruleset_name in used and any(rule.name == name for rule in ruleset(ruleset_name).rules):
            return (
                f"; it is a rule of the rule set {ruleset_name}, and rules of a rule set cannot be removed one by one:"
                " remove the axioms that the rule reads, or make a new store with other rules"
            )
    return ""


def without_rules(own: Iterable[Rule], rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """Return the rules `own` without the rules `rules`. Rules that differ only by their names are equal here.

    Raises RuleError if `own` lacks one of `rules`.
    """
    forms, gone = {rule: _without_name(rule) for rule in own}, {_without_name(rule): rule for rule in rules}
    for form, rule in gone.items():
        if form not in forms.values():
            raise RuleError(
                f"{format_rule(rule)}: no such rule was added; a rule that comes from an axiom goes when you remove the"
                " axiom"
            )
    _check_shapes(rule for rule, form in forms.items() if form in gone)
    return without_unread_parts(rule for rule, form in forms.items() if form not in gone)


def _without_name(rule: Rule) -> Rule:
    return canonical(replace(rule, name="", group="", sources=(), file="", dialect=""))
