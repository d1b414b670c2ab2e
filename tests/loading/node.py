"""onnxruntime-web under Node, for the tests that run models as a browser does: skipped where one of them is missing."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

PACKAGE = "onnxruntime-web"
INSTALLED = Path(__file__).resolve().parents[2] / "build" / "node" / "node_modules"
"""Where `make test` puts the package; `NODE_PATH` says where else Node looks, and comes first."""
PATIENCE = 300.0
"""Seconds for one script."""


def require_web() -> tuple[str, dict[str, str]]:
    """Node, and an environment in which it finds onnxruntime-web; the test is skipped where one is missing."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node")
    paths = [os.environ.get("NODE_PATH", ""), str(INSTALLED)]
    environment = os.environ | {"NODE_PATH": os.pathsep.join(filter(None, paths))}
    command = [node, "-e", f"require.resolve('{PACKAGE}')"]
    if subprocess.run(command, env=environment, capture_output=True, check=False).returncode:
        pytest.skip(f"node does not find {PACKAGE}: `make test` installs it, or NODE_PATH names a folder that has it")
    return node, environment


def run_node(script: Path, *args: str | Path) -> str:
    """What a script prints that needs onnxruntime-web; the test is skipped where it cannot run."""
    node, environment = require_web()
    command = [node, str(script), *map(str, args)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    return done.stdout


__all__ = ["require_web", "run_node"]
