"""`Report`: a validation report (SHACL, 3.6), read from the results that the rules have derived.

    report.conforms, report.results      str(report)      report.to_graph()      report.to_pandas()

A result tells which node (`focus`) violates which constraint of which shape. Law: `conforms` is true exactly if there
is no result, of whatever severity; a part of a report has the `conforms` of the whole. Cost: some microseconds for each
result.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from html import escape
from io import BytesIO
from typing import TYPE_CHECKING, Any

from kgreason.rdf.writing import write
from kgreason.shapes.graph import ShapesGraph
from kgreason.shapes.paths import Path, path_of
from kgreason.shapes.result import Result, end, results_of, shortener
from kgreason.shapes.vocabulary import SH

if TYPE_CHECKING:
    import pandas
    import rdflib
    from pyoxigraph import Triple

_COLUMNS = ("focus", "path", "value", "source_shape", "component", "severity", "message")


class Report:
    """A validation report: whether the data conforms to the shapes, and the results if it does not.

    `data` says over what was validated: "inferred" or "asserted". `shapes` is the shapes graph. `conforms` says
    whether the data conforms; None means that it does if there are no results.
    """

    def __init__(
        self,
        shapes: ShapesGraph,
        facts: Iterable[Sequence[Any]],
        data: str = "inferred",
        conforms: bool | None = None,
    ) -> None:
        self.shapes, self.data = shapes, data
        self.results = results_of(facts, shapes)
        self.conforms = not self.results if conforms is None else conforms
        """Whether the data conforms to the shapes: there is no result, also outside of this part of a report."""

    def __bool__(self) -> bool:
        """True, also for data that does not conform."""
        return True

    def __len__(self) -> int:
        """The number of results."""
        return len(self.results)

    def __iter__(self) -> Iterator[Result]:
        return iter(self.results)

    def __repr__(self) -> str:
        return f"<Report: {self.verdict()}>"

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self, prefixes: Mapping[str, str] | None = None, language: str | None = None) -> str:
        """Return a line for each result, and one that counts them. `language` chooses among messages."""
        lines = [each.to_text(prefixes, language) for each in self.results]
        return "\n".join([*lines, self.verdict()])

    def to_markdown(self, prefixes: Mapping[str, str] | None = None) -> str:
        """Return the report as a table in Markdown."""
        rows = [_COLUMNS, ("---",) * len(_COLUMNS), *self._rows(prefixes)]
        table = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
        return "\n".join([self.verdict(), *(["", *table] if self.results else [])])

    def _repr_html_(self) -> str:
        """Return the report as a table, which notebooks show."""
        head = "".join(f"<th>{name}</th>" for name in _COLUMNS)
        rows = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in self._rows(None))
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        return f"<table><caption>{escape(self.verdict())}</caption><tr>{head}</tr>{body}</table>"

    def to_json(self, language: str | None = None) -> dict[str, Any]:
        """Return the report as a dict that JSON can write, with terms as N-Triples text."""
        results = [each.to_json(language) for each in self.results]
        return {"conforms": self.conforms, "data": self.data, "results": results}

    def to_pandas(self) -> pandas.DataFrame:
        """Return a frame of pandas with a row for each result. Needs pandas."""
        import pandas

        return pandas.DataFrame(list(self._rows(None)), columns=list(_COLUMNS))

    def to_graph(self) -> rdflib.Graph:
        """Return the report in W3C's form, as a graph of rdflib. Needs rdflib."""
        from kgreason.shapes.report_graph import rdflib_graph

        return rdflib_graph(self.triples())

    def triples(self) -> Iterator[Triple]:
        """Yield the triples of the report in W3C's form, as pyoxigraph has them."""
        from kgreason.shapes.report_graph import report_triples

        with_paths = {str(each.source_shape) for each in self.results if isinstance(each.path, str)}
        return report_triples(self.results, self.conforms, {shape: self._path(shape) for shape in with_paths})

    def to_rdf(self, syntax: str = "ttl", prefixes: Mapping[str, str] | None = None) -> str:
        """Return the report in W3C's form as text: `syntax` is ttl, nt, jsonld, rdf or n3. Raises InputError."""
        out = BytesIO()
        write(self.triples(), out, syntax, {"sh": SH, **(prefixes or {})})
        return out.getvalue().decode()

    def part(self, *, shape: str | None = None, focus: str | None = None, severities: Collection[str] = ()) -> Report:
        """Return the report with only the results of a shape, of a focus node, or of some severities.

        `conforms` stays that of the whole report.
        `shape` and `focus` are N-Triples texts. A severity is the IRI of one, or a word such as "Warning"; without
        `severities` all count.
        """
        wanted = {each if ":" in each else f"{SH}{each}" for each in severities}
        return Report(
            self.shapes,
            (
                each.fact
                for each in self.results
                if shape in (None, str(each.source_shape))
                and focus in (None, str(each.focus))
                and (not wanted or each.severity.value in wanted)
            ),
            self.data,
            self.conforms,
        )

    def _rows(self, prefixes: Mapping[str, str] | None) -> Iterator[tuple[str, ...]]:
        short = shortener(prefixes or {})
        for each in self.results:
            path = "" if each.path is None else short(each.path)
            value = "" if each.value is None else short(each.value)
            ends = short(each.source_shape), end(each.component), end(each.severity)
            yield short(each.focus), path, value, *ends, each.message() or each.words(short)

    def verdict(self) -> str:
        """Return a line that says whether the data conforms, and how many results there are."""
        count = len(self.results)
        if self.conforms:
            return "the data conforms to the shapes"
        results = "0 results in this part" if not count else f"{count:,} {'result' if count == 1 else 'results'}"
        return f"the data does not conform to the shapes: {results}"

    def _path(self, shape: str) -> Path | None:
        node = self.shapes.one(shape, "path")
        return None if node is None else path_of(self.shapes, node)
