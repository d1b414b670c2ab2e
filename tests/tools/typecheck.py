"""Run `mypy --strict` on the package.

The package's folders stand beside each other in the repository and are joined at installation, which
mypy cannot follow.  So they are copied to `build/typecheck` as they would be installed, and the paths
in mypy's report are turned back into those of the repository.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TREE = ROOT / "build" / "typecheck"


def package_folders() -> dict[str, str]:
    """Where each mapped package lies: `{"graph_program.extract": "extract", ...}`."""
    with open(ROOT / "pyproject.toml", "rb") as file:
        folders: dict[str, str] = tomllib.load(file)["tool"]["setuptools"]["package-dir"]
    return dict(sorted(folders.items(), key=lambda item: item[0].count(".")))


def assemble(folders: dict[str, str]) -> None:
    """Lay the folders out under `TREE` as an installation would."""
    shutil.rmtree(TREE, ignore_errors=True)
    ignore = shutil.ignore_patterns("__pycache__")
    for package, folder in folders.items():
        target = TREE.joinpath(*package.split("."))
        shutil.copytree(ROOT / folder, target, ignore=ignore, dirs_exist_ok=True)


def repository_path(line: str, folders: dict[str, str]) -> str:
    """`line` of mypy's report with the repository's path instead of the copy's."""
    for package, folder in reversed(folders.items()):
        copied = os.path.join(*package.split(".")) + os.sep
        for prefix in (str(TREE) + os.sep, os.path.relpath(TREE) + os.sep, ""):
            if line.startswith(prefix + copied):
                return folder + os.sep + line[len(prefix + copied) :]
    return line


def main() -> int:
    """Type-check; the exit status is mypy's."""
    folders = package_folders()
    assemble(folders)
    environment = {**os.environ, "MYPYPATH": str(TREE)}
    command = [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml")]
    command += ["--cache-dir", str(ROOT / ".mypy_cache"), "-p", "graph_program", *sys.argv[1:]]
    done = subprocess.run(command, cwd=TREE, env=environment, capture_output=True, text=True)
    for line in done.stdout.splitlines():
        print(repository_path(line, folders))
    sys.stderr.write(done.stderr)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
