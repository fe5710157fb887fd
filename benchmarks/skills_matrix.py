"""Skills: the matrix of 200 people and 60 skills, beside a minimal page written by hand."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path

from benchmarks.harness.measurement import Scale, expect, show_progress, temporary_folder
from benchmarks.harness.report import (
    ReportTable,
    Target,
    format_milliseconds,
    format_rate,
    format_ratio,
)
from benchmarks.http_load.crowd import CrowdResult, GetRequest, send_all, serve_app
from benchmarks.http_load.sqlite_matrix import create_matrix
from singletable import connect
from singletable_apps.skills.entities import Directory, Skill, SkillCount, User, UserSkill
from singletable_apps.skills.rules import LEVELS, derive_skill_id
from singletable_apps.skills.service import open_skills

CLAIM = (
    "the matrix is served at a quarter of the rate of a minimal FastAPI and SQLite page or better"
)
RATE = Target(at_least=0.25)
SECRET = b"a secret for the benchmark alone"
PEOPLE, SKILLS, KNOWN, CONNECTIONS = 200, 60, 15, 4


def measure(scale: Scale) -> Iterable[ReportTable]:
    """Serve both pages in turn, and read them."""
    people = sample_people(min(PEOPLE, scale.clients))
    requests, cells = max(4, scale.clients // 20), len(people) * SKILLS
    with temporary_folder() as folder:
        show_progress(f"{len(people)} people in both apps")
        create_matrix(folder / "matrix.db", people)
        cookie = fill_skills(folder, people)
        peer = _measure("sqlite-matrix", folder, GetRequest("/matrix"), requests, cells)
        page = GetRequest("/skills/matrix?size=200", {"Cookie": f"skills_access={cookie}"})
        ours = _measure("skills", folder, page, requests, cells)
    ratio = peer.seconds / ours.seconds
    return [
        ReportTable(
            f"A matrix of {len(people)} people and {SKILLS} skills, {KNOWN} known by each, "
            f"one process, {CONNECTIONS} connections",
            ["page", "rate", "p50", "p99", "size", "ratio", "target"],
            [
                ["minimal", *_figures(peer), "", ""],
                ["skills", *_figures(ours), format_ratio(ratio), RATE.verdict(ratio)],
            ],
            [
                "The minimal page reads the rows with one join and shows a number in each cell. "
                f"The directory checks the session, reads {len(people) * KNOWN:,} whole items in "
                f"{SKILLS} queries of an index, and shows levels with years, last use and "
                "endorsements."
            ],
        )
    ]


def _measure(app: str, folder: Path, page: GetRequest, requests: int, cells: int) -> CrowdResult:
    with serve_app(app, folder) as port:
        send_all(port, [page] * CONNECTIONS, CONNECTIONS)
        result = send_all(port, [page] * requests, CONNECTIONS)
    expect({body.count(b"<td") for body in result.bodies}, {cells})
    return result


def _figures(result: CrowdResult) -> list[str]:
    pages = len(result.bodies)
    return [
        format_rate(pages / result.seconds),
        f"{format_milliseconds(result.percentile(0.5))} ms",
        f"{format_milliseconds(result.percentile(0.99))} ms",
        f"{sum(map(len, result.bodies)) / pages / 1000:.0f} kB",
    ]


def sample_people(people: int) -> Mapping[str, Mapping[str, int]]:
    """Return the levels of people by the names of the skills, as ranks from 1 to 4."""
    generator = random.Random(1)
    names = [f"Skill {number}" for number in range(SKILLS)]
    return {
        f"person{number:03}": {
            name: generator.randint(1, len(LEVELS)) for name in generator.sample(names, KNOWN)
        }
        for number in range(people)
    }


def fill_skills(folder: Path, people: Mapping[str, Mapping[str, int]]) -> str:
    """Store the people in the skills directory, and return the access token of one of them."""
    names = sorted({name for skills in people.values() for name in skills})
    counts = {name: SkillCount(skill_id=derive_skill_id(name)) for name in names}
    items: list[object] = [Directory()]
    items += [Skill(skill_id=derive_skill_id(name), name=name) for name in names]
    for number, (username, skills) in enumerate(people.items(), 1):
        items.append(User(username=username, user_id=number, name=username.capitalize()))
        for name, rank in skills.items():
            level = LEVELS[rank - 1]
            items.append(
                UserSkill(
                    username=username,
                    skill_id=derive_skill_id(name),
                    skill_name=name,
                    level=level,
                    years=3,
                    last_used=date(2026, 1, 1),
                )
            )
            field = level.lower()
            setattr(counts[name], field, getattr(counts[name], field) + 1)
    with connect(f"file:{folder / 'skills.db'}") as driver:
        service = open_skills(driver, SECRET)
        service.context.store.bulk_load([*items, *counts.values()])
        user = service.context.get_user(next(iter(people)))
        return service.accounts.start_session(user).access
