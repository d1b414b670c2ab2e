"""Everything a program does besides repeating a call: types of arguments, and what is extracted for them."""

from __future__ import annotations

import inspect
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from graph_program.backends.host.codegen import Scope, build, parameter_list
from graph_program.backends.host.shim import guard_tests
from graph_program.backends.host.steps import host_source
from graph_program.backends.onnxruntime.cache import SignatureCache, Specs
from graph_program.calls.crossings import Copies, listed, warn_of_copies
from graph_program.calls.extractions import FOR_A_MODEL, ExtractionLog
from graph_program.calls.fewer_collections import fewer_collections
from graph_program.calls.instances import Instances
from graph_program.calls.one_signature import Signature
from graph_program.calls.second_objects import for_another
from graph_program.calls.subject import Subject, Values
from graph_program.extract.arguments.argument_specs import spec_from_annotation, spec_from_value, specs_from_call
from graph_program.extract.arguments.spec_dims import annotated_names, dim_names, named_dims, same_kinds, with_sizes
from graph_program.extract.diagnostics import (
    CallError,
    Diagnostic,
    GraphProgramError,
    Label,
    Loc,
    ShapeWarning,
    UnsupportedError,
)
from graph_program.extract.extraction import Extraction, ExtractOptions
from graph_program.extract.ir.signatures import leaves_open, signature_text
from graph_program.extract.ir.specs import ArgSpec, rows_in
from graph_program.extract.pipeline import extract
from graph_program.extract.purpose import FOR_A_CALL, Purpose
from graph_program.extract.slice.copies import Copy
from graph_program.extract.stage.machine.options import Options
from graph_program.extract.types.notation.declared_dims import DeclaredDims

if TYPE_CHECKING:
    from graph_program.calls.program_options import ProgramOptions
    from graph_program.extract.stage.machine.options import Question
    from graph_program.extract.stage.machine.recovery import Recovery
    from graph_program.extract.stage.program.infer import Inferred

CacheKey = tuple[DeclaredDims, Purpose]


class Calls(Subject):
    """Everything a program does besides repeating a call.

    Parameters
    ----------
    fn : function
        The user's function, undecorated.
    instance : object
        What the method is bound to; None for a function.
    options : ProgramOptions
    prefer : callable
        Told which shim to try first at the next call.
    others : callable
        Gives what there is for other objects that the method is bound to.
    """

    def __init__(
        self,
        fn: Any,
        instance: Any,
        options: ProgramOptions,
        prefer: Callable[[Callable[..., Any]], None],
        others: Callable[[], Iterable[Calls]] = tuple,
    ):
        super().__init__(fn, instance, options, prefer)
        self.others = others
        self.caches: dict[CacheKey, SignatureCache[Signature]] = {}
        self.last_copies: tuple[Copy, ...] | None = None
        self.last: tuple[Specs, Values] | None = None
        known: Iterator[ExtractionLog] = (other.log for other in others())
        self.log: ExtractionLog = next(known, ExtractionLog(fn.__qualname__, self.loc, options.extractions))
        self.instances = Instances(Options(options.inline, (self.fn.__module__ or "").partition(".")[0]))
        self._told_of: set[tuple[str, Loc]] = set()

    @cached_property
    def annotations(self) -> dict[str, Any]:
        from graph_program.extract.source.annotation_places import read_annotations

        return read_annotations(self.fn)

    @cached_property
    def bind(self) -> Callable[..., tuple[Any, ...]]:
        """Takes arguments as the user's function does, with Python's own errors; gives them in order."""
        scope = Scope(self.callee.signature.parameters)
        parameters = parameter_list(self.callee.signature, scope)
        body = [f"return ({''.join(f'{name}, ' for name in self.callee.signature.parameters)})"]
        names = (self.fn.__name__, self.fn.__qualname__)
        return build(parameters, body, scope, names, f"<graph_program: {names[1]}>")

    # ------------------------------------------------------------ calls

    def call(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """Run a program for arguments that none of its shims took."""
        return self.repeat(self.bind(*args, **kwargs))

    def repeat(self, bound: tuple[Any, ...]) -> Any:
        """Run a program for arguments by parameter, once more."""
        return self.found_for_call(bound).compiled.call(*bound)

    def remember(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        """Note a call that was made without this as the last one."""
        with self.lock, suppress(GraphProgramError):
            self.last = self._read(self.bind(*args, **kwargs), self.options.dims)

    def found_for_call(self, bound: tuple[Any, ...]) -> Signature:
        """The signature of a call, made runnable."""
        with self.lock, fewer_collections:
            specs, values = self._read(bound, self.options.dims)
            dims = self.named(specs, self.options.dims)
            if dims is not self.options.dims:
                self._read(bound, dims)
            instances = self.instances
            found = self.find(specs, values, dims)
            if self.instances is not instances:  # an extraction has shown how to take them
                specs = self._specs_of(values, dims)
            compiled = found.compiled
            self.last, self.last_copies = (specs, values), found.extraction.copies
            self.prefer(compiled.dispatch)
        return found

    def _read(self, bound: tuple[Any, ...], dims: DeclaredDims) -> tuple[Specs, Values]:
        values = dict(zip(self.callee.signature.parameters, bound, strict=True))
        values.pop(self.callee.bound or "", None)
        return self._specs_of(values, dims), values

    def specs_of(self, values: Values) -> Specs:
        return self._specs_of(values, self.options.dims)

    def _specs_of(self, values: Values, dims: DeclaredDims) -> Specs:
        triples = [(name, value, self.annotations.get(name)) for name, value in values.items()]
        return tuple(zip(values, self._specs(triples, dims), strict=True))

    def _specs(self, triples: list[tuple[str, Any, Any]], dims: DeclaredDims) -> list[ArgSpec]:
        """The specs of arguments (name, value, annotation); refusals point to the parameters."""
        try:
            return specs_from_call(triples, dims, self.loc, self.instances.is_apart)
        except CallError as error:
            from graph_program.extract.source.annotation_places import placed

            parameters = self.callee.signature.parameters
            raise placed(error, self.fn, [n for n, v, _ in triples if v is parameters[n].default]) from None

    def named(self, specs: Specs, dims: DeclaredDims) -> DeclaredDims:
        """Declared dims by the names that the specs have for them.

        Raises
        ------
        GraphProgramError
            GP504 where a name is none of a dim.
        """
        if not dims:
            return dims
        found, unknown = named_dims(dims, specs, self.declared, self._inferred_specs)
        if unknown:
            names = dict.fromkeys(name for _, spec in specs for name in dim_names(spec))
            raise self._unknown_dims(unknown, list(names))
        return found

    def _inferred_specs(self) -> Specs | None:
        found = self.inferred().specs if self.annotated() is None else None
        return None if found is None else tuple(found.items())

    def sized(self, specs: Specs, dims: DeclaredDims) -> Specs:
        """The specs with the dims that have only one size as numbers."""
        return tuple((name, with_sizes(spec, dims.fixed)) for name, spec in specs) if dims else specs

    def _unknown_dims(self, unknown: list[str], names: list[str]) -> GraphProgramError:
        text = f"dims names {', '.join(map(repr, unknown))}, but `{self.fn.__name__}` has no such dim"
        hint = f"its dims are {', '.join(names)}" if names else "give dims names in the annotations, such as "
        hint += "" if names else 'Float32[Tensor, "n"]'
        return GraphProgramError(Diagnostic("GP504", text, self.loc, hint=hint))

    def find(
        self,
        specs: Specs,
        values: Values | None,
        dims: DeclaredDims,
        *,
        purpose: Purpose = FOR_A_CALL,
    ) -> Signature:
        """What is extracted for some types: what there is, also for other objects, or else a new extraction."""
        dims = self.named(specs, dims)
        key = dims, purpose
        cache = self.caches.setdefault(key, SignatureCache())
        specs = self.sized(specs, dims)
        found = cache.find(specs, values or {})
        if found is not None:
            return found
        options = replace(self.extract_options(dims), purpose=purpose)
        if self.instance is not None:
            found = self._of_another(specs, values or {}, key, options)
            if found is not None:
                return found
        began = time.perf_counter()
        extraction, specs = self._extracted(specs, values, dims, options)
        seconds = time.perf_counter() - began
        for finding in extraction.findings:
            warnings.warn_explicit(str(finding), ShapeWarning, finding.loc.file, finding.loc.line)
        if self.options.copies == "warn":
            warn_of_copies(extraction.crossings, self._told_of)
        found = Signature(self, extraction, specs, options)
        cache.add(specs, values or {}, found)
        self.log.note(extraction, seconds, "" if purpose == FOR_A_CALL else FOR_A_MODEL, lambda: found.choice)
        return found

    def _of_another(self, specs: Specs, values: Values, key: CacheKey, options: ExtractOptions) -> Signature | None:
        """What was extracted for another object of the class, where it fits this one."""
        for other in self.others():
            cache = other.caches.get(key) if other is not self else None
            for known in list(cache.candidates(specs, values)) if cache is not None else ():
                extraction = for_another(known.extraction, other.instance, self.instance)
                if extraction is not None and all(test() for test in guard_tests(extraction.interface)):
                    found = Signature(self, extraction, specs, options)
                    self.caches[key].add(specs, values, found)
                    return found
        return None

    def _extracted(
        self, specs: Specs, values: Values | None, dims: DeclaredDims, options: ExtractOptions
    ) -> tuple[Extraction, Specs]:
        """An extraction; where it is refused, the instances in the arguments may be taken otherwise."""

        def made(specs: Specs) -> tuple[Extraction, Specs]:
            with fewer_collections:
                return extract(self.fn, dict(specs), values=values, options=options), specs

        try:
            return made(specs)
        except GraphProgramError as error:
            known = self.instances
            for self.instances in () if values is None else known.others(specs, error):
                with suppress(GraphProgramError):
                    return made(self.sized(self._specs_of(values or {}, dims), dims))
            self.instances = known
            raise

    def extract_options(self, dims: DeclaredDims) -> ExtractOptions:
        options = self.options
        return ExtractOptions(
            options.inline, options.copies, self.instance, options.without, dims=dims, declared=self.declared
        )

    @cached_property
    def declared(self) -> frozenset[str]:
        """The names of dims that stand in the annotations."""
        return frozenset(annotated_names(self.annotations.values()))

    def examine(self, recovery: Recovery | None, questions: tuple[Question, ...]) -> Extraction:
        """An extraction for the program's own types, with what a check asks of it.

        Parameters
        ----------
        recovery : Recovery or None
            Notes every refusal; without it, the first one is raised.
        questions : tuple of Question
            Lines whose values are to be revealed.

        Raises
        ------
        GraphProgramError
        """
        specs, values = self.types(None)
        dims = self.named(specs, self.options.dims)
        if recovery is None and not questions:
            with warnings.catch_warnings(action="ignore", category=ShapeWarning):  # the findings tell
                return self.find(specs, values, dims).extraction
        options = replace(self.extract_options(dims), recovery=recovery, questions=questions)
        return extract(self.fn, dict(self.sized(specs, dims)), values=values, options=options)

    # ------------------------------------------------------------ types without a call

    def types(self, args: Any) -> tuple[Specs, Values | None]:
        """Types from example arguments, else from the annotations and uses of the parameters, else from the last call.

        The last call also decides where its element types or ranks are others than the uses suggest.

        Raises
        ------
        GraphProgramError
            GP502 where none of these gives them.
        """
        if args is not None:
            return self._read(self._bind_example(args), self.options.dims)
        annotated = self.annotated()
        if annotated is not None and not (self.last is not None and has_rows(annotated[0])):
            return annotated
        if annotated is not None and self.last is not None:
            return self.last  # which can tell lengths that the program needs
        inferred = self.inferred()
        if self.last is not None and (inferred.specs is None or not same_kinds(inferred.specs, dict(self.last[0]))):
            return self.last
        if inferred.findings:
            raise inferred.findings[0]
        if inferred.specs is None:
            raise self._unknown_types(inferred)
        return tuple(inferred.specs.items()), None

    def inferred(self, questions: tuple[Question, ...] = ()) -> Inferred:
        """What the program says about its own types, and about the lines asked about."""
        from graph_program.extract.stage.program.infer import infer_types

        given: dict[str, Any] = {}
        for name in self.parameters:
            note = self.annotations.get(name, inspect.Parameter.empty)
            spec = spec_from_annotation(note, name) if name in self.annotations else None
            if spec is None and name in self.defaults:
                spec = spec_from_value(self.defaults[name], self.annotations.get(name), name, self.loc)
            given[name] = spec or note
        options = replace(self.instances.options, questions=questions)
        result = self.annotations.get("return")
        return infer_types(self.fn, given, result, options=options, self_object=self.instance)

    def example(self, args: Any, dims: DeclaredDims) -> Values | None:
        """The example arguments by parameter, where they are there, and of sizes that the model takes."""
        if args is None and self.parameters:
            return None
        bound = self._bind_example(args or ())
        specs, values = self._read(bound, self.options.dims)
        try:
            self._read(bound, self.named(specs, dims))
        except CallError:
            return None
        return values

    def _bind_example(self, args: Any) -> tuple[Any, ...]:
        first = () if self.callee.bound is None else (self.instance,)
        if isinstance(args, Mapping):
            return self.bind(*first, **args)
        if isinstance(args, (tuple, list)):
            return self.bind(*first, *args)
        raise TypeError(f"args must be a tuple or list of arguments, or a dict of them by name, not {args!r}")

    def annotated(self) -> tuple[Specs, Values | None] | None:
        """The types, if annotations and defaults determine them all."""
        specs, defaults = [], self.defaults
        self._check_defaults(defaults)
        for name in self.parameters:
            spec = spec_from_annotation(self.annotations.get(name), name) if name in self.annotations else None
            if name in defaults:
                spec = spec or spec_from_value(defaults[name], self.annotations.get(name), name, self.loc)
            if spec is None:
                return None
            specs.append((name, spec))
        return tuple(specs), defaults if len(defaults) == len(self.parameters) else None

    def suppose(self, types: Mapping[str, Any], values: Values) -> None:
        """Take types as annotations give them, and values as if they were defaults: not all are example arguments."""
        self.annotations |= types
        self.defaults |= values

    @cached_property
    def defaults(self) -> Values:
        """The parameters that have one."""
        found = ((name, self.callee.signature.parameters[name].default) for name in self.parameters)
        return {name: default for name, default in found if default is not inspect.Parameter.empty}

    def _check_defaults(self, defaults: Values) -> None:
        """Refuse defaults that contradict their annotations, or one another."""
        with suppress(UnsupportedError):  # a default that is no value for a program may stay unused
            triples = [(name, value, self.annotations.get(name)) for name, value in defaults.items()]
            self._specs(triples, self.options.dims)

    def _unknown_types(self, inferred: Inferred) -> GraphProgramError:
        from graph_program.extract.source.annotation_places import open_example, open_parameters

        missing = list(inferred.open)
        places, reasons = open_parameters(self.fn, missing, self.annotations)
        example = open_example(missing, self.annotations)
        what = "parameters" if example.partition(":")[0] in missing else "fields"
        found = Diagnostic(
            "GP502",
            f"the types of {', '.join(map(repr, missing))} are not known",
            places[0] if places else self.loc,
            labels=tuple(Label(place, "and here") for place in places[1:]),
            notes=(*reasons, f"its uses say no more than {inferred.signature}"),
            hint=f"annotate the {what}, such as `{example}`, give example arguments with `args=(...)`, or call the "
            "program first",
        )
        if not example:
            found = replace(found, hint="give example arguments with `args=(...)`, or call the program first")
        *_, cls, name = ("", *self.callee.qualname.split("."))
        if missing[:1] == ["self"] and cls.isidentifier():
            found = replace(found, hint=f"take the method of an object: `{cls}(...).{name}`")
        return GraphProgramError(found)

    # ------------------------------------------------------------ models and texts

    def copies(self) -> Copies:
        """See `GraphProgramFunction.copies`."""
        with self.lock:
            found = self.last_copies
            if found is None:
                found = self.find(*self.types(None), self.options.dims).extraction.copies
            tallies = list(self.tallies)
        times: Counter[Any] = Counter()
        for copies, tally in tallies:
            times.update({copy.place: tally[copy.step] for copy in copies})
        return listed(found, times)

    def host_source(self) -> str:
        """See `GraphProgramFunction.host_source`."""
        with self.lock:
            return host_source(self.find(*self.types(None), self.options.dims).extraction.host)

    def signature(self) -> str:
        """See `GraphProgramFunction.signature`."""
        given = self.annotated()
        if given is None:
            inferred = self.inferred()
            if inferred.findings:
                raise inferred.findings[0]
            if inferred.specs is None:
                if self.last is not None and leaves_open(inferred.signature):
                    with self.lock:
                        return signature_text(self.fn.__name__, self.find(*self.last, self.options.dims).interface)
                return inferred.signature
            given = tuple(inferred.specs.items()), None
            # What inference supposes may be more than is right; then its own reading is all there is.
            with suppress(GraphProgramError), self.lock:
                return signature_text(self.fn.__name__, self.find(*given, self.options.dims).interface)
            return inferred.signature
        with self.lock:
            try:
                return signature_text(self.fn.__name__, self.find(*given, self.options.dims).interface)
            except GraphProgramError:
                if has_rows(given[0]):
                    return self.inferred().signature
                raise


def has_rows(specs: Specs) -> bool:
    """Whether some argument is a list whose length is not fixed."""
    return any(True for name, spec in specs for _ in rows_in(spec, (name,)))


__all__ = ["Calls"]
