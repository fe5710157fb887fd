"""`singletable tour`: five single-table designs at work on the embedded engine."""

from singletable_apps.tour.runner import run_tour

__all__ = ["run_tour"]
