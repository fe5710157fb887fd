"""The colours of pictures, by light and by dark: told apart by those who see no red or no green.

Blue is for, orange is against, and each is also marked in another way. A page that wants others
sets the custom property: --count-paper, --count-win-3.
"""

from __future__ import annotations

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
    "bar": "#7fb2df",
    "bar-wins": "#0b5cad",
    "bar-goes": "#d98c45",
    "exhausted": "#8c959f",
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
    "bar": "#35699c",
    "bar-wins": "#6cb6ff",
    "bar-goes": "#b8722f",
    "exhausted": "#7d8792",
}

# One after another for candidates, and then from the start: each stands beside a name.
BANDS = (
    "#3b7dc4",
    "#d98324",
    "#2a9d78",
    "#c2578f",
    "#8a6fc8",
    "#a8971f",
    "#3f9fb3",
    "#a0583c",
)
