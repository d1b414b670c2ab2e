"""What `match` asks of its subject and of the classes in its patterns; see `source/patterns`."""

from __future__ import annotations

from graph_program.extract.source.patterns import matches_itself, takes_positional, without_keys
from graph_program.extract.stage.functions.builtins.builtin_iterables import dict_entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.registry import lowers_builtin
from graph_program.extract.stage.operations import objects
from graph_program.extract.stage.operations.known_and_truth import static
from graph_program.extract.stage.values.values import Static, Value


@lowers_builtin(matches_itself)
def matches_itself_(m: Machine, cls: Value, /) -> Value:
    """Whether the one positional pattern of a class is for the value itself."""
    return Static(matches_itself(static(m, cls, "the class of a pattern")))


@lowers_builtin(takes_positional)
def takes_positional_(m: Machine, cls: Value, count: Value, /) -> Value:
    """Python's TypeError for a class pattern with too many positional patterns."""
    try:
        return Static(takes_positional(static(m, cls, "the class of a pattern"), static(m, count, "a count")))
    except TypeError as error:
        m.raise_(TypeError, (str(error),))


@lowers_builtin(without_keys)
def without_keys_(m: Machine, mapping: Value, /, *keys: Value) -> Value:
    """The `**rest` of a mapping pattern."""
    left_out = [static(m, key, "a key of a pattern") for key in keys]
    return objects.new_dict(m, {k: v for k, v in dict_entries(m, mapping).items() if k not in left_out})
