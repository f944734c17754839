"""What every command says of itself."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.golden.golden import Files, golden

_WALK = """
import sys
from jurat.cli.main import app
from typer import Context
from typer.core import TyperGroup
from typer.main import get_command

def walk(command, path):
    yield path
    if isinstance(command, TyperGroup):
        context = Context(command)
        for name in command.list_commands(context):
            yield from walk(command.resolve_command(context, [name])[1], (*path, name))

root = get_command(app)
for path in walk(root, ()):
    print("$ jurat", *path, "--help", flush=True)
    root.main([*path, "--help"], prog_name="jurat", standalone_mode=False)
"""
"""In a process of its own: Typer decides on colours and widths as soon as it is imported."""


@golden("help")
def helps() -> Files:
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    done = subprocess.run(
        [sys.executable, "-P", "-c", _WALK],
        env={**kept, "COLUMNS": "100"},
        capture_output=True,
        check=True,
        text=True,
    )
    assert done.stderr == ""
    return {"help.txt": done.stdout}
