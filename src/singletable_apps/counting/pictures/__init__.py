"""Pictures of a count, as SVG, each with a text that says the same.

They carry classes and no styles, so that a page may forbid inline styles: link STYLE as a file of
its own. `Picture.file` has the stylesheet inside, for a file that stands alone.
"""

from __future__ import annotations

from singletable_apps.counting.pictures.beat_paths import draw_beat_paths
from singletable_apps.counting.pictures.gallery import draw_pictures
from singletable_apps.counting.pictures.pairwise_map import draw_pairwise_matrix
from singletable_apps.counting.pictures.pairwise_table import render_pairwise_table
from singletable_apps.counting.pictures.picture import Picture
from singletable_apps.counting.pictures.rounds import draw_round_bars
from singletable_apps.counting.pictures.style import STYLESHEET
from singletable_apps.counting.pictures.transfers import draw_transfers

__all__ = [
    "STYLESHEET",
    "Picture",
    "draw_beat_paths",
    "draw_pairwise_matrix",
    "draw_pictures",
    "draw_round_bars",
    "draw_transfers",
    "render_pairwise_table",
]
