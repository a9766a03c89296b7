"""Language models: roles, what runs on this machine, a test, and choosing one."""

import sys

import click

from daemon.cli.group import Group
from daemon.cli.options import Options, common
from daemon.cli.output import emit, say
from daemon.cli.progress import patience
from daemon.cli.session import opened
from daemon.usecases import models as usecase
from daemon.usecases.models import UseModelRequest
from daemon.usecases.writer import report_to

_ROLES = click.Choice(["classifier", "reader", "writer", "checker"])


@click.group(cls=Group, invoke_without_command=True)
@click.pass_context
@common
def models(context: click.Context, options: Options) -> None:
    """List, detect, test or choose language models. Lacuna works without any."""
    if context.invoked_subcommand is None:
        context.invoke(models_list)


@models.command("list")
@common
def models_list(options: Options) -> None:
    """List each role, its model, and which text it is sent."""
    with opened(options) as app:
        found = usecase.roles(app)
    if options.json:
        emit(found.as_json())
        return
    for each in found.root:
        say(f"{'on ' if each.on else 'off'}  {each.role:<11} {each.model or 'none'}")
        if each.why:
            say(f"{'':<17}{each.why}")
        if each.on:
            where = f"to {each.address}" if each.remote else "stays on this machine"
            say(f"{'':<17}{each.receives}: {where}")


@models.command("detect")
@common
def models_detect(options: Options) -> None:
    """Look for Ollama, LM Studio and llama.cpp on this machine."""
    with opened(options) as app, patience("looking for servers of language models"):
        found = usecase.detected(app)
    if options.json:
        emit(found.as_json())
        return
    for each in found.found:
        say(f"{each.provider}: {', '.join(each.models)}")
    for role, model in found.proposed.items():
        say(f"Use it: lacuna models use {role} {model}")
    if not found.found:
        say("Found no server of language models on this machine.")
        say("Start Ollama (https://ollama.com), LM Studio or llama.cpp's server.")
    elif not found.proposed:
        say("None of these models runs on this machine, or none can write.")
    if found.why:
        say(f"{found.why}.")


@models.command("test")
@common
def models_test(options: Options) -> None:
    """Send one short call to each model. Exit code 1: a call failed, or no model is configured."""
    with (
        opened(options) as app,
        patience("waiting for the models: one may have to be loaded first") as show,
    ):
        found = usecase.test(app, report_to(show))
    if options.json:
        emit(found.as_json())
    for each in () if options.json else found.root:
        what = f"{each.tokens} tokens, {each.seconds:.1f} s" if each.ok else each.why
        say(f"{each.role:<11} {each.model}: {what}")
    if not found.root and not options.json:
        say("No role has a model: run `lacuna models detect`.")
    if not found.root or not all(each.ok for each in found.root):
        sys.exit(1)


@models.command("use")
@click.argument("role", type=_ROLES)
@click.argument("model", metavar="PROVIDER/MODEL|none")
@click.option("--remote", is_flag=True, help="Allow sending text to another machine.")
@common
def models_use(options: Options, *, role: str, model: str, remote: bool) -> None:
    """Choose the model of a role.

    Example: lacuna models use writer ollama/qwen3:8b
    """
    name = "" if model == "none" else model
    with opened(options) as app:
        if name and usecase.is_remote(app, name) and not remote and not options.json:
            say(f"{name} is on another machine. It will be sent {usecase.texts_of(role)}.")
            remote = click.confirm("Allow it?")
        request = UseModelRequest.model_validate(
            {"role": role, "model": name, "allow_remote": remote}
        )
        found = usecase.use(app, request, options)
    if options.json:
        emit(found.as_json())
        return
    say(f"{found.role}: {found.model or 'none'}")
    if found.on:
        say("Check it: lacuna models test")
