"""Ballots as a PrefLib file."""

from __future__ import annotations

from singletable_apps.counting.ballots import Ballots
from singletable_apps.counting.formats.table import Format
from singletable_apps.counting.formats.writable import check_writable


def write_preflib(ballots: Ballots, title: str, form: Format) -> str:
    """The file, as one of the four kinds of orders."""
    counted = ballots.ranking_counts()
    check_writable(form, ballots.candidates, counted)
    number = {name: str(at) for at, name in enumerate(ballots.candidates, start=1)}
    metadata = {
        "FILE NAME": f"ballots.{form.name}",
        "TITLE": " ".join(title.split()),
        "DESCRIPTION": "",
        "DATA TYPE": form.name,
        "MODIFICATION TYPE": "original",
        "RELATES TO": "",
        "RELATED FILES": "",
        "PUBLICATION DATE": "",
        "MODIFICATION DATE": "",
        "NUMBER ALTERNATIVES": len(number),
        "NUMBER VOTERS": ballots.cast,
        "NUMBER UNIQUE ORDERS": len(counted),
    }
    metadata |= {f"ALTERNATIVE NAME {at}": name for name, at in number.items()}
    lines = [f"# {key}: {value}".rstrip() for key, value in metadata.items()]
    for ranking, count in counted:
        levels = [[number[name] for name in level] for level in ranking.levels]
        order = ",".join(
            level[0] if len(level) == 1 else f"{{{','.join(level)}}}" for level in levels
        )
        lines.append(f"{count}: {order}")
    return "\n".join(lines) + "\n"
