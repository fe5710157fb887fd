"""Clients written once, and the faces of the engine that they are run on."""

from drills.faces.client import Answer, Client
from drills.faces.endpoint import on_endpoint
from drills.faces.run import FACES, Face, in_tasks, in_threads, in_turn

__all__ = ["FACES", "Answer", "Client", "Face", "in_tasks", "in_threads", "in_turn", "on_endpoint"]
