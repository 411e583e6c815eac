"""The generator: the same every time, after the published profile, and like the original's output in its counts."""

import gzip
import hashlib
from collections import Counter
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

import pyoxigraph
import pytest

from kgreason.errors import InputError
from kgreason.lubm import generate, profile, write
from kgreason.lubm.profile import Bounds

TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
UB = "http://swat.cse.lehigh.edu/onto/univ-bench.owl#"
Triple = tuple[str, str, str]


def department(university: int = 0, number: int = 0, seed: int = 0) -> list[str]:
    files = dict(generate(1, seed, first=university))
    return list(files[f"University{university}_{number}.nt"])


def triples(lines: Iterable[str]) -> list[Triple]:
    """Subject, local name of the property, object; a class is named by its local name."""
    return [(s, "type" if p == TYPE else p[len(UB) + 1 : -1], o) for s, p, o in (_terms(line) for line in lines)]


def _terms(line: str) -> tuple[str, str, str]:
    subject, predicate, object_ = line.removesuffix(" .\n").split(" ", 2)
    return subject, predicate, object_.replace(f"<{UB}", "").removesuffix(">") if UB in object_ else object_


def counts(rows: Iterable[Triple]) -> Counter[str]:
    """How often each class and each property occurs."""
    return Counter(o if p == "type" else p for _, p, o in rows)


def within(number: float, bounds: Bounds) -> bool:
    return bounds.low <= number <= bounds.high


def test_the_first_department_is_what_it_was_on_every_python() -> None:
    digest = hashlib.sha256("".join(department()).encode()).hexdigest()
    assert digest == "a565455ec25369b5c45a38c59a96d11409ea67443ffb5d8e12693add65b3e80c"


def test_another_seed_gives_other_data() -> None:
    assert department(seed=0) == department(seed=0) != department(seed=1)


def test_compressed_files_have_the_same_lines_and_no_time(tmp_path: Path) -> None:
    plain, packed, again = (
        write(tmp_path / name, 1, is_compressed=name != "plain") for name in ("plain", "packed", "again")
    )
    assert [path.name for path in packed] == [f"{path.name}.gz" for path in plain]
    assert gzip.decompress(packed[0].read_bytes()) == plain[0].read_bytes()
    assert packed[0].read_bytes() == again[0].read_bytes()


def test_a_university_does_not_depend_on_where_the_run_starts() -> None:
    together = {name: list(lines) for name, lines in generate(3)}
    apart = {name: list(lines) for first in (2, 0, 1) for name, lines in generate(1, first=first)}
    assert together == apart


def test_a_department_does_not_depend_on_when_it_is_read() -> None:
    (first, first_lines), (second, second_lines) = islice(generate(1), 2)
    second_before_first = {second: list(second_lines), first: list(first_lines)}
    assert second_before_first == {first: department(number=0), second: department(number=1)}


def test_every_line_is_n_triples_and_none_repeats() -> None:
    lines = department()
    parsed = list(pyoxigraph.parse(input="".join(lines), format=pyoxigraph.RdfFormat.N_TRIPLES))
    assert len(parsed) == len(lines) == len(set(lines))
    assert all(line.endswith(" .\n") for line in lines)


@pytest.mark.parametrize("university", range(3))
def test_departments_and_faculty_are_within_the_profile(university: int) -> None:
    files = dict(generate(1, first=university))
    assert within(len(files), profile.DEPARTMENTS)
    for lines in files.values():
        found = counts(triples(lines))
        faculty = sum(found[rank.name] for rank in profile.FACULTY)
        assert all(within(found[rank.name], rank.members) for rank in profile.FACULTY)
        assert within(found["ResearchGroup"], profile.RESEARCH_GROUPS)
        assert within(found["UndergraduateStudent"] / faculty, profile.UNDERGRADUATES_PER_FACULTY)
        assert within(found["GraduateStudent"] / faculty, profile.GRADUATES_PER_FACULTY)


def test_every_person_has_the_links_of_the_profile() -> None:
    rows = triples(department())
    of_class = {name: {s for s, p, o in rows if (p, o) == ("type", name)} for name in counts(rows)}
    links = Counter((s, p) for s, p, _ in rows)
    for student in of_class["UndergraduateStudent"]:
        assert within(links[student, "takesCourse"], profile.UNDERGRADUATE_COURSES)
    for student in of_class["GraduateStudent"]:
        assert within(links[student, "takesCourse"], profile.GRADUATE_COURSES)
        assert links[student, "advisor"] == links[student, "undergraduateDegreeFrom"] == 1
    for rank in profile.FACULTY:
        for person in of_class[rank.name]:
            assert links[person, "worksFor"] == links[person, "doctoralDegreeFrom"] == 1
            assert 2 <= links[person, "teacherOf"] <= 4
            authored = [s for s, p, o in rows if (p, o) == ("publicationAuthor", person)]
            assert within(len(authored), rank.publications)


def test_courses_heads_and_assistants_are_as_the_profile_says() -> None:
    rows = triples(department())
    found = counts(rows)
    taught = Counter(o for _, p, o in rows if p == "teacherOf")
    assert set(taught.values()) == {1}
    assert len(taught) == found["Course"] + found["GraduateCourse"]
    assisted = Counter(o for _, p, o in rows if p == "teachingAssistantOf")
    assert set(assisted.values()) == {1}
    teaching = {s for s, p, o in rows if (p, o) == ("type", "TeachingAssistant")}
    research = {s for s, p, o in rows if (p, o) == ("type", "ResearchAssistant")}
    assert teaching.isdisjoint(research)
    assert all("/GraduateStudent" in person for person in teaching | research)
    [head] = [s for s, p, _ in rows if p == "headOf"]
    assert "/FullProfessor" in head


def test_counts_for_a_department_are_those_of_the_original(shared_data: Path) -> None:
    with gzip.open(shared_data / "lubm" / "lubm1.nt.gz", "rt", encoding="ascii") as file:
        original = counts(triples(file))
    ours = counts(triples(line for _, lines in generate(5) for line in lines))
    assert ours.keys() == original.keys()
    for name in original.keys() - {"University"}:  # that one does not grow with the departments
        expected = original[name] / original["Department"]
        assert ours[name] / ours["Department"] == pytest.approx(expected, rel=0.08), name


def test_write_makes_one_file_for_each_department(tmp_path: Path) -> None:
    paths = write(tmp_path / "new" / "folder", 2, seed=7)
    assert [path.name for path in paths] == [name for name, _ in generate(2, seed=7)]
    assert paths[1].read_text() == "".join(department(number=1, seed=7))


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=r"file.*cannot be written"):
        write(tmp_path / "file", 1)
