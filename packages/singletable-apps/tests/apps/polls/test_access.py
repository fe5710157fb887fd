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
from tests.apps.polls.support.harness import changed
from tests.apps.support.access import AccessCheck, AccessTests, Table, altered, entries, refusals

API = "/api/polls"
EVERYONE = "nobody altered forged other organizer"
TABLE: Table = {
    **entries(
        API,
        {
            EVERYONE: """
                GET , POST , GET /{poll_id:poll}, GET /{poll_id:poll}/comments,
                POST /{poll_id:poll}/comments, GET /docs, GET /openapi.json, GET /problems""",
            "organizer": """
                PATCH /{poll_id:poll}, POST /{poll_id:poll}/close, GET /{poll_id:poll}/codes,
                POST /{poll_id:poll}/codes, DELETE /{poll_id:poll},
                DELETE /{poll_id:poll}/options/{name},
                PUT /{poll_id:poll}/options/{name}/picture,
                DELETE /{poll_id:poll}/comments/{comment_id}""",
            # The vote is somebody else's, results of votes with codes are secret, and there is no
            # such problem.
            "": """
                POST /{poll_id:poll}/options,
                GET /{poll_id:poll}/vote, POST /{poll_id:poll}/vote, GET /{poll_id:poll}/results,
                GET /{poll_id:poll}/export/{format}, GET /problems/{name}""",
        },
    ),
    **entries(
        "/polls",
        {
            EVERYONE: """
                GET , GET /new, POST /new, GET /mine, GET /p/{poll_id}, POST /p/{poll_id},
                GET /p/{poll_id}/voted, GET /p/{poll_id}/results, POST /p/{poll_id}/next,
                GET /p/{poll_id}/picture.png, GET /p/{poll_id}/embed, GET /{typed},
                POST /p/{poll_id}/comments, POST /p/{poll_id}/options""",
            "organizer": """
                GET /p/{poll_id}/made, GET /p/{poll_id}/manage, GET /p/{poll_id}/manage/edit,
                POST /p/{poll_id}/manage/edit, GET /p/{poll_id}/manage/codes,
                POST /p/{poll_id}/manage/codes, GET /p/{poll_id}/manage/codes/sheet,
                GET /p/{poll_id}/manage/codes.csv,
                GET /p/{poll_id}/manage/reopen, POST /p/{poll_id}/manage/reopen,
                GET /p/{poll_id}/manage/close, POST /p/{poll_id}/manage/close,
                GET /p/{poll_id}/manage/delete, POST /p/{poll_id}/manage/delete,
                POST /p/{poll_id}/manage/options/remove,
                GET /p/{poll_id}/manage/picture, POST /p/{poll_id}/manage/picture,
                POST /p/{poll_id}/manage/comments/{comment_id}/delete""",
            # The code was used, and results of votes with codes are secret.
            "": """
                GET /p/{poll_id}/receipt,
                GET /p/{poll_id}/pictures/{name},
                GET /p/{poll_id}/notices, POST /p/{poll_id}/notices,
                GET /p/{poll_id}/results/now, GET /p/{poll_id}/results/events""",
        },
    ),
    "GET /": frozenset(EVERYONE.split()),
}
# Results and votes need no key, but these are hidden, and somebody else's.
REFUSALS = {
    **refusals(
        API,
        {
            "403": """
                POST /{poll_id:poll}/options,
                GET /{poll_id:poll}/results, GET /{poll_id:poll}/export/{format},
                GET /{poll_id:poll}/vote, POST /{poll_id:poll}/vote""",
            "404": "GET /problems/{name}",
        },
    ),
    **refusals(
        "/polls",
        {
            "404": """
                GET /p/{poll_id}/notices, POST /p/{poll_id}/notices,
                GET /p/{poll_id}/pictures/{name}""",
        },
    ),
}


@pytest.fixture
def access() -> AccessCheck:
    """Return a poll, its organizer, and the organizer of another poll."""
    server = Server()
    polls = server.polls
    hidden, by_code = ResultsVisibility.AFTER_CLOSING, Protection.CODES
    draft = changed(
        PollDraft("Where to?", ["Lake", "Castle"]),
        results=hidden,
        protection=by_code,
        comments=True,
    )
    managed, other = polls.lifecycle.create(draft), polls.lifecycle.create(draft)
    poll_id = managed.poll.id
    [code] = polls.codes.issue(poll_id, managed.admin_key, 1)
    polls.voting.cast(poll_id, ["Castle"], Voter(code=code, proof="the proof of the voter"))
    bodies: dict[str, dict[str, Any]] = {
        f"POST {API}": {"title": "When?", "candidates": ["Now", "Later"]},
        f"PATCH {API}/{{poll_id:poll}}": {"title": "Where?"},
        f"POST {API}/{{poll_id:poll}}/codes": {"count": 2},
        f"POST {API}/{{poll_id:poll}}/comments": {"text": "Nice."},
        f"POST {API}/{{poll_id:poll}}/options": {"name": "Sea"},
        f"PUT {API}/{{poll_id:poll}}/options/{{name}}/picture": {"data": "", "alt": "A lake"},
        "POST /polls/p/{poll_id}/comments": {"text": "Nice."},
        "POST /polls/p/{poll_id}/options": {"option": "Sea", "code": code},
        f"GET {API}/{{poll_id:poll}}/vote": {"code": code},
        f"POST {API}/{{poll_id:poll}}/vote": {"rankings": ["Castle"], "code": code},
        "POST /polls/p/{poll_id}": {"code": code, "rank.Castle": "1", "sure": "yes"},
        "GET /polls/p/{poll_id}/receipt": {"code": code, "proof": "another proof"},
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
        {"poll_id": poll_id, "format": "csv", "name": "Lake", "comment_id": "x", "typed": poll_id},
        REFUSALS,
        "admin",
    )


class TestAccess(AccessTests):
    """The tests of the table."""
