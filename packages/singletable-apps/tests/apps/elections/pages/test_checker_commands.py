"""The commands that pages show check what the pages hand out, however someone voted."""

from __future__ import annotations

import html
import json
import re
import shlex
import subprocess
import sys
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest

from singletable_apps.elections.entities import Election, Electorate, Publication, RollVoter
from singletable_apps.elections.proofs.keys import format_fingerprint
from singletable_apps.elections.rules.roll import parse_roll, split_text
from singletable_apps.elections.service import ElectionSettings
from tests.apps.elections.pages.client import CHAIR, Browser, PagesApp, ballot_fields, url

SECOND = "Budget"
ROLL = "Cleo <cleo@example.org>\nDan <dan@example.org>\nEve\nFay <fay@example.org>"
WAYS = ("account", "link", "card")
# Publication, whether ballots are secret, and what else happens before the close.
ELECTIONS = (
    (Publication.TOTALS, True, "nothing"),
    (Publication.ANONYMOUS, True, "replaced"),
    (Publication.CONFIRMATIONS, True, "cast again"),
    (Publication.CONFIRMATIONS, False, "candidate added"),
    (Publication.TOTALS, True, "election renamed"),
)
# All ways to vote and all elections; the others are with the remaining tests.
OFTEN = {(0, "link"), (1, "card"), (2, "link"), (3, "account"), (4, "link")}
CASES = [
    pytest.param(way, *election, marks=() if (at, way) in OFTEN else pytest.mark.rest)
    for at, election in enumerate(ELECTIONS)
    for way in WAYS
]


@dataclass
class Voter:
    """Someone who votes in their own way, and keeps what they download in a folder."""

    app: PagesApp
    browser: Browser
    entry: RollVoter | None
    folder: Path

    def page(self, election: Election, *parts: str) -> httpx2.Response:
        """Open a page of an election, with an account or with the personal link."""
        return self.browser.open(self._url(election, *parts))

    def cast(self, election: Election, *best_first: str) -> httpx2.Response:
        """Vote, and return the page with the receipt."""
        fields = ballot_fields(self.page(election, "ballot"))
        marks = {f"rank.{name}": str(rank) for rank, name in enumerate(best_first, 1)}
        if "choice" in fields:
            marks = {"choice": best_first[0]}
        answer = self.browser.post(
            self._url(election, "ballot"), {**fields, **marks, "sure": "yes"}
        )
        if answer.status_code == 200:  # shown once
            return answer
        self.browser.follow(answer)
        return self.page(election, "receipt")

    def withdraw(self, election: Election) -> None:
        answer = self.browser.post(self._url(election, "ballot", "withdraw"))
        assert answer.status_code == 303, answer.text

    def _url(self, election: Election, *parts: str) -> str:
        if self.entry is None:
            return url("e", election.name, *parts)
        return url("v", self.app.world.service.rolls.code(election, self.entry), *parts)

    def save(self, page: httpx2.Response) -> list[Path]:
        """Download all files that a page offers, and return the JSON files."""
        saved: list[Path] = []
        for tag in re.findall(r"<a [^>]*\bdownload\b[^>]*>", page.text):
            href = html.unescape(tag.partition('href="')[2].partition('"')[0])
            if href.startswith("data:"):
                name = html.unescape(tag.partition('download="')[2].partition('"')[0])
                data = b64decode(href.partition(",")[2])
            else:
                answer = self.browser.open(str(page.url.join(href)))
                disposition = answer.headers["content-disposition"]
                name, data = (
                    disposition.partition('filename="')[2].partition('"')[0],
                    answer.content,
                )
            (self.folder / name).write_bytes(data)
            saved += [self.folder / name] if name.endswith(".json") else []
        return saved

    def check(self, receipt: Path) -> httpx2.Response:
        """Upload a receipt to the check page, without an account."""
        files = {"file": (receipt.name, receipt.read_bytes())}
        return self.app.browser().post(url("check"), {"receipt": ""}, files=files)

    def run(self, command: str, **files: str) -> int:
        """Run a command from a page with the files in place of its placeholders."""
        key = format_fingerprint(self.app.world.service.context.keys.signer.public_key)
        for word, value in {**files, "FINGERPRINT": key}.items():
            command = re.sub(rf"\b{word}\b", value, command)
        program, *arguments = shlex.split(command)
        assert program == "python3"
        ran = subprocess.run(
            [sys.executable, "-I", *arguments],
            cwd=self.folder,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        assert "Traceback" not in ran.stderr
        assert (ran.returncode == 0) == ran.stdout.endswith("All checks passed.\n"), ran
        return ran.returncode


def commands_on(page: httpx2.Response) -> list[str]:
    """Return the commands on a page as people copy them."""
    found = re.findall(r"<code>(python3 checker\.py[^<]*)</code>", page.text)
    return [html.unescape(each) for each in found]


@dataclass
class Ballots:
    """A ballot with two questions, on which three people have voted."""

    app: PagesApp
    has_roll: bool

    @classmethod
    def launch(cls, publication: Publication, secret: bool, has_roll: bool) -> Ballots:
        app = PagesApp.create()
        [ada] = app.world.register("Ada")
        lifecycle = app.world.service.lifecycle
        electorate = Electorate.ROLL if has_roll else Electorate.ACCOUNTS
        lifecycle.create(
            ada,
            CHAIR,
            ElectionSettings(secret_ballot=secret, publication=publication, electorate=electorate),
        )
        if has_roll:
            lines = parse_roll(split_text(ROLL)).lines
            app.world.service.rolls.save(ada, CHAIR, lines, replaces=True)
        lifecycle.add_question(ada, CHAIR, SECOND, yes_or_no=True)
        lifecycle.set_candidates(ada, CHAIR, ["Gus", "Hal", "Ida"])
        lifecycle.launch(ada, CHAIR, allow_edit=True)
        made = cls(app, has_roll)
        for name in ("Dan", "Eve", "Fay"):
            someone = made.voter(name, "link" if has_roll else "account", Path())
            someone.cast(app.election(CHAIR), "Hal", "Gus")
            someone.cast(app.election(SECOND), "No")
        return made

    def voter(self, name: str, way: str, folder: Path) -> Voter:
        app, rolls = self.app, self.app.world.service.rolls
        if way == "account":
            return Voter(app, app.register(name), None, folder)
        rows = rolls.rows(app.user("Ada"), CHAIR)
        [entry] = [row.voter for row in rows if row.voter.name == name]
        browser = app.browser()
        if way == "card":
            code = rolls.code(app.election(CHAIR), entry)
            answer = browser.submit(browser.get("v"), code=code.replace("-", " ").upper())
            assert answer.headers["location"] == url("v", code)
        return Voter(app, browser, entry, folder)


def vote(ballots: Ballots, voter: Voter, happens: str) -> tuple[dict[str, Path], list[Path]]:
    """Vote on both questions; return the receipts of ballots that count, and of others."""
    app, replaced = ballots.app, list[Path]()
    lifecycle, ada = app.world.service.lifecycle, app.user("Ada")
    chair, budget = app.election(CHAIR), app.election(SECOND)

    def cast(election: Election, *best_first: str) -> Path:
        page = voter.cast(election, *best_first)
        [saved] = voter.save(page)
        [command] = commands_on(page)
        assert voter.run(command) == 0
        checked = voter.check(saved)
        assert "Your receipt is valid" in checked.text
        [again, *_] = commands_on(checked)
        assert voter.run(again) == 0
        return saved

    first = cast(chair, "Gus")
    if happens in ("replaced", "cast again"):
        replaced = [first.rename(first.with_name("first.json"))]
        if happens == "cast again":
            voter.withdraw(chair)
        first = cast(chair, "Ida", "Hal")
    elif happens == "election renamed":
        lifecycle.edit(ada, CHAIR, {"name": "Head"})
        lifecycle.edit(ada, "Head", {"name": "Boss"})
    elif happens == "candidate added":
        lifecycle.set_candidates(ada, CHAIR, ["Gus", "Hal", "Ida", "Joe"])
    name = "Boss" if happens == "election renamed" else CHAIR
    return {name: first, SECOND: cast(budget, "Yes")}, replaced


@pytest.mark.parametrize(("way", "publication", "secret", "happens"), CASES)
def test_commands_on_pages_accept_what_the_pages_hand_out(
    way: str, publication: Publication, secret: bool, happens: str, tmp_path: Path
) -> None:
    ballots = Ballots.launch(publication, secret, way != "account")
    app = ballots.app
    voter = ballots.voter("Cleo", way, tmp_path)
    assert not voter.save(app.browser().get("check"))  # the checker itself
    receipts, replaced = vote(ballots, voter, happens)
    app.world.service.lifecycle.close(app.user("Ada"), next(iter(receipts)))
    before, after, listed = commands_on(app.browser().get("check"))

    for name, receipt in receipts.items():
        election = app.election(name)
        assert voter.run(before, RECEIPT=receipt.name) == 0
        assert voter.run(after, RECEIPT=receipt.name) == 1, "it has no proof"
        checked = voter.check(receipt)
        assert "Your ballot was counted" in checked.text
        [final] = voter.save(checked)
        assert voter.run(after, RECEIPT=final.name) == 0
        assert [voter.run(each) for each in commands_on(checked) if final.name in each] == [0]
        checked = voter.check(final)
        assert "Your ballot was counted" in checked.text

        published = voter.page(election, "published")
        [publication_file] = voter.save(published)
        files = {"PUBLICATION": publication_file.name}
        assert voter.run(listed, RECEIPT=receipt.name, **files) == 0
        assert voter.run(listed, RECEIPT=final.name, **files) == 0
        if happens != "election renamed":  # then the name of the receipt is another one
            assert [voter.run(each) for each in commands_on(published)] == [0, 0]
        if not secret or voter.entry is None:
            page = voter.page(election, "receipt")
            assert voter.save(page)
            assert [voter.run(each) for each in commands_on(page)] == [0]

        for forged in forge(receipt):
            assert voter.run(listed, RECEIPT=forged.name, **files) != 0, forged.read_text()
        for forged in forge(final):
            assert voter.run(after, RECEIPT=forged.name) != 0, forged.read_text()
        for forged in forge(publication_file):
            assert voter.run(listed, RECEIPT=receipt.name, PUBLICATION=forged.name) != 0

    for receipt in replaced:
        published = voter.page(app.election(CHAIR), "published")
        [publication_file] = voter.save(published)
        checked = voter.check(receipt)
        assert "This ballot was not counted" in checked.text
        assert not voter.save(checked)
        assert voter.run(listed, RECEIPT=receipt.name, PUBLICATION=publication_file.name) == 1


def forge(file: Path) -> Iterator[Path]:
    """Yield changed copies of a file; the tests of the checker try every change."""
    content = json.loads(file.read_text(encoding="utf-8"))
    changes = {"ranking": [], "confirmations": content.get("confirmations", [])[1:]}
    for field in changes.keys() & content.keys():
        forged = file.with_name("forged.json")
        forged.write_text(json.dumps({**content, field: changes[field]}), encoding="utf-8")
        yield forged


# Its results are shown to nobody, but each voter has the proof.
def test_final_receipt_of_an_election_with_two_secret_ballots(tmp_path: Path) -> None:
    app = PagesApp.create()
    app.launch("Red", "Blue", secret_ballot=True)
    voter = Voter(app, app.register("Ben"), None, tmp_path)
    [early] = voter.save(voter.cast(app.election(CHAIR), "Red"))
    app.world.service.lifecycle.close(app.user("Ada"), CHAIR)
    checked = voter.check(early)
    [final] = voter.save(checked)
    voter.save(app.browser().get("check"))
    assert [voter.run(each) for each in commands_on(checked) if final.name in each] == [0]
