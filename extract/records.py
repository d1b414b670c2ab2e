"""`dataclass`: the one of the standard library, but each method is written when it is first called.

The standard library compiles five or six functions for each class where it stands, a third of a millisecond, and the
first call of a program imports four hundred classes, of most of which it makes no instance, and compares none.

What an instance does is the same.  `order`, `slots` and `unsafe_hash` are not there.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    import reprlib
    from collections.abc import Callable
    from typing import Any

    _UNSET = object()
    """The default of a parameter whose field has a factory."""

    def dataclass(cls=None, /, *, init=True, repr=True, eq=True, frozen=False):
        """See `dataclasses.dataclass`."""
        if cls is None:
            return lambda cls: _made(cls, init, repr, eq, frozen)
        return _made(cls, init, repr, eq, frozen)

    def _made(cls: type, init: bool, repr: bool, eq: bool, frozen: bool) -> type:
        own = {name for name, value in vars(cls).items() if value is not None}  # `__hash__` is, beside an own `__eq__`
        dataclasses.dataclass(init=False, repr=False, eq=False)(cls)
        if eq and not frozen and not {"__eq__", "__hash__"} & own:
            cls.__hash__ = None
        wanted = {"__init__": init, "__repr__": repr, "__eq__": eq, "__hash__": eq and frozen}
        for name, write in WRITERS.items():
            if wanted[name] and name not in own:
                setattr(cls, name, _once_called(cls, name, lambda write=write: write(cls, frozen)))
        if frozen:
            _freeze(cls)
        return cls

    def _once_called(cls: type, name: str, write: Callable[[], Any]) -> Callable[..., Any]:
        """A method that gives its place to the written one."""

        def method(self: Any, /, *args: Any, **kwargs: Any) -> Any:
            written = write()
            written.__qualname__, written.__module__ = f"{cls.__qualname__}.{name}", cls.__module__
            setattr(cls, name, written)
            return written(self, *args, **kwargs)

        return method

    def _freeze(cls: type) -> None:
        fields = {field.name for field in dataclasses.fields(cls)}

        def __setattr__(self: Any, name: str, value: Any) -> None:
            if type(self) is cls or name in fields:
                raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
            super(cls, self).__setattr__(name, value)

        def __delattr__(self: Any, name: str) -> None:
            if type(self) is cls or name in fields:
                raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
            super(cls, self).__delattr__(name)

        cls.__setattr__, cls.__delattr__ = __setattr__, __delattr__

    def _init(cls: type, frozen: bool) -> Any:
        """A method that sets the fields from its arguments, defaults and factories."""
        names: dict[str, Any] = {"_set": object.__setattr__, "_UNSET": _UNSET}
        by_place, by_name, lines, fields = [], [], [], dataclasses.fields(cls)
        this = "self" if all(field.name != "self" for field in fields) else "_this"
        for field in fields:
            name = field.name
            value, has_factory = name, field.default_factory is not dataclasses.MISSING
            if has_factory:
                names[f"_make_{name}"] = field.default_factory
                value = f"_make_{name}() if {name} is _UNSET else {name}" if field.init else f"_make_{name}()"
            elif field.default is not dataclasses.MISSING:
                names[f"_default_{name}"] = field.default
            if field.init:
                default = "=_UNSET" if has_factory else f"=_default_{name}" if f"_default_{name}" in names else ""
                (by_name if field.kw_only else by_place).append(name + default)
            if field.init or has_factory:
                lines.append(f"_set({this}, {name!r}, {value})" if frozen else f"{this}.{name} = {value}")
        if hasattr(cls, "__post_init__"):
            lines.append(f"{this}.__post_init__()")
        parameters = [this, *by_place, *(["*", *by_name] if by_name else [])]
        return _written("__init__", parameters, lines or ["pass"], names)

    def _eq(cls: type, frozen: bool) -> Any:
        compared = [field.name for field in dataclasses.fields(cls) if field.compare]
        mine, others = (f"({''.join(f'{one}.{name}, ' for name in compared)})" for one in ("self", "other"))
        lines = [f"if other.__class__ is self.__class__: return {mine} == {others}", "return NotImplemented"]
        return _written("__eq__", ["self", "other"], lines, {})

    def _hash(cls: type, frozen: bool) -> Any:
        hashed = [f.name for f in dataclasses.fields(cls) if (f.compare if f.hash is None else f.hash)]
        return _written("__hash__", ["self"], [f"return hash(({''.join(f'self.{name}, ' for name in hashed)}))"], {})

    def _repr(cls: type, frozen: bool) -> Any:
        shown = [field.name for field in dataclasses.fields(cls) if field.repr]

        @reprlib.recursive_repr()
        def __repr__(self: Any) -> str:
            return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"

        return __repr__

    def _written(name: str, parameters: list[str], lines: list[str], names: dict[str, Any]) -> Any:
        text = "\n    ".join([f"def {name}({', '.join(parameters)}):", *lines])
        exec(text, names)
        return names[name]

    WRITERS = {"__init__": _init, "__repr__": _repr, "__eq__": _eq, "__hash__": _hash}


__all__ = ["dataclass"]
