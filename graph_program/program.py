"""What the decorator makes: called like the function, exported, explained."""

from __future__ import annotations

import functools
import os
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any, Generic, Never, ParamSpec, TypeVar, cast

from graph_program.backends.host.miss import MISS, SHIMS
from graph_program.calls.fewer_collections import fewer_collections
from graph_program.calls.program_options import ProgramOptions
from graph_program.fronts import Called, is_disabled, maker
from graph_program.inspected import Inspected

if TYPE_CHECKING:
    import onnx

    from graph_program.calls.calls import Calls
    from graph_program.calls.extractions import Extractions
    from graph_program.calls.kept_programs.kept import KeptProgram
    from graph_program.exports.summary import ExportSummary
    from graph_program.pages.options import Page
    from graph_program.profiles.profile import Profile
    from graph_program.quantized.options import Quantization
    from graph_program.sessions.session import Session
    from graph_program.verification.report import Report

P = ParamSpec("P")
R = TypeVar("R")

Dims = Mapping[str, "int | tuple[int, int | None]"]

BOUND = 64
"""How many objects a method's program remembers; what was extracted for older ones is dropped."""


class GraphProgramFunction(Called, Inspected, Generic[P, R]):
    """A program: called like the Python function it was made of.

    Made by `graph_program`.  The first call with new argument types extracts the function's source
    into a graph; nothing heavy happens before.
    """

    __graph_program__ = True

    __wrapped__: Callable[P, R]
    __name__: str
    __qualname__: str

    def __init__(self, target: Any, options: ProgramOptions, instance: Any = None):
        self._target = target
        self._options = options
        self._object = instance
        self._shims: tuple[Callable[..., Any], ...] = ()
        self._calls: Calls | None = None
        self._kept: KeptProgram | None = None
        """Machine code of earlier processes, once it was looked for."""
        self._bound: OrderedDict[int, GraphProgramFunction[..., Any]] = OrderedDict()
        self._family = self._bound
        """The programs of the same method for other objects."""
        self._front: Callable[[Callable[..., Any]], Callable[..., Any]] | None = None
        functools.update_wrapper(self, function_of(target))
        self._enter(self._call)

    # ------------------------------------------------------------ calls

    if TYPE_CHECKING:

        def __call__(self, /, *args: P.args, **kwargs: P.kwargs) -> R: ...

    def _call(self, /, *args: Any, **kwargs: Any) -> Any:
        """Run the program for arguments of any signature."""
        if is_disabled():
            return self.python(*args, **kwargs)
        own = () if self._object is None else (self._object,)
        for shim in self._shims:
            result = shim(*own, *args, **kwargs)
            if result is not MISS:
                return result
        return self._slow((*own, *args), kwargs)

    def _slow(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """A call that no shim takes: by machine code that was kept for it, or by an extraction."""
        self._look_for_kept()
        if self._kept is not None:
            for shim in self._kept.shims():
                self._prefer(shim)
                result = shim(*args, **kwargs)
                if result is not MISS:
                    self._kept.note(args, kwargs)
                    return result
        return self._ready().call(args, kwargs)

    def _look_for_kept(self) -> None:
        if self._kept is None and self._calls is None and self._object is None:
            from graph_program.calls.kept_programs.kept import KeptProgram

            self._kept = KeptProgram(self.__wrapped__, self._options, lambda given: self._ready().repeat(given))

    @property
    def python(self) -> Callable[P, R]:
        """The undecorated function; for a method, bound to its object."""
        if self._object is not None:
            return cast("Callable[P, R]", MethodType(self.__wrapped__, self._object))
        return self.__wrapped__

    def __get__(self, instance: Any, owner: type | None = None) -> GraphProgramFunction[..., R]:
        """The program of a method, bound to its object; what is extracted for an object is kept."""
        if isinstance(self._target, classmethod):
            instance = instance if owner is None else owner
        if instance is None or self._object is not None or isinstance(self._target, staticmethod):
            return self
        found = self._bound.get(id(instance))
        if found is None or found._object is not instance:
            found = self._bound[id(instance)] = BoundProgram(self._target, self._options, instance)
            found._family = self._bound
            while len(self._bound) > BOUND:
                self._bound.popitem(last=False)
        return found

    def _ready(self) -> Calls:
        if self._calls is None:
            with fewer_collections:
                from graph_program.calls.calls import Calls

            family = self._family
            others = lambda: [p._calls for p in reversed(family.values()) if p._calls is not None]  # noqa: E731
            self._calls = Calls(self.__wrapped__, self._object, self._options, self._prefer, others)
            if self._kept is not None:
                self._kept.tell(self._calls)
        return self._calls

    def _prefer(self, shim: Callable[..., Any]) -> None:
        """Try this signature first from now on."""
        self._shims = (shim, *(other for other in self._shims if other is not shim))[:SHIMS]
        if self._front is None:
            other = self._call if self._object is None else lambda _, *args, **kwargs: self._call(*args, **kwargs)
            self._front = maker(self.__wrapped__, other)
        front = self._front(shim)
        self._enter(front if self._object is None else MethodType(front, self._object))

    def _enter(self, entry: Callable[..., Any]) -> None:
        """Have calls go to a function."""
        self.__call__ = entry  # type: ignore[method-assign]

    def session(self) -> Session[P, R]:
        """Calls that keep their memory from one to the next, and streams of calls.

        Returns
        -------
        Session
            Called like the program, it does and gives the same, in less time: what is bound to onnxruntime stays bound,
            and results stand in memory that nobody uses any more.  `run_many` makes the calls of a stream, in several
            processes if asked to.  `with` ends it.  Whether `GRAPH_PROGRAM_DISABLE` is set is asked here.
        """
        from graph_program.sessions.session import Session

        self._look_for_kept()
        return Session(self._ready(), self._kept, is_disabled())

    # ------------------------------------------------------------ models

    def model(
        self,
        args: Any = None,
        *,
        freeze: bool = True,
        include_errors: bool = True,
        local_functions: bool = True,
        dims: Dims | None = None,
        static: Iterable[str] = (),
        opset: int | None = None,
        ir_version: int | None = None,
        checks: str = "all",
        portable: bool = False,
        float: str = "float64",
        **unknown: Never,
    ) -> onnx.ModelProto:
        """The program as an ONNX model.

        Parameters
        ----------
        args : tuple, list or dict, optional
            Example arguments that give the types: by position, or by name.  Without them the
            annotations do, or else the last call.
        freeze : bool
            Whether captured arrays are constants of the model (else they are inputs).
        include_errors : bool
            Whether the model tells errors (`raise`, failing checks) in an output `error`.
        local_functions : bool
            Whether a function that the program calls several times is a function of the model, too, where
            the model gets smaller by it; results are the same.
        dims : mapping of str to int or (int, int), optional
            Sizes of dims, by their names in the annotations and in `signature`, besides those that the
            program declares.  `{"n": 128}` freezes a dim: the program is extracted again with that size,
            and what only computed sizes is gone.  `{"batch": (1, 8)}` is a promise of who runs the model.
        static : iterable of str, optional
            Parameters, and fields of them (`"config.taps"`), that are fixed to their present values.  The
            numbers of a model are inputs; where the program needs the value of one that is not named here,
            it is refused.
        opset, ir_version : int, optional
            Versions of the standard operators, from 17 to the newest that onnx and onnxruntime share, and
            of the file format; 20 and 10 by default.  With an older or newer `opset`, the file format is the
            one that came with it.
        checks : {"all", "none"}
            "none" leaves out what notices that an operation fails (an index outside, a division by zero, an int of
            more than 64 bits, sizes that do not fit), for whoever has tested that none does: where one fails, the
            results mean nothing, or the run ends; in C it is undefined.  What `raise` and `assert` raise stays.
        portable : bool
            Whether the model is for other runtimes than onnxruntime, too; see docs/export.md.
        float : {"float64", "float32"}
            "float32" computes Python floats and float64 arrays in 32 bits, for devices without a unit for doubles.

        Returns
        -------
        onnx.ModelProto

        Raises
        ------
        GraphProgramError
            GP502 where the types are not known, GP504 for a dim that does not exist, GP510 where the model
            would be right for some values only, GP515 for an option that there is not; any refusal of the extractor.
        ValueError
            For sizes that the program's own `dims` do not allow.

        Notes
        -----
        Every value of the model has its element type and shape, with names and expressions (`n+1`) for
        sizes that are not known.  Declared sizes are told as JSON in the metadata `graph_program.dims`,
        errors in `errors`.
        """
        from graph_program.exports.models import model_of
        from graph_program.exports.options import read_model_options, refuse_unknown_options

        calls = self._ready()
        refuse_unknown_options(calls.loc, GraphProgramFunction.model, unknown)
        given = (freeze, include_errors, local_functions, dims, static, opset, ir_version, checks, portable, float)
        options = read_model_options(calls.loc, *given)
        return model_of(calls, args, options)

    def export(
        self,
        path: str | os.PathLike[str],
        args: Any = None,
        *,
        freeze: bool = True,
        include_errors: bool = True,
        local_functions: bool = True,
        dims: Dims | None = None,
        static: Iterable[str] = (),
        opset: int | None = None,
        ir_version: int | None = None,
        checks: str = "all",
        portable: bool = False,
        float: str = "float64",
        host: str | None = None,
        verify: bool = True,
        external_data: str | bool | os.PathLike[str] | None = "auto",
        example: bool = False,
        layout: str = "files",
        target: str | None = None,
        quantize: str | Quantization | None = None,
        page: Page | None = None,
        **unknown: Never,
    ) -> ExportSummary:
        """Write the program as an ONNX file, as C or as a page; a file that is there is replaced, in one step.

        A program with host code is refused, unless `host` says how it is to be reached.

        Parameters
        ----------
        path : path-like
            Where to write: `play.onnx`, `play.c` for C99 that needs nothing but C's library (`play.h` beside it), or
            `play.html` for a page that runs the program in a browser.
        args, freeze, include_errors, local_functions, dims, static, opset, ir_version, checks, portable, float
            See `model`.
        host : {None, "operators", "segments"}
            How host code is reached.  "operators": the model has operators that Python implements, through
            onnxruntime-extensions; for `play.onnx`, a module with the host steps is written beside it, `play_host.py`,
            and the file `graph_program_runtime.py` that this needs.  "segments": `path` is a folder that gets a model
            of standard operators for each piece between host steps, a manifest, and a driver.
        verify : bool
            Whether the file is checked, loaded and compared with Python before it gets its name; and run in its target,
            where that is installed.
        external_data : "auto", bool, path-like or None
            Whether arrays of more than 1 KiB stand in a file of their own, in the same folder: from 128 MiB
            on, always (`model.onnx.data`), never, or in the one that is named.  Of a C program all captured
            arrays do, from 4 MB on, always, or never; that file is `play.bin`, and no other one can be named.
        example : bool
            Whether a C program gets a file `play_main.c` with a `main` that calls it with the example arguments.
        layout : {"files", "arduino", "zephyr"}
            "arduino" and "zephyr" make a folder: a library for Arduino, or a module for Zephyr, of C files.
        target : str, optional
            What a file is whose name has no end, which it gets: "onnx", "c" or "page"; else an ONNX file for a runtime.
            What that does not take, or gets wrong, is refused at its line: as it was probed ("openvino", "tract",
            "onnxruntime", "onnxruntime-web", "webgpu"), or as its documentation says ("tensorrt", "qnn").  For "cuda",
            the summary names what the CPU does.
        quantize : {"int8", "float16"} or Quantization, optional
            Makes a smaller model whose results are near to the program's: `quantized` of the summary tells how near
            for the example arguments, or the first of the calibration set.
        page : Page, optional
            How a page shows inputs and results, and where onnxruntime-web is that it runs in.

        Returns
        -------
        ExportSummary

        Raises
        ------
        ExportError
            GP501 where the file cannot be written; then no part of it is left.
        GraphProgramError
            GP512 for host code without `host`, with the lines that need it; what `model` refuses.
        ValueError
            For another `host`, and for sizes that the program's own `dims` do not allow.
        """
        from graph_program.exports.export import export
        from graph_program.exports.options import FileOptions, path_for, read_model_options, refuse_unknown_options
        from graph_program.verification.of_target import tried

        calls = self._ready()
        refuse_unknown_options(calls.loc, GraphProgramFunction.export, unknown)
        given = (freeze, include_errors, local_functions, dims, static, opset, ir_version, checks, portable, float)
        options = read_model_options(calls.loc, *given)
        files = FileOptions(host, verify, external_data, example, layout, target, quantize, page)
        is_file = host != "segments" and layout == "files"  # else it is a folder
        named = path_for(target if is_file else None, os.fsdecode(path), calls.loc)
        return export(calls, named, args, options, files, tried)

    # ------------------------------------------------------------ looking inside

    def c_source(self, args: Any = None) -> str:
        """The program in C, as `export` writes it to a `.c` file.

        Parameters
        ----------
        args : tuple, list or dict, optional
            Example arguments, where the annotations do not say what the arguments are.

        Raises
        ------
        GraphProgramError
            GP512 for host code, GP601 for an operation that has no form in C.
        """
        from graph_program.exports.c_files import made_c
        from graph_program.exports.options import ModelOptions

        return made_c(self._ready(), args, ModelOptions()).source.text

    def explain(self, stage: str | None = None, args: Any = None) -> str:
        """The program after each stage of the extraction, as text.

        Behind the stages: what the evaluator had to decide to get through the program, and what would be refused
        otherwise; notes; what runs it.

        Parameters
        ----------
        stage : str, optional
            One stage only: "source", "stage", "cfg", "ssa", "regions", "graph" or "optimized".
        args : tuple, list or dict, optional
            Example arguments, as for `model`.

        Raises
        ------
        ValueError
            For a stage that does not exist.
        """
        from graph_program.calls.explained import explain

        return explain(self._ready(), stage, args)

    @property
    def extractions(self) -> Extractions:
        """Every extraction of the program, with what called for it and the time that it took; `print` shows a table.

        A sequence of records, each with its `number`, `reason`, `parameter` (`"n"`, `"p.taps"`, `"self.gain"`),
        `kind` and `seconds`.  After eight for one reason an `ExtractionWarning` names the parameter and the way out;
        `graph_program(extractions="error")` makes that an error (GP406), `"ignore"` nothing.  A method has those for
        all objects of its class.
        """
        from graph_program.calls.extractions import Extractions

        if self._kept is not None:
            self._ready()  # is told of it
        calls = [self._calls, *(program._calls for program in self._family.values())]
        return Extractions(next((found.log.records for found in calls if found is not None), ()))

    def profile(self, /, *args: Any, repeat: int = 10, warmup: int = 2, **kwargs: Any) -> Profile:
        """Where the time of a call goes, line by line; `print` shows the source with the time of each line.

        The model that a call runs is run with onnxruntime's profiler on these arguments, which are not changed.  What
        the call does besides in Python is not measured: reading arguments, making results.

        Parameters
        ----------
        *args, **kwargs
            As for a call.
        repeat : int
            How many runs are measured.
        warmup : int
            How many runs come before them.

        Returns
        -------
        Profile
            `lines`, `operations`, `by_operator()`, `json()`, `speedscope()`.

        Raises
        ------
        GraphProgramError
            GP513 for a program with host code, GP514 where a run has too many operations for the profiler; any
            refusal of the extractor.
        Exception
            What the call raises.
        """
        from graph_program.profiles.of_program import profile

        first = () if self._object is None else (self._object,)
        return profile(self._ready(), self._ready().bind(*first, *args, **kwargs), repeat, warmup)

    def verify(
        self, args: Any, *, runtimes: str | Iterable[str] = (), timeout: float = 120.0, **options: Any
    ) -> Report:
        """Run the program's file in every runtime that is installed, and compare with Python.

        Each gets the file that `export(target=...)` writes for it, and runs in a process of its own.  Where one gives
        something else, the first operation that does so is named, with its line.

        Parameters
        ----------
        args : tuple, list or dict
            The arguments, by position or by name; they are not changed.
        runtimes : str or iterable of str, optional
            One or some of "onnxruntime", "onnxruntime-web", "openvino" and "tract", which are asked by default where
            they are installed, "webgpu" and "cuda" (onnxruntime-web in Chromium, and onnxruntime on a GPU), and
            "reference", the evaluator of onnx.
        timeout : float
            Seconds for each run.
        **options
            As for `model`.

        Returns
        -------
        Report
            `print` shows a table; `ok`, `findings` and `json()` are for programs.

        Raises
        ------
        GraphProgramError
            GP512 for host code, GP515 for a runtime that there is not, GP545 where arguments are missing; what `model`
            refuses.
        """
        from graph_program.exports.options import read_model_options, with_defaults
        from graph_program.verification.of_program import verify_program

        calls = self._ready()
        given = with_defaults(calls.loc, GraphProgramFunction.model, options, GraphProgramFunction.verify)
        return verify_program(calls, args, read_model_options(calls.loc, *given), runtimes, timeout)

    def __repr__(self) -> str:
        return f"<graph program {self.__qualname__}>"

    def __reduce__(self) -> Any:
        if self._object is not None:
            return (getattr, (self._object, self.__name__))
        return self.__qualname__


class BoundProgram(GraphProgramFunction[P, R]):
    """A program that has its `self`."""

    @property
    def __self__(self) -> Any:
        """The object, as of a bound method."""
        return self._object

    @property
    def __func__(self) -> FunctionType:
        """The undecorated function, as of a bound method."""
        return function_of(self._target)

    @property
    def __signature__(self) -> Any:
        import inspect

        return inspect.signature(self.python)


def function_of(target: Any) -> FunctionType:
    """The Python function inside a static method, class method or program."""
    while isinstance(target, (staticmethod, classmethod, GraphProgramFunction)):
        target = target.__wrapped__ if isinstance(target, GraphProgramFunction) else target.__func__
    return cast(FunctionType, target)


GraphProgramFunction.__module__ = "graph_program"
