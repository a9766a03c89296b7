"""An app under conditions that a test chooses."""

from dataclasses import replace

from daemon.app import App
from daemon.ports import Conditions


def with_conditions(app: App, conditions: Conditions) -> App:
    return replace(app, scheduling=replace(app.scheduling, conditions=conditions))
