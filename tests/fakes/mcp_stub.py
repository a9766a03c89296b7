"""An MCP server over stdio without the SDK, so that it starts at once and can misbehave.

python mcp_stub.py MODE [ARGUMENT]      MODE says what it does when its tool is called
"""

import json
import os
import sys
from pathlib import Path
from typing import Any


def main() -> None:
    mode, argument = [*sys.argv[1:], "", ""][:2]
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        match message["method"]:
            case "initialize":
                offer = {"name": "stub", "version": "1"}
                version = message["params"]["protocolVersion"]
                answer(
                    message,
                    {
                        "protocolVersion": version,
                        "capabilities": {"tools": {}},
                        "serverInfo": offer,
                    },
                )
            case "tools/list":
                answer(message, {"tools": [{"name": "search", "inputSchema": {"type": "object"}}]})
            case "tools/call":
                called(message, mode, argument)
            case _:
                error = {"code": -32601, "message": "Method not found"}
                write({"jsonrpc": "2.0", "id": message["id"], "error": error})


def called(message: dict[str, Any], mode: str, argument: str) -> None:
    match mode:
        case "reply":
            answer(message, json.loads(argument))
        case "echo":
            reported = {
                "pid": os.getpid(),
                "environment": dict(os.environ),
                "folder": str(Path.cwd()),
                "arguments": message["params"]["arguments"],
            }
            answer(message, as_text({"title": json.dumps(reported), "url": "https://example.com/"}))
        case "error":
            error = {"code": -32603, "message": "the index is broken"}
            write({"jsonrpc": "2.0", "id": message["id"], "error": error})
        case "die":
            sys.exit("no more paper")
        case "die once":
            if not Path(argument).exists():
                Path(argument).touch()
                sys.exit("a first time")
            answer(message, as_text({"url": "https://example.com/again"}))
        case "garbage":
            sys.stdout.write("no JSON\n{\n[1]\n" + "\x00" * 50 + "\n")
            sys.exit()
        case _:
            never_answer(mode, argument)


def never_answer(mode: str, argument: str) -> None:
    while mode == "flood":
        sys.stdout.write("x" * 65_536)
    if mode == "kill":
        Path(argument).write_text("called")
    sys.stdin.read()  # the call after this one, or the end, is never read


def as_text(record: dict[str, Any]) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": json.dumps([record])}]}


def answer(message: dict[str, Any], result: dict[str, Any]) -> None:
    write({"jsonrpc": "2.0", "id": message["id"], "result": result})


def write(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
