"""The profile of an ONNX file: lines by what its nodes say of where they come from, as far as the sources are here."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import onnx

from graph_program.backends.onnxruntime.session import Session
from graph_program.extract.diagnostics import Loc
from graph_program.extract.own_modules import LANGUAGE
from graph_program.profiles.measured import Adjust, Subject, measure
from graph_program.profiles.nodes import Frame, Nodes, Place, Stack, expanded
from graph_program.profiles.overhead import corrected
from graph_program.profiles.profile import Profile, profile_of
from graph_program.profiles.sources import function_at

ENTRY = re.compile(r"(.+?):(\d+):\d+(?:, |$)")
EXTERNAL_FOLDER = "session.model_external_initializers_file_folder_path"


def profile_of_file(
    path: Path, feed: Mapping[str, Any], sources: Sequence[Path] = (), repeat: int = 10, warmup: int = 2
) -> Profile:
    """Profile a model file.

    Parameters
    ----------
    path : pathlib.Path
        The model.
    feed : mapping of str to array
        Its inputs.
    sources : sequence of pathlib.Path
        Files and folders with the source; the folder of the model and the present one are looked into besides.
    repeat, warmup : int
        How many runs are measured, and how many come before them.

    Raises
    ------
    GraphProgramError
        GP602 where onnxruntime does not take the model, GP514 where a run has too many operations.
    RuntimeError
        Where it does not run on these inputs.
    """
    model = expanded(onnx.load(path, load_external_data=False))
    content, nodes = model.SerializeToString(), Nodes(model)
    names = [output.name for output in model.graph.output]

    def session(adjust: Adjust) -> Session:
        def adjusted(options: Any) -> None:
            options.add_session_config_entry(EXTERNAL_FOLDER, str(path.resolve().parent))
            adjust(options)

        return Session(content, adjust=adjusted)

    subject = Subject(
        session, lambda session: session.run(names, dict(feed), None), Loc(str(path), 0, 1, 0, 1, path.name)
    )
    times = corrected(measured := measure(subject, nodes, repeat, warmup))
    places = _Places([*sources, path.resolve().parent, Path.cwd()])
    return profile_of(path.name, times, measured, nodes, places.stack)


class _Places:
    """The lines that places in a model stand for, in the files that are here."""

    def __init__(self, sources: Sequence[Path]):
        self.sources = sources
        self.path = cache(self._path)

    def stack(self, place: Place) -> Stack:
        """The calls, outermost first, and the line."""
        entries = [*ENTRY.findall(place.source)[:1], *ENTRY.findall(place.calls)]
        return tuple(self._frame(name, int(line)) for name, line in reversed(entries))

    def _frame(self, name: str, line: int) -> Frame:
        file = self.path(name)
        function = function_at(file, line)
        return Frame(file, line, "" if function is None else function.name)

    def _path(self, name: str) -> str:
        """Where a file is; where it is not here, its name."""
        for source in self.sources:
            if source.name == name and source.is_file():
                return str(source.resolve())
            if (source / name).is_file():
                return str((source / name).resolve())
        return _of_the_language(name) or name


def _of_the_language(name: str) -> str | None:
    """The file of that name, if one stands for functions of a library and no other has its name."""
    from importlib.util import find_spec

    found = []
    for module in LANGUAGE:
        spec = find_spec(module)
        if spec is not None and spec.submodule_search_locations:
            found += [p for folder in spec.submodule_search_locations for p in Path(folder).rglob(name)]
        elif spec is not None and spec.origin is not None and Path(spec.origin).name == name:
            found.append(Path(spec.origin))
    return str(found[0]) if len(found) == 1 else None


__all__ = ["profile_of_file"]
