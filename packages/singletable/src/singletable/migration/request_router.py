"""Route the requests of an application while its tables are copied: by the phase of the migration.

Requests on tables of the copy obey the phase in the state; all others pass. The old version of the
application uses the old tables, the new one uses the new table:

| phase | old reads | old writes | new reads | new writes |
|---|---|---|---|---|
| not begun | pass | pass | pass | pass |
| `running` | pass | pass | refused | refused |
| `copying` | pass | carried over | derived from the old items | see below |
| `ready` | pass | carried over | pass | see below |
| `switching` | pass | wait | pass | wait |
| `cut-over` | pass, if there are `back` rules | refused | pass | carried back |
| `finished` | refused | refused | pass | pass |
| `rolled-back`, `down` | pass | pass | refused | refused |

Before the cut-over, the old tables are authoritative. If the copy leaves items unchanged, writes of
the new version go to the old table and are carried over. If it transforms them, they are refused.

After the cut-over, writes of the old version are refused: they could be carried over only by
deriving a new item from an old one, which would undo what the new version has written to it since.

A driver acts on a phase for at most PHASE_SECONDS after it has read it, and checks that after the
markers of a write are open. So the runner sees, after it has set `switching` and waited for that
long, the markers of all writes that may still be executed, and waits for them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, TypeVar, cast
from uuid import uuid4

from msgspec.structs import replace

from singletable.errors import (
    InvalidValue,
    MigrationError,
    OperationError,
    ResourceNotFound,
    ServiceUnavailable,
    SingleTableError,
)
from singletable.migration.copy_step import Copy
from singletable.migration.derived_reads import Locate, derived_read
from singletable.migration.dual_write import Direction, DualWrite, direction, written_items
from singletable.migration.markers import MarkerSlots
from singletable.migration.migrations import Migration
from singletable.migration.rules import UnchangedRule
from singletable.migration.state import PHASE_SECONDS, Phase, State, StateStore
from singletable.migration.two_addresses import (
    Place,
    Side,
    real_name,
    rename_output,
    rename_tables,
)
from singletable.operations import (
    DescribeTable,
    Operation,
    Query,
    Scan,
    TransactWriteItems,
)
from singletable.operations.arn import parse_arn
from singletable.operations.registry import OPERATIONS
from singletable.operations.touches import table_names
from singletable.retry import RetryPolicy, send, send_once
from singletable.schema import Table
from singletable.steps import Pause, Steps
from singletable.store.context import Context, create_context

R = TypeVar("R")

# How long a write waits while the phase is `switching`, and how often it looks again.
HOLD_SECONDS = 30.0
HOLD_PAUSE = 0.1

Action: TypeAlias = Literal["pass", "carry", "hold", "refuse", "derive", "to source", "if back"]

# What happens to reads and to writes, by the phase and by the side that the request names.
_ACTIONS: Mapping[Phase | None, Mapping[Side, tuple[Action, Action]]] = {
    None: {"source": ("pass", "pass"), "target": ("pass", "pass")},
    "running": {"source": ("pass", "pass"), "target": ("refuse", "refuse")},
    "copying": {"source": ("pass", "carry"), "target": ("derive", "to source")},
    "ready": {"source": ("pass", "carry"), "target": ("pass", "to source")},
    "switching": {"source": ("pass", "hold"), "target": ("pass", "hold")},
    "cut-over": {"source": ("if back", "refuse"), "target": ("pass", "carry")},
    "finished": {"source": ("refuse", "refuse"), "target": ("pass", "pass")},
    "rolled-back": {"source": ("pass", "pass"), "target": ("refuse", "refuse")},
    "down": {"source": ("pass", "pass"), "target": ("refuse", "refuse")},
}


@dataclass(frozen=True, slots=True)
class _View:
    """The migration state, and when it was read."""

    state: State | None
    read_at: float

    @property
    def phase(self) -> Phase | None:
        return None if self.state is None else self.state.phase

    @property
    def changes(self) -> str | None:
        return None if self.state is None else self.state.changes


class RequestRouter:
    """What a migrating driver does with a request, without I/O."""

    def __init__(
        self,
        migration: Migration,
        tables: Mapping[Table, str] | None,
        side: Side | None,
        locate: Locate | None,
        clock: Callable[[], float],
    ) -> None:
        copy = _checked_copy(migration)
        if side not in (None, "source", "target"):
            raise InvalidValue(
                f"MigratingDriver: side: expected 'source' or 'target', but got {side!r}."
            )
        if locate is not None and not callable(locate):
            raise InvalidValue(
                f"MigratingDriver: locate: expected a function of a key, but got {locate!r}."
            )
        names = create_context(tables).table_names
        self.copy = copy
        self._name = migration.name
        self._locate = locate
        self._clock = clock
        real = {table: table.name for table in (*copy.sources, copy.target)} | dict(names)
        self._old = {real[table]: table for table in copy.sources}
        self._new = {real[copy.target]: copy.target}
        self._is_identity = len(copy.sources) == 1 and all(
            isinstance(rule, UnchangedRule) for rule in copy.rules
        )
        self._side: Side | None = self._check_side(side)
        sides: dict[Table, Side] = dict.fromkeys(copy.sources, "source")
        sides[copy.target] = "target"
        self.policy = RetryPolicy()
        self._context = Context(
            table_names={table: Place(where, real[table]) for table, where in sides.items()},
            retry_policy=self.policy,
        )
        name = self._context.table_name(copy.target)
        self._states = StateStore(
            copy.target, name, self._name, owner="", clock=clock, retry_policy=self.policy
        )
        self._slots = MarkerSlots(copy.target, name, self._name, self.policy)
        self._view = _View(None, float("-inf"))
        self._is_registered = False
        # The names of tables by ARN, of those that requests have named by an ARN.
        self._arns: dict[str, str] = {}
        self._described: set[tuple[Side, str]] = set()
        self._directions: dict[tuple[Side, float], Direction] = {}
        self.failures = 0
        self.last_failure: SingleTableError | None = None

    def _check_side(self, side: Side | None) -> Side | None:
        """Return the side that names mean, if an old and the new table have the same name."""
        shared = self._old.keys() & self._new.keys()
        if side is None and shared and not self._is_identity:
            raise InvalidValue(
                f"MigratingDriver: an old table and the new one are both named {min(shared)!r}. "
                "Say which one the application means: side='source' for its old version, "
                "side='target' for its new one."
            )
        return side

    # Which side

    def side_of(self, operation: Operation[Any]) -> Steps[Side | None]:
        """Return the side that handles a request, or None if its tables are not copied."""
        for name in table_names(operation):
            if name.startswith("arn:") and name not in self._arns:
                yield from self._learn_arn(name)
        names = {self.real_name(name) for name in table_names(operation)}
        old, new = names & self._old.keys(), names & self._new.keys()
        if old and new and (names & (self._old.keys() ^ self._new.keys())):
            raise MigrationError(
                f"{type(operation).__name__} uses {', '.join(sorted(old | new))}, tables on both "
                f"sides of migration {self._name}. Send one request for each side."
            )
        if old:
            return self._side if new and self._side is not None else "source"
        return "target" if new else None

    def _follows_phase(self, operation: Operation[Any]) -> bool:
        """Return whether a name means the old table before the cut-over and the new one after."""
        names = {self.real_name(name) for name in table_names(operation)}
        return self._side is None and bool(names & self._old.keys() & self._new.keys())

    def real_name(self, name: str) -> str:
        """Return the name of a table of the copy that may be named by its ARN."""
        return self._arns.get(name, name)

    def _learn_arn(self, text: str) -> Steps[None]:
        """Read the ARN of the table that `text` names, which may be in another account."""
        arn = parse_arn(text)
        name = arn and arn.table
        sides: dict[Side, Mapping[str, Table]] = {"source": self._old, "target": self._new}
        for side, tables in sides.items():
            if name is None or name not in tables or (side, name) in self._described:
                continue
            try:
                output = yield from send(self.policy, DescribeTable(Place(side, name)))
            except ResourceNotFound:
                continue  # the new table is not created yet
            self._arns[output.table.table_arn] = name
            self._described.add((side, name))

    # Requests

    def steps(self, operation: Operation[R], *, retries: bool) -> Steps[R]:
        """Execute a request on items of tables of the copy."""
        named = yield from self.side_of(operation)
        assert named is not None
        side: Side = named
        if isinstance(operation, TransactWriteItems) and operation.client_request_token is None:
            operation = cast("Operation[R]", replace(operation, client_request_token=str(uuid4())))
        writes = OPERATIONS[type(operation)].writes
        follows = self._follows_phase(operation)
        waits_until = self._clock() + HOLD_SECONDS
        while True:
            view = yield from self._current_view()
            if follows:
                side = "target" if view.phase in ("cut-over", "finished") else "source"
            action = self._action(view, side, operation, writes=writes)
            if action == "hold":
                if self._clock() >= waits_until:
                    raise ServiceUnavailable(
                        f"Migration {self._name} is switching to the new table for more than "
                        f"{HOLD_SECONDS:.0f} seconds, and writes wait for it. Nothing was written. "
                        "Try again; if this persists, look at `singletable migration status`."
                    )
                yield Pause(HOLD_PAUSE, "progress")
                continue
            request = _Request(self, side, operation, retries)
            if action == "derive":
                assert view.state is not None
                forward = self._direction("source", view.state)
                output = yield from derived_read(
                    request.operation, forward.derivations[0], self._locate, request.send_as_is
                )
                return cast(R, rename_output(output, request.own_name))
            if action == "to source":
                request = request.at_source(*self._old, *self._new)
                action = "carry" if writes and self._has_markers(view, "source") else "pass"
            if action == "carry" and view.state is not None:
                carried = yield from self._write(request, view)
                if carried is not None:
                    return cast(R, carried)
                continue  # the phase has changed
            output = yield from request.send()
            if writes:
                yield from self._carry_over_late(request, view)
            return cast(R, output)

    def _action(
        self, view: _View, side: Side, operation: Operation[Any], *, writes: bool
    ) -> Action:
        action = _ACTIONS[view.phase][side][int(writes)]
        if action == "carry" and not self._has_markers(view, side):
            action = "pass"
        if action in ("carry", "to source") and writes and view.changes == "none":
            raise MigrationError(
                f"Migration {self._name} was run with changes='none', which means that nothing "
                "writes to the old tables until the cut-over. Nothing was written. Run it with "
                "changes='driver'."
            )
        if action == "if back":
            action = "pass" if self.copy.back else "refuse"
        if action == "derive" and self._is_identity:
            has_index = isinstance(operation, Query | Scan) and operation.index_name is not None
            action = "refuse" if has_index else "to source"
        if action == "derive" and isinstance(operation, Query | Scan):
            action = "refuse"
        if action == "to source" and not self._is_identity:
            action = "refuse"
        if action == "refuse":
            raise self._refused(view.phase, side, operation, writes=writes)
        return action

    def _has_markers(self, view: _View, side: Side) -> bool:
        """Return whether writes need markers: the runner carries over the others from a feed."""
        assert view.state is not None
        if side == "target" and (not self.copy.back or view.changes == "none"):
            return False
        return view.changes != "feed"

    def _refused(
        self, phase: Phase | None, side: Side, operation: Operation[Any], *, writes: bool
    ) -> MigrationError:
        names = ", ".join(sorted(set(table_names(operation))))
        kind = "an old table" if side == "source" else "the new table"
        if side == "source":
            reason = (
                "The new table is the one that is used now. Deploy the new version of the "
                "application."
            )
        elif phase in ("copying", "ready") and writes:
            reason = (
                "The old tables are still in use, and a change of a new item cannot be turned into "
                "one of old items. Cut over first."
            )
        elif phase == "copying":
            reason = (
                "It is not complete yet. Wait until the copy is ready. GetItem and BatchGetItem "
                "work before, with MigratingDriver(locate=…)."
            )
        else:
            reason = (
                "It is not kept up to date. Use the old version of the application, or run the "
                "migration."
            )
        return MigrationError(
            f"Migration {self._name} is in phase {phase}, so {type(operation).__name__} on "
            f"{names}, {kind}, is refused. {reason}"
        )

    # Writes

    def _write(self, request: _Request, view: _View) -> Steps[Any]:
        """Execute a write and carry it over; return None if the phase has changed before."""
        assert view.state is not None
        way = self._direction(request.side, view.state)
        items = written_items(request.operation, way.tables)
        if not items:
            return (yield from request.send())
        dual = DualWrite(way, items)
        try:
            yield from dual.open()
        except OperationError:
            # Such as a table that does not exist: nothing was sent.
            yield from self._quietly(dual.cancel())
            raise
        opened_at = self._clock()
        while self._clock() - min(view.read_at, opened_at) >= PHASE_SECONDS:
            latest = yield from self._current_view()
            if latest.phase != view.phase:
                yield from dual.cancel()
                return None
            view = latest
            if self._clock() - opened_at >= PHASE_SECONDS:
                opened_at = self._clock()
                yield from dual.reopen()
        try:
            output = yield from request.send()
        except SingleTableError as error:
            if error.outcome_unknown:
                yield from self._quietly(dual.carry_over())
            else:
                yield from self._quietly(dual.cancel())
            raise
        yield from self._quietly(self._finish(dual))
        return output

    def _finish(self, dual: DualWrite) -> Steps[None]:
        view = yield from self._current_view()
        # While a scan runs, the runner removes the markers.
        yield from dual.finish(keep=view.phase not in ("ready", "switching", "cut-over"))

    def _quietly(self, steps: Steps[None]) -> Steps[None]:
        """Carry over without failing the application: its write is executed, the markers stay."""
        try:
            yield from steps
        except SingleTableError as error:
            self.failures += 1
            self.last_failure = error

    def _carry_over_late(self, request: _Request, view: _View) -> Steps[None]:
        """Carry over a write without markers that took so long that a copy may have begun."""
        if self._clock() - view.read_at < PHASE_SECONDS:
            return
        latest = yield from self._current_view()
        state = latest.state
        if latest.phase == view.phase or state is None:
            return
        if _ACTIONS[latest.phase][request.side][1] != "carry":
            return
        if not self._has_markers(latest, request.side):
            return
        way = self._direction(request.side, state)
        items = written_items(request.operation, way.tables)
        if items:
            dual = DualWrite(way, items)
            yield from dual.open()
            yield from self._quietly(dual.finish(keep=True))

    # The state

    def _current_view(self) -> Steps[_View]:
        """Return the state, read again if it is older than PHASE_SECONDS."""
        view = self._view
        now = self._clock()
        is_held = view.phase == "switching" and now - view.read_at >= HOLD_PAUSE
        if now - view.read_at < PHASE_SECONDS and not is_held:
            return view
        try:
            if not self._is_registered:
                # Before the state is read: the runner looks for drivers after it has set a phase.
                yield from self._states.register_driver()
                self._is_registered = True
            state, _ = yield from self._states.read()
        except ResourceNotFound:
            state = None  # the new table is not created yet
        self._view = _View(state, now)
        return self._view

    def _direction(self, side: Side, state: State) -> Direction:
        """Return how changes on one side are copied to the other."""
        found = self._directions.get((side, state.started))
        if found is None:
            copy, started = self.copy, state.started
            derivations = (
                [copy.forward(self._context, started)]
                if side == "source"
                else copy.backward(self._context, started)
            )
            found = self._directions[side, started] = direction(derivations, self._slots)
        return found


class _Request:
    """A request of the application on one side, with the names for that side."""

    def __init__(
        self,
        router: RequestRouter,
        side: Side,
        operation: Operation[Any],
        retries: bool,
        instead: Mapping[str, str] | None = None,
    ) -> None:
        self.side: Side = side
        self._router = router
        self._original = operation
        self._retries = retries
        # The names that the application uses, by the names that are sent.
        self._names: dict[str, str] = {}

        def rename(name: str) -> str:
            real = router.real_name(name)
            sent = (instead or {}).get(real, real)
            self._names[sent] = name
            return Place(side, sent)

        self.operation = rename_tables(operation, rename)

    def at_source(self, old: str, new: str) -> _Request:
        """Return the request on the new table as one on the old table."""
        return _Request(self._router, "source", self._original, self._retries, {new: old})

    def send(self) -> Steps[Any]:
        """Send the request, and return its output with the names that the application uses."""
        output = yield from self.send_as_is(self.operation)
        return rename_output(output, self.own_name)

    def send_as_is(self, operation: Operation[Any]) -> Steps[Any]:
        """Send a request that has the names for its side already."""
        if self._retries:
            return (yield from send(self._router.policy, operation))
        return (yield from send_once(operation))

    def own_name(self, name: str) -> str:
        """Return the name that the application uses for a table."""
        real = real_name(name)
        return self._names.get(real, real)


def is_about_items(operation: Operation[Any]) -> bool:
    """Return whether a request reads or writes items; others pass, such as DescribeTable."""
    spec = OPERATIONS.get(type(operation))
    return spec is not None and spec.scope == "items"


def _checked_copy(migration: Migration) -> Copy:
    """Return the copy of a migration; raise unless it has one, and a name."""
    if not isinstance(migration, Migration):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidValue(f"MigratingDriver: expected a Migration, but got {migration!r}.")
    if migration.copy is None:
        raise InvalidValue(
            "MigratingDriver: expected a migration with a Copy as its last step. Other steps "
            "change items in place, and need no driver."
        )
    if not migration.name:
        raise InvalidValue(
            "MigratingDriver: the migration has no name, under which its state is stored. Write "
            'Migration(…, name="0001_…"), as for its runner.'
        )
    return migration.copy
