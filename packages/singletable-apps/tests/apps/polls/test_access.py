"""Who may do what: every route of the API and the pages, for a poll with a vote cast by a code.

Results are hidden until the close. Everyone here knows the code, and nobody has the proof.
"""

from __future__ import annotations

from typing import Any

import pytest

from singletable_apps.polls.entities import Protection, ResultsVisibility
from singletable_apps.polls.rules import PollDraft
from singletable_apps.polls.service import Voter
from tests.apps.polls.pages.client import Server
from tests.apps.support.access import AccessCheck, AccessTests, Table, altered, entries, refusals

API = "/api/polls"
EVERYONE = "nobody altered forged other organizer"
TABLE: Table = {
    **entries(
        API,
        {
            EVERYONE: """
                GET , POST , GET /{poll_id:uuid}, POST /{poll_id:uuid}/duplicate,
                GET /{poll_id:uuid}/qr.svg, GET /docs, GET /openapi.json, GET /problems""",
            "organizer": """
                PATCH /{poll_id:uuid}, POST /{poll_id:uuid}/close, GET /{poll_id:uuid}/codes,
                POST /{poll_id:uuid}/codes, GET /{poll_id:uuid}/results,
                GET /{poll_id:uuid}/recount, GET /{poll_id:uuid}/export/{format},
                DELETE /{poll_id:uuid}""",
            # The vote is somebody else's; there is no such problem.
            "": "GET /{poll_id:uuid}/vote, POST /{poll_id:uuid}/vote, GET /problems/{name}",
        },
    ),
    **entries(
        "/polls",
        {
            EVERYONE: """
                GET , GET /new, POST /new, GET /mine, GET /p/{poll_id}, POST /p/{poll_id},
                GET /p/{poll_id}/voted, GET /p/{poll_id}/results, POST /p/{poll_id}/next""",
            "organizer": """
                GET /p/{poll_id}/made, GET /p/{poll_id}/manage, GET /p/{poll_id}/manage/edit,
                POST /p/{poll_id}/manage/edit, GET /p/{poll_id}/manage/codes,
                POST /p/{poll_id}/manage/codes, GET /p/{poll_id}/manage/codes/sheet,
                GET /p/{poll_id}/manage/codes.csv, GET /p/{poll_id}/manage/recount,
                GET /p/{poll_id}/manage/reopen, POST /p/{poll_id}/manage/reopen,
                GET /p/{poll_id}/manage/close, POST /p/{poll_id}/manage/close,
                GET /p/{poll_id}/manage/delete, POST /p/{poll_id}/manage/delete,
                GET /p/{poll_id}/results/now, GET /p/{poll_id}/results/events""",
            # The key is wrong, and the code was used.
            "": "POST /p/{poll_id}/manage/key, GET /p/{poll_id}/receipt",
        },
    ),
    "GET /": frozenset(EVERYONE.split()),
}
# Results and votes need no key, but these are hidden, and somebody else's.
REFUSALS = refusals(
    API,
    {
        "403": """
            GET /{poll_id:uuid}/results, GET /{poll_id:uuid}/export/{format},
            GET /{poll_id:uuid}/vote, POST /{poll_id:uuid}/vote""",
        "404": "GET /problems/{name}",
    },
)


@pytest.fixture
def access() -> AccessCheck:
    """Return a poll, its organizer, and the organizer of another poll."""
    server = Server()
    polls = server.polls
    hidden, by_code = ResultsVisibility.AFTER_CLOSING, Protection.CODES
    draft = PollDraft("Where to?", ["Lake", "Castle"], results=hidden, protection=by_code)
    managed, other = polls.lifecycle.create(draft), polls.lifecycle.create(draft)
    poll_id = managed.poll.id
    [code] = polls.codes.issue(poll_id, managed.admin_key, 1)
    polls.voting.cast(poll_id, ["Castle"], Voter(code=code, proof="the proof of the voter"))
    bodies: dict[str, dict[str, Any]] = {
        f"POST {API}": {"title": "When?", "candidates": ["Now", "Later"]},
        f"PATCH {API}/{{poll_id:uuid}}": {"title": "Where?"},
        f"POST {API}/{{poll_id:uuid}}/codes": {"count": 2},
        f"GET {API}/{{poll_id:uuid}}/vote": {"code": code},
        f"POST {API}/{{poll_id:uuid}}/vote": {"rankings": ["Castle"], "code": code},
        "POST /polls/p/{poll_id}": {"code": code, "rank.Castle": "1", "sure": "yes"},
        "GET /polls/p/{poll_id}/receipt": {"code": code, "proof": "another proof"},
        "POST /polls/p/{poll_id}/manage/key": {"key": other.admin_key},
    }
    return AccessCheck(
        server,
        TABLE,
        {
            "altered": f"{managed.admin_key[:-1]}0",
            "forged": altered("x.y.z"),
            "other": other.admin_key,
            "organizer": managed.admin_key,
        },
        {},
        bodies,
        {"poll_id": poll_id, "format": "csv", "name": "x"},
        REFUSALS,
        "admin",
    )


class TestAccess(AccessTests):
    """The tests of the table."""
