"""Question sets that come with the app, as templates, samples and examples; and as downloads."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from fastapi import Response

from singletable_apps.games.formats import FORMATS, SetFormat, read_set, write_set
from singletable_apps.games.kinds import check_set
from singletable_apps.games.questions import SetDraft
from singletable_apps.shared.web import download

_HERE = Path(__file__).parent


@cache
def load_templates() -> Mapping[str, SetDraft]:
    """Return the templates by name: retrospective, trivia-night, icebreaker and workshop."""
    names = ("retrospective", "trivia-night", "icebreaker", "workshop")
    return {name: _load(_HERE / "set_templates" / f"{name}.json") for name in names}


@cache
def load_samples() -> Mapping[str, SetDraft]:
    """Return the sample sets by name."""
    return {path.stem: _load(path) for path in sorted((_HERE / "sample" / "sets").glob("*.json"))}


def download_set(draft: SetDraft, kind: SetFormat) -> Response:
    """Return a set as a file, without the questions that the format cannot contain."""
    info = FORMATS[kind]
    return download(write_set(draft, kind), f"{draft.name}.{info.extension}", info.media_type)


def _load(path: Path) -> SetDraft:
    read = read_set(path.read_bytes(), path.name)
    if read.errors:
        raise ValueError(f"{path.name}: {read.errors[0]}")
    return check_set(read.draft)
