"""`Session`: carries out the commands of a script on a graph, and prints the answers.

    start, insert, delete, upsert     begin a transaction, if none is open; edits count in their order
    delete_key, modify, clear         the same
    commit, rollback                  end the transaction; `commit dump_changes` prints what it did
    dump, query, explain, why_not     read the last commit
    profile, dump_changes             tell about the last commit

With `as_json` each command that answers prints one line, an object with its word as "command": also if there is nothing
to show, so that a program knows when the answer has ended.

Invariant: after an error no transaction is open, and the graph is as after the last commit. The error has the place of
the command or the edit in the script.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lark import Token

from kgreason.cli.ask.profile import costs, costs_text
from kgreason.cli.edit.options import amount
from kgreason.cli.notation import PREFIXES
from kgreason.cli.script import answers
from kgreason.cli.script.failure import ScriptError, script_error
from kgreason.cli.script.syntax import Command, Edit
from kgreason.errors import KgreasonError, RuleSyntaxError
from kgreason.graph.input.terms import term_of
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.rules.formatter import format_atom
from kgreason.rules.model import FALSE, Atom, Relation, Variable
from kgreason.rules.text.reader import read_atom
from kgreason.rules.text.syntax import AtomText
from kgreason.store.oxigraph.update import Term
from kgreason.tables.signature import Signature
from kgreason.terms.quoting import unquote

if TYPE_CHECKING:
    from kgreason.graph.changes.delta import Delta
    from kgreason.graph.transaction import Transaction
    from kgreason.proofs.proof import Proof
    from kgreason.proofs.why_not.answer import WhyNot

_FIRST_ROW = "row 1"


class Session:
    """Carries out a script on a graph. Threads: only the thread that made the session may use it."""

    def __init__(
        self,
        graph: KnowledgeGraph,
        relations: Signature,
        prefixes: Mapping[str, str],
        source: str,
        say: Callable[[str], object],
        *,
        as_json: bool = False,
    ) -> None:
        """`relations` are the relations of the program, `source` is the name of the script, and `say` prints a line."""
        self._graph, self._relations, self._source, self._say = graph, relations, source, say
        self._as_json = as_json
        self._prefixes = dict(prefixes)
        self._open: Transaction | None = None
        self._begun: Token | None = None
        """The word of the script with which the open transaction began."""
        self._delta: Delta | None = None

    def run(self, commands: Iterable[Command]) -> None:
        """Carry out commands until `exit`, or all of them.

        Raises ScriptError for the first mistake, and for a transaction that is still open at the end.
        """
        try:
            for command in commands:
                if command.word.type == "EXIT":
                    break
                self._carry_out(command)
            if self._begun is not None:
                raise script_error(
                    self._source, self._begun, "the edits from here on are not committed: commit is missing"
                )
        finally:
            self._end_transaction(is_good=False)

    def _carry_out(self, command: Command) -> None:
        try:
            if command.edits:
                for edit in command.edits:
                    self._edit(edit)
            else:
                getattr(self, f"_{command.word}")(command)
        except ScriptError:
            raise
        except RuleSyntaxError as error:
            raise ScriptError(self._source, error.line or 1, error.column or 1, error.problem) from error
        except KgreasonError as error:
            raise script_error(self._source, command.word, str(error)) from error

    def _print_answer(
        self, word: str, lines: Callable[[], Iterable[str]], members: Callable[[], dict[str, Any]]
    ) -> None:
        """Print the answer to a command: its lines, or an object with the command and these members."""
        if self._as_json:
            self._say(json.dumps({"command": word} | members()))
            return
        for line in lines():
            self._say(line)

    def _print_facts(self, word: str, facts: Sequence[Atom]) -> None:
        self._print_answer(
            word, lambda: answers.lines(facts, self._prefixes), lambda: {"facts": list(map(answers.as_json, facts))}
        )

    def _transaction(self, word: Token) -> Transaction:
        if self._open is None:
            self._open, self._begun = self._graph.transaction(), word
        return self._open

    def _end_transaction(self, *, is_good: bool) -> None:
        """End the open transaction, if there is one: commit it if `is_good`, otherwise drop its edits."""
        tx, self._open, self._begun = self._open, None, None
        if tx is not None:
            tx.end(is_good)
            self._delta = tx.delta if is_good else self._delta

    def _start(self, command: Command) -> None:
        if self._open is not None:
            raise script_error(self._source, command.word, "a transaction is open already: commit or rollback ends it")
        self._transaction(command.word)

    def _commit(self, command: Command) -> None:
        self._transaction(command.word)
        self._end_transaction(is_good=True)
        if command.arguments:
            self._dump_changes(command)

    def _rollback(self, _: Command) -> None:
        self._end_transaction(is_good=False)

    def _edit(self, edit: Edit) -> None:
        try:
            if isinstance(edit.target, Token):
                self._clear(edit.word, edit.target)
            elif edit.word.type in ("DELETE_KEY", "MODIFY"):
                self._edit_key(edit, edit.target)
            else:
                self._edit_fact(edit.word, self._atom(edit.target))
        except (ScriptError, RuleSyntaxError):  # they tell a place
            raise
        except KgreasonError as error:
            problem = str(error).removeprefix(_FIRST_ROW).lstrip(":, ")
            raise script_error(self._source, edit.word, problem) from error

    def _edit_fact(self, word: Token, atom: Atom) -> None:
        if variable := next((term for term in atom.terms if isinstance(term, Variable)), None):
            raise script_error(self._source, word, f"{word} needs a value in the place of {variable}")
        tx, terms = self._transaction(word), tuple([term_of(str(term)) for term in atom.terms])
        kind = word.type.lower()
        if atom.relation is not None:
            getattr(tx.relation(atom.relation, len(terms)), kind)([terms])
        elif kind == "upsert":
            raise script_error(self._source, word, "a triple has no key; write insert and delete")
        else:
            (tx.add if kind == "insert" else tx.remove)(terms)

    def _clear(self, word: Token, name: Token) -> None:
        relation = self._transaction(word).relation(str(name), self._arity(str(name), name))
        relation.delete(_values(relation.asserted()))

    def _edit_key(self, edit: Edit, key: AtomText) -> None:
        """Carry out `delete_key` or `modify`: retract the asserted fact with the key `key`.

        For `modify`, also assert the fact with the new values in the place of the old ones. Raises ScriptError if the
        relation has no key, if the key has the wrong number of values, or if `modify` finds no fact.
        """
        atom, word = read_atom(key, self._prefixes, self._source), edit.word
        name = str(atom.relation)
        relation = self._transaction(word).relation(name, self._arity(name, key.start))
        declared = relation.declaration
        if declared is None or not declared.key:
            raise script_error(
                self._source, key.start, f"{name} has no key; to give it one, declare it by @relation in the program"
            )
        if len(atom.terms) != len(declared.key):
            columns = ", ".join(declared.columns[place].name for place in declared.key)
            problem = f"the key of {name} is ({columns}); got {amount(len(atom.terms), 'term')}"
            raise script_error(self._source, key.start, problem)
        facts = relation.asserted([str(term) for term in atom.terms])
        changed = self._new_values(declared, *edit.new_values) if edit.new_values else None
        if changed and not facts:
            raise script_error(self._source, word, f"no asserted fact has the key {format_atom(atom, self._prefixes)}")
        relation.delete(_values(facts))
        if changed:
            relation.insert(_values([[changed.get(place, term) for place, term in enumerate(row)] for row in facts]))

    def _new_values(self, relation: Relation, name: Token, values: Sequence[tuple[Token, Any]]) -> dict[int, str]:
        """Return the new values of a `modify`: for the place of each column that it names, a term as text.

        `name` is the relation after `<-`, and `values` are pairs (name of a column, value). Raises ScriptError if
        `name` is another relation than `relation`, or if a column is unknown or named twice.
        """
        if name != relation.name:
            raise script_error(self._source, name, f"the key belongs to {relation.name}, so write {relation.name} here")
        places = {column.name: place for place, column in enumerate(relation.columns)}
        atom = read_atom(AtomText(name, name, tuple([value for _, value in values])), self._prefixes, self._source)
        found: dict[int, str] = {}
        for (column, _), term in zip(values, atom.terms, strict=True):
            if column not in places:
                raise script_error(self._source, column, f"{name} has the columns {', '.join(places)}")
            if places[str(column)] in found:
                raise script_error(self._source, column, f"{column} has a value already")
            found[places[str(column)]] = str(term)
        return found

    def _atom(self, written: AtomText) -> Atom:
        """Turn what the parser gives for an atom into an `Atom`."""
        atom = read_atom(written, self._prefixes, self._source)
        if atom == FALSE:
            raise script_error(self._source, written.start, "false is for contradictions, and has no facts")
        if atom.relation is not None:
            arity = self._arity(atom.relation, written.start)
            if arity != len(atom.terms):
                problem = f"{atom.relation} has {amount(arity, 'place')}; got {amount(len(atom.terms), 'term')}"
                raise script_error(self._source, written.start, problem)
        return atom

    def _arity(self, name: str, token: Token) -> int:
        arity = self._relations.arities.get(name)
        if arity is None:
            known = ", ".join(sorted(self._relations.arities)) or "none"
            raise script_error(self._source, token, f"the program has no relation {name}; its relations are {known}")
        return arity

    def _dump(self, command: Command) -> None:
        facts = list[Atom]()
        for name in command.arguments or self._relations.derived_relations:
            facts += answers.relation_facts(self._graph, str(name), self._arity(name, command.word))
        if not command.arguments:
            facts += answers.inferred_triples(self._graph)
        self._print_facts("dump", facts)

    def _dump_changes(self, command: Command) -> None:
        changes = list(answers.changes(self._delta, self._relations.heads)) if self._delta is not None else []
        left, came = ([fact for pair in changes for fact in pair[side]] for side in range(2))

        def lines() -> Iterator[str]:
            for disappeared, appeared in changes:
                yield from answers.lines(disappeared, self._prefixes, "-")
                yield from answers.lines(appeared, self._prefixes, "+")

        sides = {"disappeared": left, "appeared": came}
        self._print_answer(
            str(command.word), lines, lambda: {name: list(map(answers.as_json, facts)) for name, facts in sides.items()}
        )

    def _query(self, command: Command) -> None:
        self._print_facts("query", answers.matching_facts(self._graph, self._atom(command.arguments[0])))

    def _explain(self, command: Command) -> None:
        atom, terms = self._fact(command)
        if atom.relation is None:
            proof = self._graph.explain(terms)
        else:
            proof = self._graph.relation(atom.relation, len(terms)).explain(terms)
        self._print_text("explain", proof, "proof")

    def _why_not(self, command: Command) -> None:
        atom, terms = self._fact(command)
        if atom.relation is None:
            answer = self._graph.why_not(terms)
        else:
            answer = self._graph.relation(atom.relation, len(terms)).why_not(terms)
        self._print_text("why_not", answer, "answer")

    def _print_text(self, word: str, answer: Proof | WhyNot, name: str) -> None:
        prefixes = PREFIXES | self._prefixes
        self._print_answer(word, lambda: answer.to_text(prefixes).splitlines(), lambda: {name: answer.to_json()})

    def _fact(self, command: Command) -> tuple[Atom, tuple[Term, ...]]:
        """Return the fact that `explain` or `why_not` asks about: as an `Atom`, and its terms alone.

        Raises ScriptError if the atom has a variable.
        """
        atom = self._atom(command.arguments[0])
        if variable := next((term for term in atom.terms if isinstance(term, Variable)), None):
            raise script_error(self._source, command.word, f"{command.word} needs a value in the place of {variable}")
        return atom, tuple([term_of(str(term)) for term in atom.terms])

    def _profile(self, _: Command) -> None:
        rows = costs(self._graph)
        self._print_answer("profile", lambda: costs_text(rows, len(rows), self._prefixes), lambda: {"rules": rows})

    def _echo(self, command: Command) -> None:
        try:
            text = unquote(command.arguments[0])
        except ValueError as error:
            raise script_error(self._source, command.arguments[0], str(error)) from error
        self._print_answer("echo", lambda: [text], lambda: {"text": text})

    def _prefix(self, command: Command) -> None:
        name, iri = command.arguments
        self._prefixes[name[:-1]] = iri[1:-1]


def _values(rows: Iterable[Iterable[str]]) -> list[tuple[Term, ...]]:
    return [tuple(map(term_of, row)) for row in rows]
