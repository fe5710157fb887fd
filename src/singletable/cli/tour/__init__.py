"""A guided tour of the embedded engine through the designs of five documents."""

from singletable.cli.tour.guide import take_tour

__all__ = ["take_tour"]
