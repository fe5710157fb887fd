"""The command that loads files of entities."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from singletable import Store, connect
from tools.testing.commands import Run

TRACKER = """
from datetime import UTC, date, datetime
from enum import Enum

from singletable import Attr, Count, Entity, Key, Table, Unique, attr, created, version

tracker = Table("tracker")


class Kind(Enum):
    BUG = "bug"
    IDEA = "idea"


class Project(Entity, table=tracker):
    name: Attr[str] = attr()
    issues: Attr[int] = attr(default=0)
    key = Key(pk=("PROJECT", name), sk="PROJECT")


class Issue(Entity, table=tracker):
    project: Attr[str] = attr()
    number: Attr[int] = attr()
    slug: Attr[str | None] = attr(default=None)
    kind: Attr[Kind] = attr(default=Kind.BUG)
    due: Attr[date | None] = attr(default=None)
    labels: Attr[set[str]] = attr(factory=set)
    open: Attr[bool] = attr(default=True)
    made: Attr[datetime] = created()
    version: Attr[int] = version()
    key = Key(pk=("PROJECT", project), sk=("ISSUE", number))
    counted = Count(Project, Project.issues, key=(project,))
    one_slug = Unique(slug)
"""
APP, ADDRESS = "bulk_tracker", "file:tracker.db"

JSON_LINES = [
    {"Project": {"name": "web"}},
    {"Issue": {"project": "web", "number": 1, "slug": "one", "due": "2026-03-01", "labels": ["a"]}},
    {"Issue": {"project": "web", "number": 2, "kind": "idea", "made": "2020-01-01T00:00:00Z"}},
]


@pytest.fixture(autouse=True)
def app_folder(folder: Path, run: Run, wide_terminal: None) -> None:
    """Run in a folder with the module and its table."""
    (folder / f"{APP}.py").write_text(TRACKER)
    assert run("table", "create", APP, ADDRESS)[0] == 0


def write_lines(*lines: object) -> None:
    Path("items.jsonl").write_text("\n".join(json.dumps(line) for line in lines) + "\n\n")


def issues() -> list[object]:
    """Return the number, kind, due date, labels, state, year and version of all issues."""
    from bulk_tracker import Issue, Project  # type: ignore[import-not-found]

    with connect(ADDRESS) as driver:
        store = Store(driver)
        project = store.get(Project.key("web"))
        found = list(store.query(Issue.key.partition("web")))
        assert (project.issues if project else 0) == len(found)
        return [
            (one.number, one.kind.value, str(one.due), one.labels, one.open, one.version)
            for one in found
        ]


def test_json_lines_are_loaded_once(run: Run) -> None:
    write_lines(*JSON_LINES)
    for expected in ("3 written, 0 stored already", "0 written, 3 stored already"):
        code, out, err = run("bulk-load", APP, ADDRESS, "items.jsonl")
        assert (code, err) == (0, "")
        assert out == f"{expected}, 0 in conflict.\n"
    assert issues() == [
        (1, "bug", "2026-03-01", {"a"}, True, 1),
        (2, "idea", "None", set(), True, 1),
    ]


def test_csv_is_loaded(run: Run) -> None:
    write_lines({"name": "web"})
    assert run("bulk-load", APP, ADDRESS, "items.jsonl", "--entity", "Project")[0] == 0
    Path("items.csv").write_text(
        "project,number,slug,kind,due,labels,open,version\n"
        'web,1,one,,2026-03-01,"[""a""]",false,\n'
        "web,2,,idea,,,,7\n"
    )
    code, out, _ = run("bulk-load", APP, ADDRESS, "items.csv", "--entity", "Issue")
    assert (code, out) == (0, "2 written, 0 stored already, 0 in conflict.\n")
    assert issues() == [
        (1, "bug", "2026-03-01", {"a"}, False, 1),
        (2, "idea", "None", set(), True, 7),
    ]


INVALID: dict[str, tuple[str, tuple[str, ...], str]] = {
    "no JSON": ('{"Project": {"name": "web"}}\n{', (), "items.jsonl, line 2: is not JSON"),
    "no object": ("[1]", (), "line 1: expected a JSON object"),
    "no entity": ('{"name": "web"}', (), "line 1: expected an object that names its entity"),
    "misspelled entity": ('{"Isue": {"number": 1}}', (), "but got the keys 'Isue'. Entities:"),
    "unknown field": ('{"Project": {"title": "x"}}', (), "Project has no field 'title'"),
    "missing field": ('{"Issue": {"project": "web"}}', (), "line 1: Issue: expected a value for"),
    "wrong type": (
        '{"Issue": {"project": "web", "number": "1"}}',
        (),
        "line 1: Issue.number: Expected `int`, got `str`. The value is '1'.",
    ),
    "wrong choice": (
        '{"Issue": {"project": "web", "number": 1, "kind": "x"}}',
        (),
        "line 1: Issue.kind",
    ),
    "empty key": ('{"Project": {"name": ""}}', (), "line 1: Project.name"),
    "unknown entity": ("{}", ("--entity", "Nobody"), "Entities: Project, Issue."),
    "CSV without entity": ("name\nweb", (), "Name it with --entity"),
    "CSV with an unknown field": (
        "title\nweb",
        ("--entity", "Project"),
        "line 1: Project has no field 'title'",
    ),
    "CSV with a short row": (
        "name,issues\nweb",
        ("--entity", "Project"),
        "line 2: expected 2 cells, but got 1",
    ),
    "CSV with a wrong number": (
        "project,number\nweb,one",
        ("--entity", "Issue"),
        "line 2: Issue.number",
    ),
}


@pytest.mark.parametrize("name", INVALID)
def test_invalid_lines_are_named(run: Run, name: str) -> None:
    text, options, expected = INVALID[name]
    file = "items.csv" if name.startswith("CSV") else "items.jsonl"
    Path(file).write_text(text)
    assert expected in run.rejected("bulk-load", APP, ADDRESS, file, *options)
    assert issues() == []


def test_missing_files_and_tables_are_reported(run: Run) -> None:
    assert "'none.jsonl' cannot be read" in run("bulk-load", APP, ADDRESS, "none.jsonl")[2]
    assert "ends with '.txt'" in run("bulk-load", APP, ADDRESS, "items.txt")[2]
    write_lines(*JSON_LINES)
    err = run.rejected("bulk-load", APP, "file:none.db", "items.jsonl")
    assert "There is no file" in err
    assert "singletable table create APP file:none.db" in err
    assert "There is no table 'other'" in run.rejected(
        "bulk-load", APP, ADDRESS, "items.jsonl", "--table-name", "tracker=other"
    )


def test_conflicts_stop_the_load_or_are_skipped(run: Run) -> None:
    write_lines(*JSON_LINES)
    run("bulk-load", APP, ADDRESS, "items.jsonl")
    write_lines(
        {"Issue": {"project": "web", "number": 9, "slug": "one"}},
        {"Issue": {"project": "web", "number": 3}},
    )
    err = run.rejected("bulk-load", APP, ADDRESS, "items.jsonl")
    assert "items.jsonl, line 1: Issue.one_slug: another Issue has the same slug." in err
    assert "--skip-conflicts" in err
    code, out, err = run("bulk-load", APP, ADDRESS, "items.jsonl", "--skip-conflicts")
    assert (code, out) == (1, "1 written, 0 stored already, 1 in conflict.\n")
    assert "line 1: Issue.one_slug" in err
    assert [one[0] for one in issues()] == [1, 2, 3]  # type: ignore[index]
