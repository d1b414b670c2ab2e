"""The signature cache: argument types, then the numbers that a program needs statically, then guards."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import field
from typing import Any, Generic, Protocol, TypeVar

from graph_program.backends.host.matching import static_leaves
from graph_program.backends.host.shim import guard_tests
from graph_program.backends.host.statics import static_key
from graph_program.extract.ir import memory
from graph_program.extract.ir.interface import Interface
from graph_program.extract.ir.paths import LayoutStep, LengthStep, Path, follow
from graph_program.extract.ir.specs import ArgSpec, static_at
from graph_program.extract.records import dataclass

VARIANTS = 16
"""How many extractions that differ only in guarded values are kept; the oldest is dropped."""


class HasInterface(Protocol):
    """Anything made for one signature."""

    @property
    def interface(self) -> Interface: ...


Entry = TypeVar("Entry", bound=HasInterface)
Specs = tuple[tuple[str, ArgSpec], ...]


@dataclass
class _Types(Generic[Entry]):
    """All entries for one tuple of argument types: by static paths, then by the numbers there."""

    groups: dict[tuple[Path, ...], dict[Hashable, list[tuple[Any, Entry]]]] = field(default_factory=dict)


class SignatureCache(Generic[Entry]):
    """Finds the entry that was made for arguments like these."""

    def __init__(self) -> None:
        self._types: dict[Specs, _Types[Entry]] = {}

    def find(self, specs: Specs, values: Mapping[str, Any]) -> Entry | None:
        """The entry for these types and values, if its guards hold."""
        return next((entry for tests, entry in self._variants(specs, values) if all(test() for test in tests)), None)

    def candidates(self, specs: Specs, values: Mapping[str, Any]) -> Iterator[Entry]:
        """The entries for these types and values, whatever their guards say."""
        return (entry for _, entry in self._variants(specs, values))

    def _variants(self, specs: Specs, values: Mapping[str, Any]) -> Iterator[tuple[Any, Entry]]:
        """The entries for these types and values, each with the tests of its guards."""
        known = self._types.get(specs)
        for paths, entries in known.groups.items() if known is not None else ():
            if all(path[0] in values or isinstance(path[-1], LayoutStep) for path in paths):
                yield from entries.get(_key(paths, values, specs), ())

    def add(self, specs: Specs, values: Mapping[str, Any], entry: Entry) -> None:
        """Keep an entry made for these types and values."""
        after = dict(entry.interface.parameters)
        paths = tuple(p for name, spec in specs if name in after for p in static_leaves(spec, after[name], (name,)))
        group = self._types.setdefault(specs, _Types()).groups.setdefault(paths, {})
        variants = group.setdefault(_key(paths, values, specs), [])
        variants.insert(0, (guard_tests(entry.interface), entry))
        del variants[VARIANTS:]


def _key(paths: tuple[Path, ...], values: Mapping[str, Any], specs: Specs) -> Hashable:
    try:
        return tuple(
            static_at(dict(specs)[str(path[0])], path[1:-1])
            if isinstance(path[-1], LengthStep)
            else static_key(_present(path, values))
            for path in paths
        )
    except LookupError:  # a list is shorter
        return None


def _present(path: Path, values: Mapping[str, Any]) -> Any:
    """What an argument has at a path; an array that is not there is supposed to be in C order."""
    if isinstance(path[-1], LayoutStep) and path[0] not in values:
        return memory.C
    return follow(values[str(path[0])], path)
