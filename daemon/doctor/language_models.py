"""Check the language models of the settings; silent while there is none."""

from collections.abc import Iterator
from importlib.util import find_spec

from daemon.doctor.check import Check, Scene, passed
from daemon.doctor.faults import fault_of
from daemon.writers import role_states


def models(scene: Scene) -> Iterator[Check]:
    """Report each role that has a model. Asks no provider: `lacuna models test` does."""
    settings = scene.app.settings.models
    for each in role_states(settings, scene.app.secrets):
        if not each.provider:
            continue
        model = f"{each.provider}/{each.model}"
        kind = settings.provider(each.provider).kind
        if each.why:
            yield fault_of("models-off", role=each.role, model=model, why=each.why)
        elif kind.needs_library and find_spec("pydantic_ai") is None:
            yield fault_of("models-library", provider=each.provider)
        else:
            where = "on another machine" if each.is_remote else "on this machine"
            yield passed("models", f"{each.role}: {model}, {where}")
