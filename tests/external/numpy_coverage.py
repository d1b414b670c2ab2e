"""Which of NumPy's names that act on arrays have a graph form: `python -m tests.external.numpy_coverage [--all]`.

Every public callable of `numpy`, `numpy.linalg` and `numpy.fft`, and every method and attribute of arrays, acts on
arrays unless a table here gives it another class.  What acts on arrays has a graph form, or is listed as missing.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import graph_program.extract.pipeline  # noqa: F401  imports the tables of lowerings
from graph_program.extract.stage.arrays import array_writes
from graph_program.extract.stage.machine import registry

OTHER_CLASSES: dict[str, str] = {
    "types": """
        can_cast common_type finfo iinfo isdtype issubdtype min_scalar_type mintypecode promote_types result_type
        typename iterable isfortran __array_namespace_info__ dtype""",
    "input and output, settings": """
        array2string array_repr array_str base_repr binary_repr format_float_positional format_float_scientific
        frombuffer fromfile fromiter from_dlpack fromregex fromstring genfromtxt load loadtxt memmap save savetxt savez
        savez_compressed get_printoptions set_printoptions printoptions show_config show_runtime info test get_include
        getbufsize setbufsize geterr seterr geterrcall seterrcall errstate dump dumps tofile tobytes""",
    "memory": """
        shares_memory may_share_memory require byteswap getfield setfield setflags flags strides data ctypes base device
        to_device""",
    "classes that are no arrays of numbers, and what makes them": """
        matrix asmatrix bmat poly1d recarray record ufunc frompyfunc vectorize broadcast flatiter nditer ndindex
        ndenumerate nested_iters busdaycalendar LinAlgError einsum_path""",
    "strings, dates and objects": """
        busday_count busday_offset is_busday datetime_as_string datetime_data isnat""",
}
"""What a name says or does that is no computation on arrays."""

OUT_OF_REACH: dict[str, str] = {
    "eig": "real or complex results, by the values; np.linalg.eigh of a symmetric matrix",
    "eigvals": "real or complex results, by the values; np.linalg.eigvalsh of a symmetric matrix",
    "roots": "real or complex results, by the values; one real zero by a loop with np.polyval",
    "resize (method)": "changes the size of an array that others may share; np.resize",
}
"""What acts on arrays and is left to the host, with the reason, and what is near."""

CLASS_OF = {name: kind for kind, names in OTHER_CLASSES.items() for name in names.split()}
ON_ARRAYS, ELEMENT_TYPES = "acts on arrays", "element types"
SPACES: dict[str, Any] = {"numpy": np, "numpy.linalg": np.linalg, "numpy.fft": np.fft}
METHODS = "methods and attributes of arrays"


@dataclass(frozen=True)
class Name:
    """A public name, what class it is of, and whether it has a graph form."""

    space: str
    name: str
    kind: str
    known: bool

    @property
    def reason(self) -> str:
        """Why it has no graph form; empty where nobody has said."""
        method = OUT_OF_REACH.get(f"{self.name} (method)", "") if self.space == METHODS else ""
        return method or OUT_OF_REACH.get(self.name, "")

    @property
    def covered(self) -> bool:
        """Whether it has a graph form, and not only a refusal of its own."""
        return self.known and not self.reason


def names() -> Iterator[Name]:
    """Every public callable, and the methods and attributes of arrays."""
    for space, module in SPACES.items():
        for name in sorted(module.__all__):
            found = getattr(module, name)
            if callable(found):
                yield Name(space, name, kind_of(name, found), in_table(found))
    for name in sorted(n for n in dir(np.ndarray) if not n.startswith("_")):
        known = any(name in table for table in (registry.METHODS, registry.ATTRIBUTES, array_writes.METHODS))
        yield Name(METHODS, name, CLASS_OF.get(name, ON_ARRAYS), known)


def kind_of(name: str, found: Any) -> str:
    """The class of a name."""
    if isinstance(found, type) and issubclass(found, np.generic):
        return ELEMENT_TYPES
    return CLASS_OF.get(name, ON_ARRAYS)


def in_table(function: Any) -> bool:
    """Whether a function has a lowering."""
    return registry.FUNCTIONS.get(function) is not None


def unknown_names() -> list[str]:
    """Entries of the tables that the installed NumPy does not have."""
    there = {n.name for n in names()}
    return [n for n in (*CLASS_OF, *(k.split()[0] for k in OUT_OF_REACH)) if n not in there]


def main() -> int:
    """Print how many names have a graph form, and which have none."""
    parser = argparse.ArgumentParser(prog="python -m tests.external.numpy_coverage", description=__doc__)
    parser.add_argument("--all", action="store_true", help="name those of other classes, too")
    options = parser.parse_args()
    found = list(names())
    print(f"NumPy {np.__version__}")
    for space in (*SPACES, METHODS):
        here = [n for n in found if n.space == space]
        acting = [n for n in here if n.kind == ON_ARRAYS]
        covered = sum(n.covered for n in acting)
        print(f"{space}: {covered} of {len(acting)} that act on arrays; {len(here) - len(acting)} others")
        for n in acting:
            if not n.covered:
                print(f"    {n.name:22} {n.reason or 'missing'}")
    if options.all:
        for kind in (ELEMENT_TYPES, *OTHER_CLASSES):
            print(f"{kind}: {', '.join(n.name for n in found if n.kind == kind)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
