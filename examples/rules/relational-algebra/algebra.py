"""Rules as relational algebra and as SQL, after Carneiro de Lima and Apinis, *A Back-to-basics Empirical Study*.

A rule is a projection of selections of a product of the relations in its body. A selection of one relation moves down
to the relation; a selection of two relations turns their product into a join. Rules have plain atoms: no NOT, no
FILTER. A relation is a table `name/columns` with columns c0, c1, ...; triples are the table `triple/3`.
"""

from __future__ import annotations

from kgreason.rules.model import Atom, Rule, Variable


def check(rule: Rule) -> None:
    """Raise ValueError if a rule has anything but plain atoms, such as NOT or FILTER."""
    if not rule.is_positive:
        raise ValueError(f"rule {rule.name}: only rules with plain atoms are relational algebra here")


def table(atom: Atom) -> str:
    """Return the name of the table of an atom, as SQL writes it."""
    return f'"{atom.relation or "triple"}/{len(atom.terms)}"'


def algebra(rule: Rule) -> list[str]:
    """Return a tree for each head, in one line: a projection, the selections, and the product of the body."""
    check(rule)
    product = " x ".join(map(table, rule.body)).replace('"', "") or "one row"
    terms = [term for atom in rule.body for term in atom.terms]
    selected = []
    for column, term in enumerate(terms):
        if not isinstance(term, Variable):
            selected.append(f"#{column} = {term}")
        elif terms.index(term) < column:
            selected.append(f"#{terms.index(term)} = #{column}")
    found = f"select[{', '.join(selected)}]({product})" if selected else product
    shown = [[f"#{terms.index(term)}" if isinstance(term, Variable) else term for term in h.terms] for h in rule.heads]
    return [f"project[{', '.join(each)}]({found})" for each in shown]


def sql(rule: Rule) -> list[str]:
    """Return an INSERT for each head. It adds the facts of the head that follow in one step."""
    check(rule)
    places: dict[Variable, str] = {}
    text, where = "", []
    for number, atom in enumerate(rule.body):
        equal = []
        for column, term in enumerate(atom.terms):
            place = f"t{number}.c{column}"
            if not isinstance(term, Variable):
                where.append(f"{place} = {literal(term)}")
            elif places.setdefault(term, place) != place:
                equal.append(f"{places[term]} = {place}")
        text += f"\n{'JOIN' if number else 'FROM'} {table(atom)} AS t{number}"
        if number:
            text += f" ON {' AND '.join(equal) or 'true'}"
        else:
            where += equal
    text += "\nWHERE " + " AND ".join(where) if where else ""
    found = []
    for head in rule.heads:
        values = [places[term] if isinstance(term, Variable) else literal(term) for term in head.terms]
        found.append(f"INSERT OR IGNORE INTO {table(head)}\nSELECT DISTINCT {', '.join(values)}{text}")
    return found


def literal(text: str) -> str:
    """Write a text as a string of SQL."""
    return "'" + text.replace("'", "''") + "'"


def create(atom: Atom) -> str:
    """Return the statement that makes the table of an atom. Equal rows are kept once."""
    columns = ", ".join(f"c{column}" for column in range(len(atom.terms)))
    return f"CREATE TABLE IF NOT EXISTS {table(atom)} ({columns}, PRIMARY KEY ({columns}))"
