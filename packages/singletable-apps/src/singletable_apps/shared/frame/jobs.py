"""Jobs of an app: what it does by itself while it is served, such as sending e-mails."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event, Thread
from typing import Any, Generic, TypeVar

from singletable_apps.shared import outbox

S = TypeVar("S")
# The longest wait before the first run. A server that is restarted every day runs rare jobs, too.
FIRST_WAIT = 60.0


@dataclass(frozen=True, slots=True)
class Job(Generic[S]):
    """A function of the service that is called every few seconds, in a thread of its own.

    Several processes may run it at the same time. An error is logged, and does not end the job.
    """

    name: str
    seconds: float
    run: Callable[[S], object]


def _send_emails(service: Any) -> None:
    service.context.mail.deliver(service.context.clock())


# Sends what is in the queue of e-mails of an app.
EMAILS: Job[Any] = Job("e-mails", outbox.EVERY, _send_emails)


@contextmanager
def run_jobs(jobs: Sequence[Job[S]], service: S) -> Generator[None]:
    """Run the jobs while the context is open, and wait for those that are running at its end."""
    stop = Event()
    threads = [Thread(target=_repeat, args=(job, service, stop), name=job.name) for job in jobs]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def _repeat(job: Job[S], service: S, stop: Event) -> None:
    wait = min(job.seconds, FIRST_WAIT)
    while not stop.wait(wait):
        wait = job.seconds
        try:
            job.run(service)
        except Exception:
            logging.getLogger(__name__).exception("The job “%s” failed.", job.name)
