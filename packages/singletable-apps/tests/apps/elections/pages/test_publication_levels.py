"""No page shows more of the ballots than the election publishes."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest

from singletable import connect
from singletable_apps.elections.entities import Publication, User
from singletable_apps.elections.proofs.encoding import format_code
from singletable_apps.elections.service import ElectionSettings
from tests.apps.elections.pages.client import Browser, browser
from tests.apps.support.elections.world import World, ballot

NAME = "Chair"
VOTERS = ("Zenobia", "Quirin", "Xanthe")
BALLOTS = (("Red", "Blue"), ("Red", "Blue"), ("Green", "Blue"))
PAGES = (("tally",), ("tally", "rankings"), ("tally", "ballots"), ("published",), ("voted",))
FILES = (("tally", "result.json"), ("tally", "ballots", "csv"), ("tally", "ballots", "rctab"))


@dataclass(frozen=True)
class TallySite:
    """An election with its voters, and someone who did not vote."""

    world: World
    owner: User
    voters: list[User]
    onlooker: Browser

    @property
    def confirmations(self) -> list[str]:
        shown = self.world.service.voting.ballot
        return [shown(one, NAME, one.name).receipt["confirmation"] for one in self.voters]


def make_site(secret: bool, publication: Publication | None, *, closed: bool = True) -> TallySite:
    world = World(connect("memory:"))
    owner, onlooker, *voters = world.register("Ada", "Looker", *VOTERS)
    world.launch(
        owner,
        NAME,
        terms=ElectionSettings(secret_ballot=secret, publication=publication),
        voters=VOTERS,
    )
    for voter, order in zip(voters, BALLOTS, strict=True):
        world.service.voting.cast(voter, NAME, ballot(*order), "once")
    if closed:
        world.service.lifecycle.close(owner, NAME)
    return TallySite(world, owner, voters, browser(world.service, onlooker))


# What each page may show, by whether ballots are secret and by publication level. "names" are names
# beside ballots; who voted is public at every level.
CASES: list[tuple[bool, Publication, dict[str, set[str]]]] = [
    (True, Publication.TOTALS, {"tally": set(), "published": {"codes"}}),
    (
        True,
        Publication.ANONYMOUS,
        {"tally": {"rankings"}, "tally/rankings": {"rankings"}, "published": {"codes"}},
    ),
    (
        True,
        Publication.CONFIRMATIONS,
        {
            "tally": {"rankings"},
            "tally/rankings": {"rankings"},
            "tally/ballots": {"rankings", "codes"},
            "published": {"codes"},
        },
    ),
    (False, Publication.TOTALS, {"tally": set(), "published": {"codes"}}),
    (
        False,
        Publication.CONFIRMATIONS,
        {
            "tally": {"rankings"},
            "tally/rankings": {"rankings"},
            "tally/ballots": {"rankings", "codes", "names"},
            "published": {"codes"},
        },
    ),
]


@pytest.mark.parametrize(
    ("secret", "level", "allowed"), CASES, ids=[f"{s}-{p}" for s, p, _ in CASES]
)
def test_page_shows_what_is_published_and_no_more(
    secret: bool, level: Publication, allowed: dict[str, set[str]]
) -> None:
    site = make_site(secret, level)
    for parts in PAGES:
        page = "/".join(parts)
        last = site.onlooker.get("e", NAME, *parts)
        answer, *_ = *last.history, last
        assert (answer.status_code == 200) == (page in allowed or page == "voted"), page
        assert _found(answer.text, site) == allowed.get(page, set()) | (
            {"names"} if page == "voted" else set()
        ), page


def _found(html: str, site: TallySite) -> set[str]:
    codes = site.confirmations
    found = set[str]()
    if 'class="ranking"' in html:
        found.add("rankings")
    text = re.sub("</?strong>", "", html)
    if any(code in text or format_code(code) in text for code in codes):
        found.add("codes")
    if any(name in html for name in VOTERS):
        found.add("names")
    return found


def test_totals_only_elections_offer_no_ballots() -> None:
    site = make_site(True, Publication.TOTALS)
    read = site.onlooker.read("e", NAME, "tally")
    assert "Only totals are published" in read
    assert "Red wins" in read
    assert "CSV" not in read
    assert "RCTab rounds" not in read
    refused = site.onlooker.get("e", NAME, "tally", "ballots", "csv")
    assert refused.status_code == 403
    assert "publishes totals only" in refused.text
    assert site.onlooker.get("e", NAME, "tally", "ballots", "rctab").status_code == 403


def test_anonymous_ballots_have_a_warning_and_no_list() -> None:
    site = make_site(True, Publication.ANONYMOUS)
    read = site.onlooker.read("e", NAME, "tally")
    assert "33.3% of these ballots are unique" in read
    assert "Ballots by" not in read
    moved = site.onlooker.get("e", NAME, "tally", "ballots")
    assert moved.url.path == "/elections/e/Chair/tally/rankings"


# Someone who watches the count while ballots come in could tell how the last person voted.
def test_secret_count_is_hidden_from_everyone_before_the_close() -> None:
    site = make_site(True, Publication.CONFIRMATIONS, closed=False)
    for who in (site.onlooker, browser(site.world.service, site.owner)):
        answer = who.get("e", NAME, "tally")
        assert answer.status_code == 200
        assert "Counted after voting closes" in answer.text
        assert "3 of 3 have voted" in answer.text
        assert _found(answer.text, site) == set()
        assert "Red" not in answer.text
        for parts in (*FILES, ("tally", "now"), ("tally", "rankings"), ("tally", "ballots")):
            refused = who.get("e", NAME, *parts)
            assert refused.status_code == 409, parts
            assert _found(refused.text, site) == set()
        later = who.get("e", NAME, "published")
        assert "Published after the close" in later.text
        assert _found(later.text, site) == set()
        assert who.get("e", NAME, "published", "publication.json").status_code == 409


def test_names_of_deleted_accounts_are_shown_nowhere() -> None:
    site = make_site(False, Publication.CONFIRMATIONS)
    site.world.service.people.remove(site.owner, "Zenobia")
    voted = site.onlooker.read("e", NAME, "voted")
    assert "1 ballot from deleted accounts" in voted
    ballots = site.onlooker.read("e", NAME, "tally", "ballots")
    assert "Deleted account Red Blue" in ballots
    assert "Zenobia" not in voted + ballots
    assert "removed@" not in voted + ballots
