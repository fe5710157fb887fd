"""Pictures of a count, as SVG, each with a text that says the same.

They carry classes and no styles, so that a page may forbid inline styles: link STYLE as a file of
its own. `Picture.file` has the stylesheet inside, for a file that stands alone.
"""

from __future__ import annotations

from singletable_apps.counting.pictures.beat_paths import beat_paths
from singletable_apps.counting.pictures.gallery import pictures_of
from singletable_apps.counting.pictures.pairwise_map import pairwise_map
from singletable_apps.counting.pictures.pairwise_table import pairwise_table
from singletable_apps.counting.pictures.picture import Picture
from singletable_apps.counting.pictures.rounds import round_bars
from singletable_apps.counting.pictures.style import STYLE
from singletable_apps.counting.pictures.transfers import transfer_flow

__all__ = [
    "STYLE",
    "Picture",
    "beat_paths",
    "pairwise_map",
    "pairwise_table",
    "pictures_of",
    "round_bars",
    "transfer_flow",
]
