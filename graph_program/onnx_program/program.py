"""Calls an ONNX file that graph-program has written as the Python function that it was made of.

    step = load("tracker.onnx", classes=[Track])
    position = step(measured)            keeps its state, raises what the function raises

Copy this file to where the model runs: it needs NumPy and onnxruntime, and nothing of graph-program.  What it
knows of the function stands in the model's metadata (`graph_program`, JSON).  Nothing in a model is executed:
no module that it names is imported, and a class that it names is one of `classes`, or made here.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from graph_program.onnx_program.changes import Change, refuse_shared_objects
from graph_program.onnx_program.classes import Classes, named_classes
from graph_program.onnx_program.failures import Failure
from graph_program.onnx_program.fixed import FixedAttribute, State
from graph_program.onnx_program.parameters import KINDS, StateObject, parameter
from graph_program.onnx_program.places import Call, path_of, text_of
from graph_program.onnx_program.results import Outputs, result
from graph_program.onnx_program.rows import RowsPart
from graph_program.onnx_program.sizes import check_sizes
from graph_program.onnx_program.told import CallError, LoadError, RunError

FORMAT = 1
"""The version of the description that this file reads."""
METADATA = "graph_program"
FLOAT = "graph_program.float"
"""Where a model says that it computes in other floats than its program."""
QUANTIZED = "graph_program.quantized"
"""Where a model says that it has fewer bits than its program."""
CPU, CUDA = ("CPUExecutionProvider",), "CUDAExecutionProvider"
KINDS["rows"] = RowsPart  # whose elements are of the other kinds


class Port(NamedTuple):
    """An input or output of the model: its element type, and its sizes as far as they are known."""

    dtype: str
    shape: tuple[int | str | None, ...]


def load(
    path: str | os.PathLike[str] | bytes,
    *,
    classes: Iterable[Any] | Mapping[str, Any] = (),
    state: Mapping[str, Any] | None = None,
    providers: Sequence[Any] = CPU,
    options: Any = None,
) -> Program:
    """The function that a model was made of.

    Parameters
    ----------
    path : path-like or bytes
        A file that graph-program has exported, or what is in it.
    classes : iterable of classes, or mapping of names to classes
        Dataclasses, named tuples, enums and exceptions of the program.  One that is not given is made here, with
        the same name and fields; see `Program.classes`.
    state : mapping, optional
        The `state` of another program, to share it: `load("update.onnx", state=predict.state)`.  What a program
        assigns is state; attributes that it only reads are constants of its model.
    providers, options
        As onnxruntime's `InferenceSession` takes them.  A provider that does not start is an error, and CUDA's, where
        it is named without options, computes float32 in float32.

    Raises
    ------
    LoadError
        Where onnxruntime does not take the model, or the model does not say of which function it is.
    CallError
        Where the state has, or the other program writes, something else than a constant of the model.
    """
    return program_of(_session(path, providers, options), classes, state)


def program_of(
    session: Any, classes: Iterable[Any] | Mapping[str, Any] = (), state: Mapping[str, Any] | None = None
) -> Program:
    """The same of a model that is loaded: an onnxruntime session."""
    given = named_classes(classes)
    described = _description(session.get_modelmeta().custom_metadata_map)
    try:
        made = Program(session, described, Classes(described["classes"], given))
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, RecursionError) as error:
        text = f"the model's description of its function is damaged ({type(error).__name__}: {error})"
        raise LoadError(text) from None
    if state is not None:
        made.share(state)
    return made


def _session(path: Any, providers: Sequence[Any], options: Any) -> Any:
    import onnxruntime

    if not isinstance(path, bytes) and not os.path.isfile(path):
        raise LoadError(f"there is no file {os.fspath(path)!r}")
    source = path if isinstance(path, bytes) else os.fspath(path)
    chosen = without_tf32(providers)
    try:
        session = (
            _exact_session(source, chosen)
            if options is None
            else onnxruntime.InferenceSession(source, options, providers=chosen)
        )
    except Exception as error:  # onnxruntime's classes of exceptions have no common base
        raise LoadError(f"onnxruntime {onnxruntime.__version__} does not load the model: {_reason(error)}") from None
    started = session.get_providers()
    for provider in providers:  # onnxruntime goes on without one that does not start
        if (provider[0] if isinstance(provider, tuple) else provider) not in started:
            text = f"its execution provider {provider!r}: the device, or a library that it needs, is missing"
            raise LoadError(f"onnxruntime {onnxruntime.__version__} does not start {text}")
    return session


def without_tf32(providers: Sequence[Any]) -> list[Any]:
    """Providers that compute float32 in float32: CUDA's rounds what it multiplies to 11 bits where nobody objects."""
    return [(name, {"use_tf32": "0"}) if name == CUDA else name for name in providers]


def _exact_session(source: bytes | str, providers: list[Any]) -> Any:
    """A session that computes with few bits as the operators say; one that may saturate, where that does not load."""
    import onnxruntime

    def session(exact: str) -> Any:
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4  # what it would print is raised
        options.add_session_config_entry("session.x64quantprecision", exact)
        options.add_session_config_entry("session.qdq_matmulnbits_accuracy_level", "1")
        return onnxruntime.InferenceSession(source, options, providers=providers)

    try:
        return session("1")
    except Exception:  # onnxruntime's classes of exceptions have no common base
        return session("0")


def _description(said: Mapping[str, str]) -> dict[str, Any]:
    text = said.get(METADATA)
    if text is None and QUANTIZED in said:
        raise LoadError(
            f"the model's inputs and outputs are of {said[QUANTIZED]}, and not of the types of its function "
            "(keep_types=False): run it in a session of onnxruntime"
        )
    if text is None and FLOAT in said:
        raise LoadError(
            f"the model computes in {said[FLOAT]}, and not in the types of its function (float={said[FLOAT]!r}): "
            "run it in a session of onnxruntime"
        )
    if text is None:
        raise LoadError(
            "the model does not say which function it was made of: it is not one that graph-program exported"
        )
    try:
        described = json.loads(text)
        version = described["format"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise LoadError("the model's description of its function is damaged: it is not whole") from None
    if not isinstance(version, int) or version > FORMAT:
        text = f"the model was written by a newer graph-program (format {version!r}; this file reads {FORMAT})"
        raise LoadError(f"{text}: take the onnx_program.py of that version")
    if described.get("digest") != digest(described):
        raise LoadError("the model's description of its function is damaged: it is not what was written")
    if "missing" in described:
        raise LoadError(
            f"the model cannot be called like its function: its description has no words for {described['missing']}"
        )
    return described  # type: ignore[no-any-return]


def digest(described: Mapping[str, Any]) -> str:
    """A checksum of a description, but for the one that it holds."""
    rest = {key: value for key, value in described.items() if key != "digest"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()


def _reason(error: Exception) -> str:
    """What onnxruntime complains about, without its codes."""
    text = (str(error).strip().splitlines() or [type(error).__name__])[0]
    return text.split(" : ", 3)[-1] if text.startswith("[ONNXRuntimeError]") else text


# ---------------------------------------------------------------- programs


class Program:
    """A model that is called like the function it was made of.

    Attributes
    ----------
    inputs, outputs : dict of str to Port
        Of the model, by name.
    state : dict
        The objects whose attributes the program keeps from call to call, by their names: `state["self"].position`.
    classes : dict
        The classes of its structures and exceptions, by name: those that were given, others made here.
    captured : dict of str to array
        Captured arrays that are inputs of the model (`freeze=False`), by their expressions; to be set before a call.
    session : onnxruntime.InferenceSession
    """

    def __init__(self, session: Any, described: dict[str, Any], classes: Classes):
        self.session = session
        self.inputs = {i.name: Port(_dtype_name(i.type), tuple(i.shape)) for i in session.get_inputs()}
        self.outputs = {o.name: Port(_dtype_name(o.type), tuple(o.shape)) for o in session.get_outputs()}
        self.classes = classes
        self.__name__, self.__qualname__ = str(described["name"]), str(described["qualname"])
        self._bind = _binder(self.__qualname__, described["signature"], classes)
        self.bound = described["bound"]
        signature = inspect.signature(self._bind)
        shown = [p for name, p in signature.parameters.items() if name != self.bound]
        self.__signature__ = signature.replace(parameters=shown)
        self._parameters = {n: parameter(node, (n,), classes) for n, node in described["parameters"]}
        self._state = [StateObject(node, classes) for node in described["state"]]
        self._captured = {
            str(name): (str(text), path_of(path, classes), str(part))
            for name, text, path, part in described["captured"]
            if name in self.inputs
        }
        self.captured: dict[str, Any] = {}
        self._dims = {name: (low, high) for name, (low, high) in described["dims"].items()}
        self._result = result(described["result"], classes)
        self._changes = [Change(node, classes) for node in described["changes"]]
        self._changed_objects = [path_of(path, classes) for path in described["changed objects"]]
        self._errors = [Failure(node, classes) for node in described["errors"]]
        self._error = described["error"]
        self._names = list(self.outputs)
        taken = {path for _, path, _ in self._captured.values()}
        fixed = [FixedAttribute(node, classes) for node in described.get("fixed", ())]
        self._fixed = [one for one in fixed if one.path not in taken]
        self.state = State()
        self.reset()

    def reset(self) -> None:
        """Make the state what it was when the model was exported."""
        self.state = State()
        for one in self._state:
            one.make(self.state)
        call = self._state_call()
        for one in self._state:
            one.join(self.state, call)
        self._join(self.state)

    def share(self, state: Mapping[str, Any]) -> None:
        """Use the objects of another program's state, or of the caller's, in place of those of the export.

        Raises
        ------
        CallError
            GP401 where they have, or the other program writes, something else than a constant of the model.
        """
        if isinstance(state, State):
            self._join(state)
            self.state.sharing = state.sharing
        self.state.update(state)
        self._check_fixed()

    def _join(self, state: State) -> None:
        written = [text_of((*one.path, f".{name}")) for one in self._state for name, _ in one.parts]
        state.sharing.join(self.__qualname__, written, [one.text for one in self._fixed if not one.is_of_sizes])

    def _check_fixed(self) -> None:
        for one in self._fixed if self.state else ():
            one.check(self.state)

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Run the model: arguments and result are those of the function."""
        call = self._read(args, kwargs)
        for change in self._changes:
            change.refuse_shared(call)
        for path in self._changed_objects:
            refuse_shared_objects(call, path)
        arrays = self._run(call.feed)
        values = Outputs(dict(zip(self._names, arrays, strict=True)), call)
        number = int(values[self._error]) if self._error is not None else 0
        if number:
            self._errors[number - 1].fail(values)
        prepared, result = [change.prepared(values) for change in self._changes], self._result(values)
        for change_object in (*prepared, *values.changes):  # everything new is there before anything is changed
            change_object()
        return result

    def feed(self, /, *args: Any, **kwargs: Any) -> dict[str, np.ndarray[Any, Any]]:
        """The arrays that the model takes for these arguments and the present state, by the names of its inputs."""
        return self._read(args, kwargs).feed

    @property
    def required(self) -> list[str]:
        """The inputs that neither the state nor a default feeds."""
        parameters = self.__signature__.parameters
        parts = (p for n, p in self._parameters.items() if parameters[n].default is inspect.Parameter.empty)
        return [name for part in parts for name in part.inputs if name in self.inputs]

    def changed(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """What calls change of these arguments and of the state, by place, as it is now."""
        call = self._state_call()
        call.places.update({(name,): value for name, value in arguments.items()})
        paths = [change.path for change in self._changes if (change.path[0],) in call.places]
        return {text_of(path): call.place(path) for path in paths}

    def arguments(self, arrays: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments that feed these arrays, by name; arrays of the state are put there.

        Parameters
        ----------
        arrays : mapping of str to array
            By the names of the model's inputs.  A parameter that has a default may be left out.

        Raises
        ------
        KeyError
            For an input that is missing.
        """
        found = {}
        for name, part in self._parameters.items():
            has_default = self.__signature__.parameters[name].default is not inspect.Parameter.empty
            if not has_default or any(i in arrays for i in part.inputs):
                found[name] = part.make(arrays)
        for one in self._state:
            one.fill(self.state, arrays)
        self.captured |= {text: arrays[i] for i, (text, _, half) in self._captured.items() if i in arrays and not half}
        return found

    def _read(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
        first = (None,) if self.bound is not None else ()
        given = self._bind(*first, *args, **kwargs)
        call = self._state_call()
        for name, part in self._parameters.items():
            part.read(given[name], call)
        self._check_fixed()
        for one in self._state:
            one.read(self.state, call)
        check_sizes(call.leaves, self._dims)
        for name, (text, path, half) in self._captured.items():
            value = self._captured_value(text, path, call)
            call.feed[name] = np.asarray(getattr(value, half) if half else value, order="C")
        return call

    def _state_call(self) -> Call:
        """A call that knows where the objects of the state are."""
        call = Call(self.inputs)
        call.places.update({one.path: one.held(self.state) for one in self._state})
        return call

    def _captured_value(self, text: str, path: tuple[Any, ...], call: Call) -> Any:
        """An array that the function captures: as it was set, or from an object of the state."""
        if text in self.captured:
            return self.captured[text]
        if path[0] in self.state:
            call.places.setdefault(path[:1], self.state[path[0]])
        try:
            return call.place(path)
        except (IndexError, AttributeError, LookupError):
            said = f"the model takes the captured array '{text}' as an input"
            raise CallError("GP401", said, f"set captured[{text!r}] of the loaded program") from None

    def _run(self, feed: dict[str, np.ndarray[Any, Any]]) -> list[Any]:
        try:
            return self.session.run(self._names, feed)  # type: ignore[no-any-return]
        except Exception as error:  # onnxruntime's classes of exceptions have no common base
            raise RunError(f"onnxruntime cannot run {self.__qualname__} on these inputs: {_reason(error)}") from None

    def __repr__(self) -> str:
        return f"<onnx program {self.__qualname__}{self.__signature__}>"


def _dtype_name(type_: str) -> str:
    """`float32` for `tensor(float)`."""
    name = type_.removeprefix("tensor(").removesuffix(")")
    if name == "bfloat16":
        raise LoadError("the model takes or gives bfloat16, which onnxruntime does not exchange with NumPy")
    return {"float": "float32", "double": "float64"}.get(name, name)


def _binder(qualname: str, parameters: Sequence[dict[str, Any]], classes: Classes) -> Callable[..., dict[str, Any]]:
    """A function with these parameters that gives their values by name, with Python's own errors."""

    def template() -> dict[str, Any]:
        return locals()

    kinds = [p["kind"] for p in parameters]
    order = sorted(range(len(kinds)), key=lambda i: (kinds[i] == "**", kinds[i] == "*", kinds[i] == "keyword"))
    positional = [p for p in parameters if p["kind"] in ("positional only", "positional")]
    code = template.__code__.replace(
        co_argcount=len(positional),
        co_posonlyargcount=kinds.count("positional only"),
        co_kwonlyargcount=kinds.count("keyword"),
        co_nlocals=len(parameters),
        co_varnames=tuple(str(parameters[i]["name"]) for i in order),
        co_flags=template.__code__.co_flags
        | (inspect.CO_VARARGS if "*" in kinds else 0)
        | (inspect.CO_VARKEYWORDS if "**" in kinds else 0),
    )
    defaults = tuple(classes.literal(p["default"]) for p in positional if "default" in p)
    function = FunctionType(code, {"__builtins__": {"locals": locals}}, qualname.rpartition(".")[2], defaults)
    function.__qualname__ = qualname
    keywords = (p for p in parameters if p["kind"] == "keyword" and "default" in p)
    function.__kwdefaults__ = {p["name"]: classes.literal(p["default"]) for p in keywords}
    return function
