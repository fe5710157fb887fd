"""The stylesheet of all pictures: a page links it as a file, a picture's own file has it inside."""

from __future__ import annotations

from singletable_apps.counting.pictures.colours import BANDS, DARK, LIGHT

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
.count-picture .bar{fill:var(--count-bar)}
.count-picture .wins{fill:var(--count-bar-wins)}
.count-picture .goes{fill:var(--count-bar-goes)}
.count-picture .striped{stroke:var(--count-exhausted);stroke-dasharray:2 2}
.count-picture .outline{fill:none;stroke:var(--count-exhausted)}
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
.count-picture .band-out{fill:var(--count-exhausted)}
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
.count-table tbody th{position:sticky;inset-inline-start:0;min-width:7rem}
.count-table td.self{text-align:center;color:var(--count-quiet)}
.count-table abbr{text-decoration:none}
.count-table td{text-align:end;padding:.3rem .5rem;white-space:nowrap}
.count-table td.wins{font-weight:700}
.count-table td.level{background:var(--count-level)}
"""


def _properties(colours: dict[str, str]) -> str:
    return "{" + "".join(f"--count-{name}:{colour};" for name, colour in colours.items()) + "}"


def _heat() -> str:
    return "".join(
        f".count-picture .{sign}-{step}{{fill:var(--count-{sign}-{step})}}"
        f".count-table .{sign}-{step}{{background:var(--count-{sign}-{step})}}\n"
        for sign in ("win", "lose")
        for step in range(1, 6)
    )


def _bands() -> str:
    return "".join(
        f".count-picture .band-{at}{{fill:{colour}}}\n" for at, colour in enumerate(BANDS)
    )


# A page says data-theme="light" or "dark" on its root to overrule what the device prefers.
STYLESHEET = (
    f":root{_properties(LIGHT)}\n"
    f"@media (prefers-color-scheme:dark){{:root:not([data-theme=light]){_properties(DARK)}}}\n"
    f":root[data-theme=dark]{_properties(DARK)}\n"
    f"{_RULES}{_heat()}{_bands()}"
)
