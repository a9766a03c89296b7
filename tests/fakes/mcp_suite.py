"""The tools, prompts and resources that the conformance suite calls, beside those of Lacuna."""

import base64
import json
from typing import Any

from mcp import types

from daemon.faces.mcp import server

PNG = base64.b64encode(
    bytes.fromhex(
        "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489"
        "0000000d49444154789c636460606000000005000157cf9e3f0000000049454e44ae426082"
    )
).decode()
WAV = base64.b64encode(b"RIFF$\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0D\xac\0\0\x88X\1\0").decode()


def text(said: str) -> types.TextContent:
    return types.TextContent(type="text", text=said)


def image() -> types.ImageContent:
    return types.ImageContent(type="image", data=PNG, mime_type="image/png")


def embedded(uri: str, said: str, kind: str = "text/plain") -> types.EmbeddedResource:
    contents = types.TextResourceContents(uri=uri, mime_type=kind, text=said)
    return types.EmbeddedResource(type="resource", resource=contents)


def audio() -> types.AudioContent:
    return types.AudioContent(type="audio", data=WAV, mime_type="audio/wav")


CONTENTS: dict[str, list[Any]] = {
    "test_simple_text": [text("This is a simple text response for testing.")],
    "test_image_content": [image()],
    "test_audio_content": [audio()],
    "test_embedded_resource": [embedded("test://embedded-resource", "This is an embedded one.")],
    "test_multiple_content_types": [
        text("Multiple content types test:"),
        image(),
        embedded("test://mixed-content-resource", '{"test": "data"}', "application/json"),
    ],
}


def prompt(content: Any) -> types.GetPromptResult:
    return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=content)])


class SuiteHandlers(server._Handlers):
    """The handlers of the server, which also know the names of the suite."""

    async def call_tool(self, context: Any, params: Any) -> types.CallToolResult:
        if params.name in CONTENTS:
            return types.CallToolResult(content=CONTENTS[params.name])
        if params.name == "test_error_handling":
            return server._refused(ValueError("This tool returns an error for testing"))
        if params.name == "test_tool_with_progress":
            for done in (0, 50, 100):
                await context.session.report_progress(done, 100, message=f"{done} of 100")
            return types.CallToolResult(content=[text("done")])
        return await super().call_tool(context, params)

    async def read_resource(self, context: Any, params: Any) -> types.ReadResourceResult:
        uri = str(params.uri)
        contents: types.TextResourceContents | types.BlobResourceContents | None = None
        if uri == "test://static-text":
            said = "This is the content of the static text resource."
            contents = types.TextResourceContents(uri=uri, mime_type="text/plain", text=said)
        elif uri == "test://static-binary":
            contents = types.BlobResourceContents(uri=uri, mime_type="image/png", blob=PNG)
        elif uri.startswith("test://template/"):
            said = json.dumps({"id": uri.split("/")[3], "templateTest": True})
            contents = types.TextResourceContents(uri=uri, mime_type="application/json", text=said)
        if contents is not None:
            return types.ReadResourceResult(contents=[contents])
        return await super().read_resource(context, params)

    async def get_prompt(self, context: Any, params: Any) -> types.GetPromptResult:
        given = params.arguments or {}
        if params.name == "test_simple_prompt":
            return prompt(text("This is a simple prompt for testing."))
        if params.name == "test_prompt_with_arguments":
            said = ", ".join(f"{name}='{value}'" for name, value in given.items())
            return prompt(text(f"Prompt with arguments: {said}"))
        if params.name == "test_prompt_with_embedded_resource":
            return prompt(embedded(given["resourceUri"], "Embedded resource content for testing."))
        if params.name == "test_prompt_with_image":
            return prompt(image())
        return await super().get_prompt(context, params)
