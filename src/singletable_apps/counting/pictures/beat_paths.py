"""Who beats whom as arrows, with the strongest path of a pair, and the way back, marked."""

from __future__ import annotations

from collections.abc import Iterator

from singletable_apps.counting.errors import RankingError
from singletable_apps.counting.pictures.beat_marks import Scene, marks, scene
from singletable_apps.counting.pictures.pairs import in_order
from singletable_apps.counting.pictures.picture import Canvas, Picture, drawn
from singletable_apps.counting.results.schulze import BeatPath, SchulzeResult
from singletable_apps.counting.text import format_number

TITLE = "Who beats whom"
_ALL = "An arrow leads from the one who wins to the one who loses."
_SOME = f"{_ALL} Of so many, those of the pair and of its paths are drawn."


def draw_beat_paths(result: SchulzeResult, pair: tuple[str, str] | None = None) -> Picture:
    """All victories, and the strongest paths between a pair: the first two of the result if none.

    A path is as strong as its weakest victory, which is marked on it.
    """
    names = in_order(result)
    if pair is None and len(names) > 1:
        pair = names[0], names[1]
    drawing = scene(result, names, _checked(result, pair))
    caption = [
        _SOME if drawing.circle.spokes else _ALL,
        *(_told(drawing, *each) for each in _ways(drawing)),
    ]
    words = [*(_said(*each) for each in _ways(drawing)), *_victories(drawing)]
    canvas = Canvas(*drawing.circle.size, tuple(marks(drawing)))
    return drawn(TITLE, tuple(caption), canvas, "\n".join(words))


def _checked(result: SchulzeResult, pair: tuple[str, str] | None) -> tuple[str, str] | None:
    for name in pair or ():
        if name not in result.candidates:
            raise RankingError(f"'{name}' is not a candidate of this count.", name)
    if pair and pair[0] == pair[1]:
        raise RankingError(f"A pair is two candidates, and this is '{pair[0]}' twice.", pair[0])
    return pair


def _ways(drawing: Scene) -> Iterator[tuple[str, str, str, BeatPath | None]]:
    """How it is drawn, from whom, to whom, and by what path."""
    if drawing.pair is not None:
        a, b = drawing.pair
        yield "Solid", a, b, drawing.there
        yield "Dashed", b, a, drawing.back


def _told(drawing: Scene, line: str, source: str, target: str, path: BeatPath | None) -> str:
    """What a line is, with the names as they stand in the drawing."""
    a, b = drawing.circle.labels[source], drawing.circle.labels[target]
    if path is None:
        return f"{line}: there is no path from {a} to {b}."
    return f"{line}: strength {format_number(path.strength)} from {a} to {b}."


def _said(line: str, a: str, b: str, path: BeatPath | None) -> str:
    if path is None:
        return f"{line}: no path leads from {a} to {b}."
    steps = " > ".join(
        f"{name} {format_number(link)}" for name, link in zip(path.names, path.links, strict=False)
    )
    return (
        f"{line}: the strongest path from {a} to {b} is {steps} > {b}, and its weakest victory "
        f"makes its strength {format_number(path.strength)}."
    )


def _victories(drawing: Scene) -> Iterator[str]:
    """Every arrow, the strongest first."""
    if not drawing.victories:
        yield "Nobody beats anybody."
    for strength, winner, loser in drawing.victories:
        yield f"{winner} beats {loser} with strength {format_number(strength)}."
