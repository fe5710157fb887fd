"""A ranked ballot: a form with a number box per name, which scripts turn into a sortable list.

- `BallotForm(action, choices, …)` is the form; `render_ballot_form` returns its HTML, and
  `render_mark_form` that of a ballot with marks instead of ranks.
- `parse_ranks(form.values)` reads what was submitted: ranks by name, or an error per name.
- `render_ranking(levels, unranked)` shows a filled-in ballot, e.g. to review it before casting.
- An app declares `AppSpec(parts=[ballot])`; its pages link `SCRIPT` and `STYLE` with
  `asset("APP/" + …)`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import cast

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

RANK_PREFIX = "rank."
MAX_RANK = 9999

_FOLDER = Path(__file__).parent
TEMPLATES = _FOLDER / "templates"
SCRIPT = "ballot/ballot.js"
STYLE = "ballot/ballot.css"

_ENVIRONMENT = Environment(
    loader=FileSystemLoader(TEMPLATES),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


@dataclass(frozen=True, slots=True)
class Choice:
    """A name on the ballot, the text in its box, and what is wrong with that text."""

    name: str
    rank: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True)
class BallotLabels:
    """The texts of the form."""

    ranked_title: str = "Your ranking"
    unranked_title: str = "Not ranked"
    unranked_hint: str = "Counted below everyone you rank."
    empty_hint: str = "Tap a name to rank it first, or drag it here."
    review_button: str = "Review and cast"
    submit_button: str = "Cast ballot"
    confirm_title: str = "Cast this ballot?"
    confirm_blank_title: str = "Cast a blank ballot?"
    blank_hint: str = "A blank ballot counts as cast, but prefers no one."
    back_button: str = "Go back"


@dataclass(frozen=True, slots=True)
class BallotForm:
    """A ballot to fill in.

    It is posted to `action` with `hidden_fields` and with `rank.NAME` for every choice. `notice` is
    shown beside the button: who can see the ballot, and whether it can be changed. The browser
    keeps a draft under `draft_key` and discards it when `draft_version` has changed. Without
    `allow_ties` no two choices share a place; without `allow_blank` at least one has to be ranked.
    `pictures` are the URLs and descriptions of pictures by name.
    """

    action: str
    choices: tuple[Choice, ...]
    notice: str = ""
    hidden_fields: Mapping[str, str] = field(default_factory=dict[str, str])
    draft_key: str = ""
    draft_version: str = ""
    labels: BallotLabels = field(default_factory=BallotLabels)
    allow_ties: bool = True
    allow_blank: bool = True
    pictures: Mapping[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])


@dataclass(frozen=True, slots=True)
class SubmittedRanks:
    """The boxes of a submitted ballot by name: the texts, the valid ranks, and the errors."""

    texts: Mapping[str, str]
    ranks: Mapping[str, int | None]
    errors: Mapping[str, str]

    def choices(self, names: Iterable[str]) -> tuple[Choice, ...]:
        """Return these choices with the submitted texts, to show the form again."""
        return tuple(
            Choice(name, self.texts.get(name, ""), self.errors.get(name, "")) for name in names
        )


def parse_ranks(values: Mapping[str, object]) -> SubmittedRanks:
    """Return the ranks among the submitted values; an empty box is not ranked."""
    texts = {
        key[len(RANK_PREFIX) :]: _text(value)
        for key, value in values.items()
        if key.startswith(RANK_PREFIX) and len(key) > len(RANK_PREFIX)
    }
    ranks: dict[str, int | None] = {}
    errors: dict[str, str] = {}
    for name, text in texts.items():
        if not text:
            ranks[name] = None
        elif text.isascii() and text.isdecimal() and 0 < int(text[:6]) <= MAX_RANK:
            ranks[name] = int(text[:6])
        else:
            errors[name] = (
                f"Enter a place such as 1, 2 or 3 (at most {MAX_RANK}), or leave it empty. "
                f"You entered {text[:40]}."
            )
    return SubmittedRanks(texts, ranks, errors)


def _text(value: object) -> str:
    """Return the text of a box; a box that was submitted twice holds no valid rank."""
    if isinstance(value, list | tuple):
        return " and ".join(str(each) for each in cast(Sequence[object], value))
    return str(value).strip()


def group_by_rank(ranks: Mapping[str, int | None]) -> tuple[list[list[str]], list[str]]:
    """Return the names by place, best first, and the names without a rank."""
    places: dict[int, list[str]] = {}
    for name, rank in ranks.items():
        if rank is not None:
            places.setdefault(rank, []).append(name)
    unranked = [name for name, rank in ranks.items() if rank is None]
    return [places[rank] for rank in sorted(places)], unranked


def render_ballot_form(form: BallotForm) -> Markup:
    """Render the form; the script replaces its number boxes by a sortable list."""
    settings = {
        "draftKey": form.draft_key,
        "draftVersion": form.draft_version,
        "notice": form.notice,
        "labels": asdict(form.labels),
        "allowTies": form.allow_ties,
        "allowBlank": form.allow_blank,
    }
    return _render(
        "ballot_form.html", form=form, settings=settings, prefix=RANK_PREFIX, max_rank=MAX_RANK
    )


def render_mark_form(form: BallotForm, *, one_choice: str = "") -> Markup:
    """Render a form with a box to tick per name, which submits rank 1.

    With `one_choice`, the name of a field, only one can be chosen, and its name is submitted.
    """
    return _render("mark_form.html", form=form, prefix=RANK_PREFIX, one_choice=one_choice)


def render_ranking(
    levels: Sequence[Sequence[str]], unranked: Sequence[str], labels: BallotLabels | None = None
) -> Markup:
    """Render a filled-in ballot as text: first, second, and so on, then the unranked."""
    return _render(
        "ranking.html", levels=levels, unranked=unranked, labels=labels or BallotLabels()
    )


def static_files() -> dict[str, str]:
    """Return the scripts and style sheets by file name."""
    paths = sorted((_FOLDER / "static").iterdir())
    return {f"ballot/{path.name}": path.read_text(encoding="utf-8") for path in paths}


def _render(template: str, **context: object) -> Markup:
    return Markup(_ENVIRONMENT.get_template(template).render(context))
