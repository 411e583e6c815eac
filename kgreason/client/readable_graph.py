"""`ReadableRemoteGraph`: what the state and the history of a served graph tell, as the graph does in process."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import IO, TYPE_CHECKING, Any, cast

from kgreason.client.link import Link, Parameters
from kgreason.errors import ServerError
from kgreason.graph.input.arguments import check_asserted, check_single
from kgreason.graph.input.terms import checked_prefixes
from kgreason.graph.results.lists import ContradictionList, RuleList
from kgreason.options import check_count
from kgreason.rdf.formats import writable_format
from kgreason.store.history.entry import Head
from kgreason.wire import EXACT
from kgreason.wire.values import from_json

if TYPE_CHECKING:
    from kgreason.graph.changes.delta import Delta
    from kgreason.graph.input.quads import Item
    from kgreason.proofs.contradiction import Contradiction
    from kgreason.proofs.proof import Proof, Unsatisfiable
    from kgreason.proofs.why_not.answer import WhyNot
    from kgreason.rules.model import Rule

_CHUNK = 1 << 20
_MOST_COMMITS = 10_000
_TOLD = ("commit", "warnings", "streams", "prefixes", "options")


class ReadableRemoteGraph:
    """The graph of a server at the other end of `link`."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def explain(self, triple: Item, *others: object, prefixes: Mapping[str, str] | None = None) -> Proof:
        """Return a proof of a triple of the graph. Raises QueryError, InputError; see `KnowledgeGraph.explain`."""
        check_single("explain", triple, others)
        return cast("Proof", self._library_value("/explain", _term_parameters(triple, prefixes)))

    def explain_all(self, triple: Item, *others: object, prefixes: Mapping[str, str] | None = None) -> list[Proof]:
        """Return a proof for each derivation of a triple; see `KnowledgeGraph.explain_all`."""
        check_single("explain_all", triple, others)
        return list(self._library_value("/explain", [*_term_parameters(triple, prefixes), ("all", "true")]))

    def explain_fact(self, name: str, terms: Sequence[str]) -> Proof:
        """Return a proof of a fact of a relation. `terms` are N-Triples texts. Raises QueryError."""
        given = [("relation", name), *(("term", term) for term in terms)]
        return cast("Proof", self._library_value("/explain", given))

    def check_known(self, triple: Item, *, prefixes: Mapping[str, str] | None = None) -> None:
        """Do nothing: in `explain` the server checks that the graph has the triple."""

    def why_not(
        self, triple: Item, *others: object, prefixes: Mapping[str, str] | None = None, limit: int = 10
    ) -> WhyNot:
        """Say why a triple does not hold; see `KnowledgeGraph.why_not`."""
        check_single("why_not", triple, others)
        check_count("limit", limit, 1)
        return cast(
            "WhyNot", self._library_value("/why-not", [*_term_parameters(triple, prefixes), ("limit", str(limit))])
        )

    def why_not_fact(self, name: str, terms: Sequence[str], limit: int) -> WhyNot:
        """Say why a fact of a relation does not hold. `terms` are N-Triples texts; see `GraphRelation.why_not`."""
        check_count("limit", limit, 1)
        given = [("relation", name), *(("term", term) for term in terms), ("limit", str(limit))]
        return cast("WhyNot", self._library_value("/why-not", given))

    def contradictions(self) -> list[Contradiction]:
        """Return the contradictions that the rules derive; see `KnowledgeGraph.contradictions`."""
        return ContradictionList(self._library_value("/contradictions"))

    def prove_contradictions(self, most: int | None = None, *, each: int | None = None) -> list[Proof]:
        """Return proofs of contradictions; see `KnowledgeGraph.prove_contradictions`."""
        limits = (("limit", most), ("each", each))
        given = [("proofs", "true"), *((name, str(limit)) for name, limit in limits if limit is not None)]
        return list(self._library_value("/contradictions", given))

    def unsatisfiable_classes(self) -> list[Unsatisfiable]:
        """Return the classes that nothing can be in; see `KnowledgeGraph.unsatisfiable_classes`."""
        return list(self._library_value("/contradictions", [("classes", "true")]))

    def rules(self, *, costs: bool = False, alone: bool = False, anew: bool = False) -> list[dict[str, Any]]:
        """Return a dict for each rule in force; see `KnowledgeGraph.rules`."""
        wanted = {"costs": costs, "alone": alone, "anew": anew}
        given = [(name, "true") for name, is_wanted in wanted.items() if is_wanted]
        return RuleList(self._link.get("/rules", given).json())

    def own_rules(self) -> tuple[Rule, ...]:
        """Return the rules that the user added as text or by a rule file, as of the last commit."""
        return tuple(self._library_value("/rules", [("own", "true")]))

    def _library_value(self, path: str, given: Parameters = ()) -> Any:
        return from_json(self._link.get(path, given, EXACT).json())

    # The past, if the server's store keeps its history.

    def log(self, limit: int | None = None) -> list[Head]:
        """Return the commits of the history, the newest first; at most `limit` of them. See `KnowledgeGraph.log`.

        A server lists at most its last 10,000 commits.
        """
        if limit is not None:
            check_count("limit", limit, 0)
        given = [("limit", str(_MOST_COMMITS if limit is None else limit))]
        return [Head.of_json(each) for each in self._link.get("/commits", given).json()]

    def changes(self, before: int, after: int) -> Delta:
        """Return a delta with what changed from commit `before` to commit `after`; see `KnowledgeGraph.changes`."""
        from kgreason.wire import deltas

        for each in (before, after):
            check_count("commit", each, 0)
        return deltas.from_json(self._link.get(f"/commits/{after}", [("since", str(before))], EXACT).json())

    def stats(self) -> dict[str, Any]:
        """Counts of the graph as of its last commit, by name; see `KnowledgeGraph.stats`."""
        return {name: value for name, value in self._state().items() if name not in _TOLD}

    @property
    def warnings(self) -> list[str]:
        """A line for each warning, such as a broken list or a missing import; see `KnowledgeGraph.warnings`."""
        return list(self._state()["warnings"])

    @property
    def options(self) -> dict[str, Any]:
        """The options that the graph was made with: rules, schema, same_as, aliases, on_contradiction, on_violation."""
        return dict(self._state()["options"])

    def streams(self) -> dict[str, dict[str, str]]:
        """Return the headers of the last commit of each stream, by the name of the stream."""
        return dict(self._state()["streams"])

    @property
    def prefixes(self) -> dict[str, str]:
        """The prefixes that loaded files declared; see `KnowledgeGraph.prefixes`."""
        return dict(self._state().get("prefixes", {}))

    def _shown_prefixes(self) -> dict[str, str]:
        """Return the prefixes for an answer that is shown, also if the server does not answer any more."""
        try:
            return self.prefixes
        except (ServerError, RuntimeError):  # httpx raises RuntimeError when the client is closed
            return {}

    def _state(self) -> dict[str, Any]:
        return cast(dict[str, Any], self._link.get("/stats").json())

    def dump(
        self,
        *,
        asserted: bool | None = None,
        graphs: bool | None = None,
        format: str = "nt",  # noqa: A002
        prefixes: Mapping[str, str] | None = None,
    ) -> Iterator[bytes]:
        """Return the graph as N-Triples lines or in another format, in chunks; see `KnowledgeGraph.dump`."""
        check_asserted(asserted)
        syntax = writable_format(format)
        given = [] if syntax == "nt" else [("format", syntax)]
        given += [] if graphs is None else [("graphs", str(graphs).lower())]
        given += [("prefix", f"{name}={namespace}") for name, namespace in checked_prefixes(prefixes).items()]
        return _chunks(self._link.get("/dump", [*given, *_asserted_parameter(asserted)], "*/*").file)

    def dump_relations(self, *, asserted: bool | None = None) -> Iterator[str]:
        """Return the facts of the user's relations as rule text, a line for each fact, as of this call.

        See `KnowledgeGraph.dump_relations`.
        """
        check_asserted(asserted)
        text = self._link.get("/dump", [("relations", "true"), *_asserted_parameter(asserted)], "*/*").bytes().decode()
        return iter(text.split("\n")[:-1])


def _asserted_parameter(asserted: bool | None) -> list[tuple[str, str]]:
    return [] if asserted is None else [("asserted", str(asserted).lower())]


def _term_parameters(triple: Item, prefixes: Mapping[str, str] | None) -> list[tuple[str, str]]:
    from kgreason.graph.input.quads import triple_of

    return [("term", term) for term in triple_of(triple, checked_prefixes(prefixes))]


def _chunks(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        while lines := file.readlines(_CHUNK):
            yield b"".join(lines)
