"""A minimal matrix of people and skills on FastAPI, sqlite3 and Jinja2, written by hand.

It asks SQLite the same: a page of people by name, all skills, and what these people know. Its
table has a number in each cell, without links, titles and design.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Mapping
from pathlib import Path

from fastapi import FastAPI
from jinja2 import Environment
from starlette.responses import HTMLResponse

_TABLES = """
CREATE TABLE people (username TEXT PRIMARY KEY, name TEXT);
CREATE INDEX people_by_name ON people (name);
CREATE TABLE skills (id TEXT PRIMARY KEY, name TEXT);
CREATE TABLE known (username TEXT, skill TEXT, level INT, years INT, last_used TEXT,
  endorsements INT, PRIMARY KEY (username, skill)) WITHOUT ROWID;
"""
_PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Matrix</title></head>
<body><table><thead><tr><th>Name</th>{% for skill in skills %}<th>{{ skill.name }}</th>{% endfor %}
</tr></thead><tbody>{% for person in people %}<tr><th>{{ person.name }}</th>
{% set row = levels[person.username] %}{% for skill in skills %}<td>{{ row.get(skill.id, "") }}</td>
{% endfor %}</tr>{% endfor %}</tbody></table></body></html>"""


def create_matrix(file: Path, people: Mapping[str, Mapping[str, int]]) -> None:
    """Create the database: people with the levels of their skills by name."""
    with sqlite3.connect(file) as connection:
        connection.executescript(f"PRAGMA journal_mode=WAL; {_TABLES}")
        names = sorted({name for skills in people.values() for name in skills})
        connection.executemany("INSERT INTO skills VALUES (?, ?)", zip(names, names, strict=True))
        connection.executemany(
            "INSERT INTO people VALUES (?, ?)", [(each, each.capitalize()) for each in people]
        )
        connection.executemany(
            "INSERT INTO known VALUES (?, ?, ?, 3, '2026-01-01', 0)",
            [(who, name, level) for who, has in people.items() for name, level in has.items()],
        )


def make_matrix(file: Path) -> FastAPI:
    """Return the app."""
    app = FastAPI(openapi_url=None)
    page = Environment(autoescape=True).from_string(_PAGE)
    threads = threading.local()

    def rows(sql: str) -> list[sqlite3.Row]:
        if not hasattr(threads, "connection"):
            threads.connection = sqlite3.connect(file)
            threads.connection.row_factory = sqlite3.Row
        found: list[sqlite3.Row] = threads.connection.execute(sql).fetchall()
        return found

    @app.get("/matrix")
    def show_matrix() -> HTMLResponse:
        people = rows("SELECT * FROM people ORDER BY name LIMIT 200")
        levels: dict[str, dict[str, int]] = {person["username"]: {} for person in people}
        for known in rows(
            "SELECT known.* FROM known JOIN (SELECT username FROM people ORDER BY name LIMIT 200) "
            "USING (username)"
        ):
            levels[known["username"]][known["skill"]] = known["level"]
        skills = rows("SELECT * FROM skills ORDER BY name LIMIT 60")
        return HTMLResponse(page.render(people=people, skills=skills, levels=levels))

    return app
