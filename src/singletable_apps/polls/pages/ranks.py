"""What was written into the boxes of a ballot: an order of options, or what is wrong with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from singletable_apps.polls.entities import Poll
from singletable_apps.polls.rules import checked_ranking
from singletable_apps.shared.ballot import Choice, Typed
from singletable_apps.shared.pages import Form

SHARED = (
    "Place {rank} is there {times}. Give each option a place of its own, or leave its box empty."
)
ANOTHER_TITLE = (
    "The question has been changed since you opened this page: it was “{before}”. Look at it "
    "again; what you ranked is still there."
)
OTHER_OPTIONS = (
    "The options have been changed since you opened this page: {changes}. Look at them again; "
    "what you ranked is still there."
)


def choices_of(poll: Poll, typed: Typed) -> list[Choice]:
    """The options with what was typed for them; a place that is there twice is a fault at both."""
    times = Counter(rank for rank in typed.ranks.values() if rank is not None)
    return [
        Choice(one.name, one.rank, one.fault or _shared(times, typed.ranks.get(one.name)))
        for one in typed.choices(poll.candidates)
    ]


def _shared(times: Counter[int], rank: int | None) -> str:
    if rank is None or times[rank] < 2:
        return ""
    often = "twice" if times[rank] == 2 else f"{times[rank]} times"
    return SHARED.format(rank=rank, times=often)


def ranking_in(poll: Poll, typed: Typed) -> list[str]:
    """The options from the first place on; Invalid if there are none."""
    ranked = [(rank, name) for name, rank in typed.ranks.items() if rank is not None]
    return checked_ranking(poll, [name for _, name in sorted(ranked)])


def what_changed(poll: Poll, form: Form, typed: Typed) -> str:
    """What is asked differently by now than on the paper that was sent; nothing if nothing is."""
    before = form.value("title")
    if before != poll.title:
        return ANOTHER_TITLE.format(before=before[:200])
    new = [name for name in poll.candidates if name not in typed.texts]
    gone = [name for name in typed.texts if name not in poll.candidates]
    if not new and not gone:
        return ""
    return OTHER_OPTIONS.format(changes="; ".join(_said("new", new) + _said("gone", gone)))


def _said(what: str, names: Sequence[str]) -> list[str]:
    return [f"{what}: {', '.join(name[:100] for name in names[:10])}"] if names else []
