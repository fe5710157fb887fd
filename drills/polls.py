"""Vote in one poll through two server processes, and kill one of them.

Every voter sends a different ranking to each server at the same time, and the poll is closed during
the last votes. A voter has one vote, which is the acknowledged one, and all of them are counted.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import httpx2

from drills.games import Servers
from singletable import connect
from singletable_apps.polls.service import Polls, Voter, open_polls
from singletable_apps.polls.tokens import Secret
from singletable_apps.polls.urls import API
from singletable_apps.shared.key_files import load_key_file

OPTIONS = ["Noodles", "Salad", "Soup"]
_ATTEMPTS = 20


@dataclass
class PollDrill:
    """A poll, its voters, and the rankings that were acknowledged, by the token of the browser."""

    chance: Random
    urls: list[str]
    client: httpx2.AsyncClient
    acknowledged: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    faults: list[str] = field(default_factory=list[str])
    path: str = API

    async def create(self) -> dict[str, str]:
        """Create the poll, and return it with its admin key."""
        new_poll = {"title": "Lunch", "candidates": OPTIONS, "changeable": False}
        reply = await self.client.post(f"{self.urls[0]}{API}", json=new_poll)
        poll: dict[str, str] = reply.raise_for_status().json()
        self.path = f"{API}/{poll['id']}"
        return poll

    async def vote(self, number: int) -> None:
        """Send one ranking to each server; one is accepted, unless the poll is closed."""
        browser = f"browser-of-voter-number-{number}"
        rankings = [self.chance.sample(OPTIONS, count) for count in (3, 2)]
        await asyncio.sleep(self.chance.uniform(0, 0.5))
        await asyncio.gather(*(self._send(n, browser, r) for n, r in enumerate(rankings)))

    async def _send(self, server: int, browser: str, ranking: list[str]) -> None:
        """Send a ranking until there is a response, to the other server after an error."""
        for attempt in range(_ATTEMPTS):
            url = f"{self.urls[(server + attempt) % 2]}{self.path}/vote"
            headers = {"Cookie": f"polls_browser={browser}"}
            try:
                reply = await self.client.post(url, json={"rankings": ranking}, headers=headers)
            except httpx2.TransportError:
                continue
            if reply.status_code in (200, 201):
                if self.acknowledged.setdefault(browser, ranking) != ranking:
                    self.faults.append(f"both votes of {browser} were acknowledged")
            elif reply.status_code >= 500:
                continue
            elif reply.status_code != 409:  # the other vote came first, or the poll is closed
                self.faults.append(f"{browser} got {reply.status_code}: {reply.text}")
            return
        self.faults.append(f"{browser} got no response")

    async def close(self, admin_key: str) -> list[int]:
        """Close the poll, and return how many votes each server shows; these are final."""
        await asyncio.sleep(0.2)
        headers = {"Authorization": f"Bearer {admin_key}", "If-Match": "*"}
        reply = await self.client.post(f"{self.urls[0]}{self.path}/close", headers=headers)
        reply.raise_for_status()
        results = [await self.client.get(f"{url}{self.path}/results") for url in self.urls]
        return [reply.json()["totalVotes"] for reply in results]


async def run_drill(folder: Path, voters: int, chance: Random, address: str) -> PollDrill:
    """Vote through two servers on the tables at `address`, and return what happened."""
    servers, early = Servers(folder, 2, address, "polls"), voters * 3 // 4

    async def kill() -> None:
        await asyncio.sleep(0.2)
        await servers.kill(1, restart=True)

    try:
        await servers.start()
        async with httpx2.AsyncClient(timeout=60) as client:
            drill = PollDrill(chance, servers.urls, client)
            poll = await drill.create()
            await asyncio.gather(kill(), *map(drill.vote, range(early)))
            voted = len(drill.acknowledged)
            closing = asyncio.create_task(drill.close(poll["adminKey"]))
            await asyncio.gather(*map(drill.vote, range(early, voters)))
            totals = await closing
    finally:
        servers.stop()
    if voted != early or totals != [len(drill.acknowledged)] * 2:
        drill.faults.append(
            f"of {early} voters {voted} could vote; then {len(drill.acknowledged)} votes were "
            f"acknowledged, but the servers show {totals}"
        )
    with connect(address) as driver:
        polls = open_polls(driver, Secret(load_key_file(servers.secret, "of polls")))
        drill.faults += check_poll(polls, poll["id"], drill.acknowledged)
    return drill


def check_poll(polls: Polls, poll_id: str, acknowledged: Mapping[str, list[str]]) -> Iterator[str]:
    """Yield a fault for each acknowledged vote that is not stored, and for a wrong count."""
    poll = polls.context.get_poll(poll_id)
    for browser, ranking in acknowledged.items():
        vote = polls.voting.find_vote(poll, Voter(browser))
        if vote is None or vote.rankings != ranking:
            yield f"the vote of {browser} was acknowledged as {ranking}, but is {vote}"
    recount = polls.tallies.recount(poll)
    if not recount.agrees or recount.votes != len(acknowledged):
        yield f"{len(acknowledged)} votes were acknowledged, but the recount is {recount}"
