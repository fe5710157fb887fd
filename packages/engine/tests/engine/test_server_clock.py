"""The clock of a SQL server as a process knows it: the process's own time does not matter."""

from __future__ import annotations

import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynamodb_engine.engine.storage.server.clock import MAX_SKEW, ServerClock

NOON = 1_800_000_000.0
delays = st.floats(0, 5)


class World:
    """True time, which the server shows, and a process whose clock is set to anything."""

    def __init__(self) -> None:
        self.time = NOON
        self.local_is_ahead = 0.0

    def elapsed(self) -> float:
        return self.time - NOON + 7

    def local(self) -> float:
        return self.time + self.local_is_ahead

    def answer(self, there: float, back: float) -> float:
        self.time += there
        server = self.time
        self.time += back
        return server


@given(
    st.lists(
        st.tuples(delays, delays, st.floats(0, 10_000), st.floats(-1e9, 1e9)),
        min_size=1,
        max_size=5,
    )
)
def test_time_is_that_of_the_server_whatever_the_process_shows(
    steps: list[tuple[float, float, float, float]],
) -> None:
    world = World()
    clock = ServerClock("PostgreSQL", elapsed=world.elapsed, local=world.local)
    assert clock.is_due
    last = 0.0
    for there, back, pause, world.local_is_ahead in steps:
        clock.measure(lambda there=there, back=back: world.answer(there, back))  # type: ignore[misc]
        world.time += pause
        assert abs(clock.now() - world.time) <= (there + back) / 2 + 1e-5
        assert clock.is_due == (pause > 60)
        assert clock.now() >= last - 10
        last = clock.now()


@pytest.mark.parametrize(
    ("ahead", "text"),
    [
        (3600.0, "3600.0 seconds ahead of that of MariaDB"),
        (-1.5, "1.5 seconds behind that of MariaDB"),
        (0.9, ""),
        (-0.9, ""),
    ],
)
def test_wrong_clock_is_reported_once(
    ahead: float, text: str, caplog: pytest.LogCaptureFixture
) -> None:
    world = World()
    world.local_is_ahead = ahead
    clock = ServerClock("MariaDB", elapsed=world.elapsed, local=world.local)
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            clock.measure(lambda: world.answer(0.01, 0.01))
    messages = [record.getMessage() for record in caplog.records]
    assert len(messages) == (abs(ahead) > MAX_SKEW)
    assert all(text in message for message in messages)
