"""The stylesheet of all pictures, its light and dark colors, and the color of each candidate.

Blue is for and orange is against, which people with color blindness can tell apart; each is also
marked in another way. A page can override a color with its custom property, such as --count-paper.
"""

from __future__ import annotations

from ranked_ballots.result import Result

LIGHT: dict[str, str] = {
    "paper": "#ffffff",
    "ink": "#1b1f24",
    "quiet": "#57606a",
    "line": "#d0d7de",
    "level": "#eceff2",
    "win-1": "#e6f0fa",
    "win-2": "#cae0f4",
    "win-3": "#a9cdec",
    "win-4": "#85b7e2",
    "win-5": "#5f9fd6",
    "lose-1": "#fdf1e4",
    "lose-2": "#fbe1c6",
    "lose-3": "#f6cca0",
    "lose-4": "#efb577",
    "lose-5": "#e69d4e",
    "there": "#0b5cad",
    "back": "#a8480a",
    "on-path": "#ffffff",
    "link": "#8c959f",
    "exhausted": "#8c959f",
    "color-0": "#4a7ba6",
    "color-1": "#c97b34",
    "color-2": "#4e8a72",
    "color-3": "#a9607f",
    "color-4": "#7d6ba6",
    "color-5": "#9a8730",
    "color-6": "#4b929d",
    "color-7": "#90594a",
}

DARK: dict[str, str] = {
    "paper": "#14181d",
    "ink": "#e9edf1",
    "quiet": "#a3aeb9",
    "line": "#3a424c",
    "level": "#262d35",
    "win-1": "#16283a",
    "win-2": "#1a3854",
    "win-3": "#1f486e",
    "win-4": "#255887",
    "win-5": "#2b679f",
    "lose-1": "#2e2317",
    "lose-2": "#452f19",
    "lose-3": "#5b3b18",
    "lose-4": "#704816",
    "lose-5": "#855414",
    "there": "#6cb6ff",
    "back": "#f2a662",
    "on-path": "#0d1319",
    "link": "#6e7884",
    "exhausted": "#7d8792",
    "color-0": "#5f97c6",
    "color-1": "#c98343",
    "color-2": "#5fa58a",
    "color-3": "#bd7492",
    "color-4": "#9583bd",
    "color-5": "#ab9740",
    "color-6": "#5ea4af",
    "color-7": "#a96f5e",
}

COLOR_COUNT = 8  # further candidates start again with the first color
EXHAUSTED_CLASS = "count-color-exhausted"

_RULES = """\
.count-picture{font-family:system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;font-size:12px;\
font-variant-numeric:tabular-nums;color:var(--count-ink)}
.count-picture text{fill:currentColor}
.count-picture .paper{fill:var(--count-paper)}
.count-picture .heading{font-size:17px;font-weight:650}
.count-picture .caption,.count-picture .quiet{fill:var(--count-quiet)}
.count-picture .small{font-size:11px}
.count-picture .strong{font-weight:700}
.count-picture .line{stroke:var(--count-line);fill:none}
.count-picture .half{stroke:var(--count-quiet);stroke-dasharray:4 3}
.count-picture .halo{paint-order:stroke;stroke:var(--count-paper);stroke-width:4;\
stroke-linejoin:round}
.count-picture .level{fill:var(--count-level)}
.count-picture .corner{fill:var(--count-ink)}
.count-picture .striped{stroke:var(--count-exhausted);stroke-dasharray:2 2}
.count-picture .link{stroke:var(--count-link);fill:none}
.count-picture .faint{opacity:.28}
.count-picture .tip{fill:var(--count-link)}
.count-picture .there{stroke:var(--count-there);stroke-width:3.5;fill:none}
.count-picture .back{stroke:var(--count-back);stroke-width:3;stroke-dasharray:7 4;fill:none}
.count-picture .tip-there{fill:var(--count-there)}
.count-picture .tip-back{fill:var(--count-back)}
.count-picture .pill{fill:var(--count-paper);stroke-width:1.5;stroke-dasharray:none}
.count-picture .pill-there{stroke:var(--count-there)}
.count-picture .pill-back{stroke:var(--count-back)}
.count-picture .pill-link{stroke:var(--count-line);stroke-width:1}
.count-picture .weakest-there{fill:var(--count-there);stroke:var(--count-there)}
.count-picture .weakest-back{fill:var(--count-back);stroke:var(--count-back)}
.count-picture .on-path{fill:var(--count-on-path);font-weight:700}
.count-picture .node{fill:var(--count-level);stroke:var(--count-quiet)}
.count-picture .node-there{fill:var(--count-paper);stroke:var(--count-there);stroke-width:3}
.count-picture .stays{fill-opacity:.3}
.count-picture .moves{fill-opacity:.62}
.count-picture .count-color-exhausted{fill:var(--count-exhausted)}
.count-picture.fits{max-width:100%;height:auto}
.count-figure{margin:0 0 1.5rem}
.count-scroll{overflow-x:auto;max-width:100%}
.count-table{border-collapse:separate;border-spacing:1px;color:var(--count-ink);\
background:var(--count-paper);font-variant-numeric:tabular-nums}
.count-table caption{text-align:start;padding:.25rem 0}
.count-table th{font-weight:600;text-align:start;padding:.3rem .5rem;min-width:3.5rem;\
max-width:11rem;overflow-wrap:break-word;background:var(--count-paper);color:var(--count-ink)}
.count-table thead th{vertical-align:bottom;text-align:end}
.count-table thead th:first-child{text-align:start}
.count-table tbody th,.count-table thead th:first-child{position:sticky;inset-inline-start:0;\
min-width:7rem}
.count-table td.self{text-align:center;color:var(--count-quiet)}
.count-table abbr{text-decoration:none}
.count-table td{text-align:end;padding:.3rem .5rem;white-space:nowrap}
.count-table td.wins{font-weight:700}
.count-table td.level{background:var(--count-level)}
"""


def color_classes(result: Result) -> dict[str, str]:
    """Return the CSS class of each candidate's color, the same in all pictures of the result.

    The class sets the custom property --count-color: a page can use
    `.bar { background: var(--count-color) }` on an element with this class.
    """
    return {
        name: f"count-color-{at % COLOR_COUNT}" for at, name in enumerate(result.ranked_candidates)
    }


def _properties(colors: dict[str, str]) -> str:
    return "{" + "".join(f"--count-{name}:{color};" for name, color in colors.items()) + "}"


def _pairwise_shades() -> str:
    return "".join(
        f".count-picture .{outcome}-{step}{{fill:var(--count-{outcome}-{step})}}"
        f".count-table .{outcome}-{step}{{background:var(--count-{outcome}-{step})}}\n"
        for outcome in ("win", "lose")
        for step in range(1, 6)
    )


def _candidate_colors() -> str:
    return "".join(
        f".count-color-{at}{{--count-color:var(--count-color-{at})}}"
        f".count-picture .count-color-{at}{{fill:var(--count-color-{at})}}\n"
        for at in range(COLOR_COUNT)
    )


# A page sets data-theme="light" or "dark" on its root to override the device's preference.
STYLESHEET = (
    f":root{_properties(LIGHT)}\n"
    f"@media (prefers-color-scheme:dark){{:root:not([data-theme=light]){_properties(DARK)}}}\n"
    f":root[data-theme=dark]{_properties(DARK)}\n"
    f"{_RULES}{_pairwise_shades()}{_candidate_colors()}"
)
