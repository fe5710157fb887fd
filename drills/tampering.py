"""Tamper with the tables of elections, with write access but without keys.

Run it with python -m drills.tampering [--first N] [--every N]. It tries every change to one item,
and attacks that change several. None may change a result, a receipt or a permission: each is
rejected, found by `singletable elections verify`, or has no effect.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from drills.elections_client import KEYS, open_service, open_store, read_events
from singletable import DeleteItem, Engine, Item, ItemMismatch, PutItem, ValidationError
from singletable_apps.elections.archive import verify_log
from singletable_apps.elections.entities import Publication, User, votes
from singletable_apps.elections.errors import IntegrityError
from singletable_apps.elections.events import Event, event_log, hash_event
from singletable_apps.elections.proofs.keys import BallotKey, Signer
from singletable_apps.elections.roles import Role
from singletable_apps.elections.service import Elections, ElectionSettings
from singletable_apps.shared.accounts.errors import AccountsError
from singletable_apps.shared.errors import AppError, RequestRejected

PEOPLE = ("ada", "ben", "cy", "dee", "eve")
CANDIDATES = ("Red", "Green", "Blue")
TABLES = (votes.name, event_log.name)
PROGRESS = 100
_KEYS = ("PK", "SK", "GSI1PK", "GSI1SK")
Snapshot = Mapping[tuple[str, str, str], Item]
Change = Callable[[Engine], object]


@dataclass(frozen=True)
class Base:
    """Tables with elections in every state, and their contents after each command."""

    engine: Engine
    people: dict[str, User]
    history: list[Snapshot] = field(default_factory=list[Snapshot])


@dataclass(frozen=True)
class Attack:
    """A change to the tables: its target (`what`), its kind (`how`), and the change itself."""

    what: str
    how: str
    apply: Change


@dataclass(frozen=True)
class Outcome:
    """The outcome of an attack; `faults` are broken promises."""

    attack: Attack
    result: str
    faults: tuple[str, ...] = ()


def password_of(name: str) -> str:
    """Return the password of a person."""
    return f"{name} walks by the river"


def make_base() -> Base:
    """Create elections that are open and closed, with open and secret ballots."""
    engine = Engine.in_memory()
    elections = open_service(engine)
    base = Base(engine, {})
    for name in PEOPLE:
        user = elections.people.register(name, f"{name}@example.org", password_of(name))
        base.people[name] = user
    ada, ben, cy, dee, _ = base.people.values()
    elections.people.change_role(ada, "eve", Role.OBSERVER)
    base.people["eve"] = elections.context.read.get_user("eve")
    for name, secret in (("Open", False), ("Secret", True), ("Other", True), ("Closed", True)):
        terms = ElectionSettings(secret_ballot=secret, publication=Publication.CONFIRMATIONS)
        elections.lifecycle.create(ada, name, terms)
        elections.lifecycle.set_candidates(ada, name, CANDIDATES)
        elections.lifecycle.set_voters(ada, name, ["ben", "cy", "dee"])
        elections.lifecycle.launch(ada, name, allow_edit=True)
        # Ben and Dee vote twice, so that there are older ballots to replay.
        for voter, order in ((ben, "GR"), (cy, "RG"), (dee, "BG"), (ben, "RGB"), (dee, "GRB")):
            picked = [next(one for one in CANDIDATES if one[0] == letter) for letter in order]
            lines = [(one, rank) for rank, one in enumerate(picked, 1)]
            elections.voting.cast(voter, name, lines, f"{name} {order}")
            base.history.append(read_tables(engine))
    elections.voting.withdraw(dee, "Other")
    elections.lifecycle.close(ada, "Closed")
    base.history.append(read_tables(engine))
    return base


def read_tables(engine: Engine) -> Snapshot:
    """Return all items by table and key."""
    found: dict[tuple[str, str, str], Item] = {}
    store = open_store(engine)
    for table in (votes, event_log):
        for item in store.admin.items(table, 1000).items:
            found[table.name, item["PK"]["S"], item["SK"]["S"]] = item
    return found


# ------------------------------------------------------------------------------ attacks


def attacks(base: Base) -> Iterator[Attack]:
    """Yield every change to one item, and attacks that change several."""
    now = read_tables(base.engine)
    by_type: dict[str, list[tuple[str, Item]]] = {}
    for (table, _, _), item in now.items():
        by_type.setdefault(_type_of(item), []).append((table, item))
    for what, members in by_type.items():
        for number, (table, item) in enumerate(members):
            yield Attack(what, "delete", _delete(table, item))
            others = [other for _, other in members if other is not item]
            other = others[number % len(others)] if others else None
            if other is not None:
                content = {name: item[name] for name in item if name not in _KEYS}
                keys = {name: other[name] for name in other if name in _KEYS}
                yield Attack(what, "copy over another", _put(table, {**content, **keys}))
                named = {name: other[name] for name in other if name.endswith("_name")}
                yield Attack(what, "copy renamed", _put(table, {**content, **keys, **named}))
            for name in item:
                if name not in ("PK", "SK"):
                    yield from _change_attribute(what, table, item, name, other)
    hidden = [item for item in now.values() if item["PK"]["S"] in ("USER#ben", "USER_NAME#ben")]
    yield Attack("user", "hide", _delete(votes.name, *hidden))
    yield from _replays(base, now)
    yield from _insertions(now)
    yield from _forged_logs(base)


def _type_of(item: Item) -> str:
    if "event_type" in item:
        return f"event {item['event_type']['S']}"
    return item["entity_type"]["S"].lower() if "entity_type" in item else "unique value"


def _delete(table: str, *items: Item) -> Change:
    def delete(engine: Engine) -> None:
        for item in items:
            engine.execute(DeleteItem(table, {"PK": item["PK"], "SK": item["SK"]}))

    return delete


def _put(table: str, *items: Item) -> Change:
    def put(engine: Engine) -> None:
        for item in items:
            engine.execute(PutItem(table, item))

    return put


def _change_attribute(
    what: str, table: str, item: Item, name: str, other: Item | None
) -> Iterator[Attack]:
    rest = {each: value for each, value in item.items() if each != name}
    yield Attack(what, f"remove {name}", _put(table, rest))
    if other is not None and name in other and other[name] != item[name]:
        yield Attack(what, f"swap {name}", _put(table, {**rest, name: other[name]}))
    for value in _other_values(name, item[name]):
        yield Attack(what, f"change {name}", _put(table, {**rest, name: value}))  # type: ignore[dict-item]


def _other_values(name: str, value: Mapping[str, object]) -> Iterator[dict[str, object]]:
    """Yield a value of the same type and one of another; for roles, the highest."""
    [(kind, content)] = value.items()
    match kind:
        case "S":
            yield {"S": "OWNER" if name == "role" else f"{content}x"}
            yield {"N": "1"}
        case "N":
            yield {"N": str(int(str(content)) + 1)}
            yield {"S": "ä"}
        case "BOOL":
            yield {"BOOL": not content}
        case "M":
            yield {"M": {}}
        case _:
            yield {"S": "ä"}


def _replays(base: Base, now: Snapshot) -> Iterator[Attack]:
    """Yield replays of older items and of complete older tables."""
    for old in base.history:
        for (table, pk, sk), item in old.items():
            if now.get((table, pk, sk)) != item:
                yield Attack(_type_of(item), "put an old one back", _put(table, item))
    for age, old in enumerate(base.history[:-1]):
        yield Attack(f"table, {age} commands old", "roll back", _replace_table(votes.name, old))


def _replace_table(table: str, snapshot: Snapshot) -> Change:
    def put_back(engine: Engine) -> None:
        for (place, _, _), item in read_tables(engine).items():
            if place == table:
                _delete(table, item)(engine)
        for (place, _, _), item in snapshot.items():
            if place == table:
                engine.execute(PutItem(table, item))

    return put_back


def _insertions(now: Snapshot) -> Iterator[Attack]:
    """Yield new items: voters, candidates, ballots for someone who did not vote, and users."""
    for (table, _, _), item in now.items():
        text = json.dumps(item)
        for old, new in (("ben", "eve"), ("ben", "zoe"), ("dee", "ada"), ("Red", "Pink")):
            if table == votes.name and old in item["SK"]["S"] + item["PK"]["S"]:
                made: Item = json.loads(text.replace(old, new))
                if (table, made["PK"]["S"], made["SK"]["S"]) not in now:
                    yield Attack(_type_of(item), "insert", _put(table, made))


def _forged_logs(base: Base) -> Iterator[Attack]:
    """Yield logs with valid hashes and added, changed, omitted, repeated and swapped events."""
    events = read_events(base.engine)
    promoted = deepcopy(events[-1])
    promoted.event_type = "UserRoleChanged"
    promoted.event_data = {"name": "eve", "role": "OWNER"}
    for event in (promoted, *(each for each in events if each.event_type == "BallotCast")):
        yield Attack("log", "append an event", _rewrite([*events, deepcopy(event)]))
    for number, event in enumerate(events):
        rest = [deepcopy(each) for each in events]
        yield Attack("log", "leave one out", _rewrite(rest[:number] + rest[number + 1 :]))
        if event.event_type == "BallotCast":
            changed = [deepcopy(each) for each in events]
            changed[number].event_data["voter"] = "eve"
            yield Attack("log", "change the voter", _rewrite(changed))
            for source in events:
                if source.event_type == "BallotCast" and source is not event:
                    copied = [deepcopy(each) for each in events]
                    names = {key: event.event_data[key] for key in ("voter", "election")}
                    copied[number].event_data = {**source.event_data, **names}
                    yield Attack("log", "copy a ballot", _rewrite(copied))
        if number:
            swapped = [deepcopy(each) for each in events]
            swapped[number - 1], swapped[number] = swapped[number], swapped[number - 1]
            yield Attack("log", "swap two events", _rewrite(swapped))


def _rewrite(events: list[Event]) -> Change:
    """Return a change to these events, numbered and with valid hashes, but with their old MACs."""
    previous = ""
    for number, event in enumerate(events, 1):
        event.event_id, event.previous_hash = number, previous
        event.hash = previous = hash_event(event)

    def rewrite(engine: Engine) -> None:
        _replace_table(event_log.name, {})(engine)
        open_store(engine).put_many(events)

    return rewrite


# ------------------------------------------------------------------------------ outcomes


def probe(elections: Elections, people: Mapping[str, User]) -> dict[str, tuple[str, str]]:
    """Return the results, receipts and permissions, each as a value or as an error."""
    ada, ben, cy, _, eve = people.values()
    vote, password = [("Blue", 1)], password_of("zoe")

    def sign_in() -> str:
        return elections.auth.sign_in("ben", password_of("eve")).user.name

    def receipt(voter: str, election: str) -> object:
        return elections.voting.ballot(people[voter], election, voter).receipt

    def signed(name: str) -> object:
        closed = elections.lifecycle.close(ada, name) if name != "Closed" else None
        tally = elections.results.tally(ada, closed.name if closed is not None else name)
        assert tally.closing is not None
        statement = {**tally.closing["statement"], "closed_at": ""}
        return [statement, [place.candidates for place in tally.result.places]]

    voters = [(voter, name) for voter in ("ben", "cy") for name in ("Open", "Secret", "Closed")]
    probes: dict[str, Callable[[], object]] = {
        "eve votes": lambda: elections.voting.cast(eve, "Open", vote, "eve"),
        "ben votes after the close": lambda: elections.voting.cast(ben, "Closed", vote, "late"),
        "eve is promoted by herself": lambda: elections.people.change_role(eve, "eve", Role.ADMIN),
        "ben closes an election of ada": lambda: elections.lifecycle.close(ben, "Open"),
        "eve signs in as ben": sign_in,
        "cy sees a secret ballot": lambda: elections.voting.ballot(cy, "Secret", "ben").receipt,
        "zoe registers as BEN": lambda: elections.people.register("BEN", "z@z.org", password),
        "ranks on the ballot of ben": lambda: elections.queries.rankings(ben, "Open"),
        **{f"receipt of {v} in {e}": lambda v=v, e=e: receipt(v, e) for v, e in voters},  # type: ignore[misc]
        **{f"result of {e}": lambda e=e: signed(e) for e in ("Closed", "Open", "Secret", "Other")},  # type: ignore[misc]
    }
    return {name: _attempt(attempt) for name, attempt in probes.items()}


def _attempt(attempt: Callable[[], object]) -> tuple[str, str]:
    try:
        return "value", json.dumps(attempt(), default=str, sort_keys=True)
    except (AppError, AccountsError, ItemMismatch) as error:
        return "refused", type(error).__name__
    except Exception as error:
        return "crash", repr(error)


def expect(base: Base) -> Mapping[str, tuple[str, str]]:
    """Return the results, receipts and permissions without an attack."""
    with base.engine.copy() as engine:
        return probe(open_service(engine), base.people)


def judge(attack: Attack, base: Base, expected: Mapping[str, tuple[str, str]]) -> Outcome:
    """Run an attack on a copy while a service runs, and again before one starts."""
    faults: list[str] = []
    results: set[str] = set()
    for is_running in (True, False):
        with base.engine.copy() as engine:
            running = open_service(engine) if is_running else None
            try:
                attack.apply(engine)
            except ValidationError:  # no item can be stored like this
                return Outcome(attack, "refused")
            if running is None:
                results.add(_verify(engine, faults))
            try:
                seen = probe(running or open_service(engine), base.people)
            except (IntegrityError, RequestRejected, ItemMismatch):
                results.add("refused")
                continue
            except Exception as error:
                faults.append(f"the service crashed at the start: {error!r}")
                continue
        for name, (kind, value) in seen.items():
            if kind == "crash":
                faults.append(f"{name}: {value}")
            elif kind == "value" and expected[name] != (kind, value):
                faults.append(f"{name}: {value[:100]} instead of {expected[name][1][:100]}")
            elif kind == "refused" and expected[name][0] == "value":
                results.add("refused")
    order = ("found by verify", "refused", "no effect")
    result = next(each for each in order if each in results or each == order[-1])
    return Outcome(attack, "FAULT" if faults else result, tuple(faults))


def _verify(engine: Engine, faults: list[str]) -> str:
    try:
        found = verify_log(open_store(engine), KEYS)
    except (AppError, ItemMismatch):
        return "found by verify"
    except Exception as error:
        faults.append(f"verify crashed: {error!r}")
        return "found by verify"
    return "found by verify" if found.differences else "no effect"


def run_attacks(base: Base, every: int = 1, first: int = 0) -> Iterator[Outcome]:
    """Yield the outcome of every attack, or of each `every`-th from number `first` on."""
    expected = expect(base)
    for attack in islice(attacks(base), first, None, every):
        yield judge(attack, base, expected)
    yield _lose_the_end(base)
    yield _sign_with_another_key(base)


def _lose_the_end(base: Base) -> Outcome:
    """Restore older versions of both tables; only the checkpoint beside the keys detects that."""
    attack = Attack("both tables", "roll back", lambda _: None)
    with tempfile.TemporaryDirectory() as folder, base.engine.copy() as engine:
        keys = replace(KEYS, folder=Path(folder))
        keys.save_checkpoint(read_events(engine)[-1])
        for table in TABLES:
            _replace_table(table, base.history[3])(engine)
        try:
            keys.check_checkpoint(open_store(engine))
        except IntegrityError:
            return Outcome(attack, "refused")
    return Outcome(attack, "FAULT", ("the checkpoint did not notice it",))


def _sign_with_another_key(base: Base) -> Outcome:
    """Run the attacker's service, with other keys, on the same tables."""
    attack = Attack("both tables", "use other keys", lambda _: None)
    other = replace(KEYS, ballot_key=BallotKey(b"others.." * 4), signer=Signer(b"others.." * 4))
    try:
        verify_log(open_store(base.engine), other)
    except IntegrityError:
        return Outcome(attack, "refused")
    return Outcome(attack, "FAULT", ("events of other keys were accepted",))


def report(outcomes: Counter[tuple[str, str, str]]) -> str:
    """Return a table with the number of outcomes for each target and kind of attack."""
    kinds = sorted({(what, how.split()[0]) for what, how, _ in outcomes})
    results = ("found by verify", "refused", "no effect", "FAULT")
    lines = [f"{'what':<30}{'how':<10}{''.join(f'{each:>17}' for each in results)}"]
    for what, how in kinds:
        counts = [
            sum(n for (w, h, r), n in outcomes.items() if (w, h.split()[0], r) == (what, how, each))
            for each in results
        ]
        shown = "".join(f"{count or '-':>17}" for count in counts)
        lines.append(f"{what:<30}{how:<10}{shown}")
    return "\n".join(lines)


def main() -> int:
    """Run the attacks, print the table, and return 1 if one of them succeeded."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="run only each N-th attack")
    parser.add_argument("--first", type=int, default=0, help="start with this attack, from 0")
    options = parser.parse_args()
    counts: Counter[tuple[str, str, str]] = Counter()
    failed = 0
    base = make_base()
    total = sum(1 for _ in attacks(base))
    for done, outcome in enumerate(run_attacks(base, options.every, options.first), 1):
        what = outcome.attack.what.split(",")[0]
        counts[what, outcome.attack.how, outcome.result] += 1
        for fault in outcome.faults[:3]:
            failed += 1
            print(f"FAULT: {outcome.attack.what}, {outcome.attack.how}: {fault}", flush=True)
        if done % PROGRESS == 0:
            position = options.first + done * options.every
            text = (
                f"at {position:,} of {total:,}, {failed} faults; continue with --first {position}"
            )
            print(text, file=sys.stderr, flush=True)
    print(report(counts))
    print(f"{counts.total():,} attacks, {failed} faults.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
