"""A program's files in the runtimes that each is written for, compared with what Python makes of the same arguments."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graph_program.exports.feeds import Feed, feed_of
from graph_program.exports.for_model import extraction_for_model
from graph_program.exports.for_target import made_for, require_elements, require_for
from graph_program.exports.host_needed import require_no_host
from graph_program.exports.model_file import save
from graph_program.exports.models import Made
from graph_program.exports.verify import differences
from graph_program.extract.diagnostics import Diagnostic, ExportError, ProgramValueError
from graph_program.targets.support import Support, targets
from graph_program.verification.apart import PATIENCE
from graph_program.verification.of_file import absent, differences_apart, finding
from graph_program.verification.report import Difference, Finding, Report
from graph_program.verification.runtimes import RUNTIMES, Runtime, chosen, named_runtimes

if TYPE_CHECKING:
    from graph_program.calls.calls import Calls
    from graph_program.exports.options import ModelOptions
    from graph_program.extract.extraction import Extraction


def verify_program(
    calls: Calls, args: Any, options: ModelOptions, runtimes: str | Iterable[str] = (), patience: float = PATIENCE
) -> Report:
    """See `GraphProgramFunction.verify`."""
    names = named_runtimes(runtimes)
    unknown = [name for name in names if name not in RUNTIMES]
    if unknown:
        text = f"there is no runtime {unknown[0]!r}"
        hint = f"the runtimes are {', '.join(RUNTIMES)}"
        raise ProgramValueError(Diagnostic("GP515", text, calls.loc, hint=hint))
    dims = calls.options.dims.narrowed(options.dims)
    find = partial(extraction_for_model, calls, args, dims, static=options.static)
    extraction = find()
    require_no_host(extraction)
    values = calls.example(args, dims)
    if values is None:
        text = f"`{calls.loc.function}` can only be verified with arguments"
        raise ExportError(Diagnostic("GP545", text, calls.loc, hint="give example arguments, as to `export`"))
    with tempfile.TemporaryDirectory() as folder:
        verification = _Verification(calls, extraction, options, find, values, Path(folder), patience)
        findings = [absent(runtime) or verification.of(runtime) for runtime in chosen(names)]
    return Report(calls.fn.__qualname__, "Python", tuple(findings), names)


@dataclass(frozen=True)
class _Verification:
    calls: Calls
    extraction: Extraction
    options: ModelOptions
    find: Callable[[], Extraction]
    values: Any
    folder: Path
    patience: float
    made: dict[tuple[bool, str], tuple[Made, Path]] = field(default_factory=dict)
    """The files and where they are, by whether they are portable and by the target that they are for."""

    def of(self, runtime: Runtime) -> Finding:
        """What a runtime makes of the file that is written for it."""
        support = None if self.options.portable else targets().get(runtime.name)
        if support is not None and support.document:  # that nobody has probed refuses nothing here
            support = None
        target = "" if support is None else runtime.name
        options = replace(self.options, portable=self.options.portable or runtime.portable, target=target)
        made, path = self._file(options, support)
        try:
            require_for(made, self.calls, support)
            if support is not None:
                require_elements(self.calls, self.extraction, self.values, support)
        except ExportError as error:
            return Finding(runtime.name, runtime.version, "refused", _told(error.diagnostic))
        return finding(runtime, path, self._feed(), self.patience, partial(self._differences, runtime, made, path))

    def _file(self, options: ModelOptions, support: Support | None) -> tuple[Made, Path]:
        key = options.portable, options.target
        if key not in self.made:
            made = made_for(self.calls, self.extraction, options, self.find, support)
            path = self.folder / f"{len(self.made)}.onnx"
            save(made.model, path)
            self.made[key] = made, path
        return self.made[key]

    def _feed(self) -> Feed:
        return feed_of(self.calls.callee, self.extraction.interface, self.values, self.calls.instance)

    def _differences(self, runtime: Runtime, made: Made, path: Path) -> list[Difference]:
        compared = partial(differences, self.calls, self.extraction, made, self.values)
        return differences_apart(runtime, path, self.patience, compared, ("fails",))


def _told(refused: Diagnostic) -> str:
    """That an export is refused, and at which line."""
    line = refused.loc.where.rpartition(":")[0]
    return f"{line}: {refused.code} {refused.message}"


__all__ = ["verify_program"]
