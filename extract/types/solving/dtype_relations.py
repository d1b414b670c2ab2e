"""Element types as constraints: equality, NumPy's promotion (NEP 50), and the float type of a function.

A variable has a domain, the element types that it may still be; a relation leaves in each domain what some
choice for the others allows.  NumPy itself is asked what promotes to what.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from graph_program.extract.types.notation.terms import DType, DTypeTerm, DTypeVar, Floating, Promoted, Weak, dtype_text
from graph_program.extract.types.solving.store import ConstraintError, Origin, Store, age, dtype_key, is_fresh
from graph_program.extract.types.tensors.element_types import SUPPORTED
from graph_program.extract.types.tensors.tensor_type import FLOAT64

Element = DType | Weak
Domain = frozenset[Element]

EVERY: Domain = frozenset(d for d in SUPPORTED if d.kind != "c")
"""What an element type may be that nothing says anything of: complex ones are said."""
MAX_CHOICES = 4000
"""Relations with more combinations of operands than this wait until fewer are left."""


def of_kinds(kinds: frozenset[str] | None) -> Domain:
    """The element types of these kinds."""
    return EVERY if kinds is None else frozenset(d for d in SUPPORTED if d.kind in kinds)


# ---------------------------------------------------------------- domains


def domain_of(store: Store, term: DTypeTerm) -> Domain:
    """The element types that a term may still be."""
    term = store.dtype(term)
    if isinstance(term, DTypeVar):
        entry = store.domains.get(term.name)
        if entry is None:
            return of_kinds(term.kinds)
        return entry[0]
    if isinstance(term, Promoted):
        return _results(promoted_of, tuple(domain_of(store, t) for t in term.of))
    if isinstance(term, Floating):
        return frozenset(floating_of(e, term.wide) for e in domain_of(store, term.of))
    return frozenset([term])


def narrow(store: Store, term: DTypeTerm, domain: Domain, origin: Origin) -> None:
    """Leave only these element types."""
    term = store.dtype(term)
    present = domain_of(store, term)
    left = present & domain
    if not left:
        text = f"{_domain_text(present)} is not {_domain_text(domain)}"
        raise ConstraintError(text, origin, store.blame(term, origin))
    if left == present or not isinstance(term, DTypeVar):
        return
    store.put(store.domains, term.name, (left, origin))
    if len(left) == 1:
        store.bind_dtype(term.name, next(iter(left)), origin)
    else:
        store.wake(dtype_key(term.name))


def _domain_text(domain: Domain) -> str:
    names = sorted(dtype_text(e) for e in domain)
    if len(names) == 1:
        return names[0]
    kinds = {"b": "bool", "i": "int", "u": "uint", "f": "float", "c": "complex"}
    found = dict.fromkeys(kinds[e.kind] for e in domain if isinstance(e, np.dtype))
    return " or ".join(found) or "no element type"


# ---------------------------------------------------------------- equality


def equal_dtypes(store: Store, a: DTypeTerm, b: DTypeTerm, origin: Origin) -> None:
    """Make two element types equal."""
    left, right = internal_dtype(store, a, origin), internal_dtype(store, b, origin)
    if left == right:
        return
    if isinstance(left, DTypeVar) and isinstance(right, DTypeVar):
        _unite(store, left, right, origin)
        return
    if isinstance(right, DTypeVar):
        left, right = right, left
    if isinstance(left, DTypeVar):
        assert not isinstance(right, DTypeVar | Promoted | Floating)
        _give(store, left, right, origin)
        return
    if Weak in (type(left), type(right)) and _gives_way(left, right):
        return
    second = store.blame(a, origin) or store.blame(b, origin)
    raise ConstraintError(f"{dtype_text(left)} is not {dtype_text(right)}", origin, second)


def _gives_way(a: DTypeTerm, b: DTypeTerm) -> bool:
    """Whether a Python number takes the other's type without a change of meaning."""
    assert isinstance(a, np.dtype | Weak) and isinstance(b, np.dtype | Weak)
    result = promoted_of((a, b))
    return (isinstance(a, np.dtype) and result == a) or (isinstance(b, np.dtype) and result == b)


def _unite(store: Store, a: DTypeVar, b: DTypeVar, origin: Origin) -> None:
    # The older one is kept, or the user's: more waits for it, and would have to be looked at again.
    kept, bound = sorted((a, b), key=lambda v: (is_fresh(v.name), age(v.name)))
    both = domain_of(store, a) & domain_of(store, b)
    if not both:
        text = f"{_domain_text(domain_of(store, a))} is not {_domain_text(domain_of(store, b))}"
        raise ConstraintError(text, origin, store.blame(a, origin) or store.blame(b, origin))
    store.bind_dtype(bound.name, kept, origin)
    narrow(store, kept, both, origin)


def _give(store: Store, variable: DTypeVar, value: Element, origin: Origin) -> None:
    domain = domain_of(store, variable)
    if isinstance(value, np.dtype) and value in domain:
        narrow(store, variable, frozenset([value]), origin)
    elif isinstance(value, Weak) and (value in domain or domain == EVERY):
        store.bind_dtype(variable.name, value, origin)
    else:
        text = f"{dtype_text(value)} is not {_domain_text(domain)}"
        raise ConstraintError(text, origin, store.blame(variable, origin))


def internal_dtype(store: Store, term: DTypeTerm, origin: Origin) -> DTypeTerm:
    """An element type whose promotions are variables with a relation."""
    term = store.dtype(term)
    if isinstance(term, Promoted):
        return store.dtype(promote(store, term.of, origin))
    if isinstance(term, Floating):
        return store.dtype(floating(store, term.of, term.wide, origin))
    return term


# ---------------------------------------------------------------- promotion


@lru_cache(maxsize=4096)
def promoted_of(elements: tuple[Element, ...]) -> Element:
    """NumPy's promotion of known element types; of Python numbers alone a Python number."""
    if all(isinstance(e, Weak) for e in elements):
        order = [bool, int, float, complex]
        return Weak(max((e.python for e in elements if isinstance(e, Weak)), key=order.index))
    return np.result_type(*(e.python(0) if isinstance(e, Weak) else e for e in elements))


@lru_cache(maxsize=256)
def floating_of(element: Element, wide: bool) -> Element:
    """The element type in which `np.exp`, or with `wide` a division, computes this one."""
    dtype = np.result_type(element.python(0)) if isinstance(element, Weak) else element
    if wide:
        return FLOAT64 if dtype.kind in "biu" else dtype
    return np.exp.resolve_dtypes((dtype, None))[1]


def promote(store: Store, terms: Sequence[DTypeTerm], origin: Origin) -> DTypeTerm:
    """What element types promote to: known, or a variable with a pending relation."""
    operands = tuple(dict.fromkeys(internal_dtype(store, t, origin) for t in terms))
    if len(operands) == 1:
        return operands[0]
    if all(isinstance(t, np.dtype | Weak) for t in operands):
        return promoted_of(tuple(t for t in operands if isinstance(t, np.dtype | Weak)))
    return _derived(store, ("promote", frozenset(operands)), operands, promoted_of, origin, " | ")


def floating(store: Store, term: DTypeTerm, wide: bool, origin: Origin) -> DTypeTerm:
    """The float type of a function of this element type."""
    operand = internal_dtype(store, term, origin)
    if isinstance(operand, np.dtype | Weak):
        return floating_of(operand, wide)
    function = _wide_floating if wide else _narrow_floating
    return _derived(store, ("float", wide, operand), (operand,), function, origin, "quotient" if wide else "float")


def _wide_floating(elements: tuple[Element, ...]) -> Element:
    return floating_of(elements[0], True)


def _narrow_floating(elements: tuple[Element, ...]) -> Element:
    return floating_of(elements[0], False)


Function = Callable[[tuple[Element, ...]], Element]


def _derived(
    store: Store, key: object, operands: tuple[DTypeTerm, ...], function: Function, origin: Origin, word: str
) -> DTypeTerm:
    if key not in store.known:
        result = DTypeVar(store.fresh_name("t"))
        store.put(store.known, key, result)
        store.post(DTypeRelation(result, operands, function, origin, word))
    found: DTypeVar = store.known[key]
    return found


class DTypeRelation:
    """`t = u | v`, `t = float(u)`: an element type that is a function of others."""

    def __init__(
        self, result: DTypeTerm, operands: tuple[DTypeTerm, ...], function: Function, origin: Origin, word: str
    ):
        self.result, self.operands, self.function = result, operands, function
        self.origin, self.word = origin, word

    def step(self, store: Store) -> bool:
        operands = tuple(dict.fromkeys(store.dtype(t) for t in self.operands))
        domains = tuple(domain_of(store, t) for t in operands)
        if self.word == " | " and len(operands) == 1:
            equal_dtypes(store, self.result, operands[0], self.origin)
            return True
        if operands == (store.dtype(self.result),):
            return self._keep_fixed_points(store, operands[0], domains)
        if math.prod(map(len, domains)) > MAX_CHOICES:
            return False
        allowed = domain_of(store, self.result)
        result, left = _supported(self.function, domains, allowed)
        if not result:
            raise self._contradiction(store, domains, allowed)
        narrow(store, self.result, result, self.origin)
        for term, domain in zip(operands, left, strict=True):
            narrow(store, term, domain, self.origin)
        return all(len(domain) == 1 for domain in left)

    def _keep_fixed_points(self, store: Store, term: DTypeTerm, domains: tuple[Domain, ...]) -> bool:
        """`t = float(t)`: whatever `t` becomes then is its own result, so that nothing is left to wait for."""
        fixed = frozenset(e for e in domains[0] if self.function((e,)) == e)
        if not fixed:
            raise self._contradiction(store, domains, domains[0])
        narrow(store, term, fixed, self.origin)
        return True

    def _contradiction(self, store: Store, domains: tuple[Domain, ...], allowed: Domain) -> ConstraintError:
        given = self._text([_domain_text(d) for d in domains])
        second = next((o for t in (self.result, *self.operands) if (o := store.blame(t, self.origin))), None)
        return ConstraintError(f"{given} is not {_domain_text(allowed)}", self.origin, second)

    def _text(self, operands: list[str]) -> str:
        return self.word.join(operands) if self.word == " | " else f"{self.word}({operands[0]})"

    def waits_for(self, store: Store) -> Iterator[str]:
        for term in (self.result, *self.operands):
            present = store.dtype(term)
            if isinstance(present, DTypeVar):
                yield dtype_key(present.name)

    def text(self, store: Store) -> str:
        operands = [dtype_text(store.dtype(t)) for t in self.operands]
        return f"{dtype_text(store.dtype(self.result))} = {self._text(operands)}"


@lru_cache(maxsize=4096)
def _results(function: Function, domains: tuple[Domain, ...]) -> Domain:
    return frozenset(function(choice) for choice in itertools.product(*domains))


@lru_cache(maxsize=4096)
def _supported(function: Function, domains: tuple[Domain, ...], allowed: Domain) -> tuple[Domain, tuple[Domain, ...]]:
    """What each domain keeps: the values that some choice for the others makes right."""
    results: set[Element] = set()
    kept: tuple[set[Any], ...] = tuple(set() for _ in domains)
    for choice in itertools.product(*domains):
        result = function(choice)
        if result in allowed or (isinstance(result, Weak) and allowed == EVERY):
            results.add(result)
            for domain, element in zip(kept, choice, strict=True):
                domain.add(element)
    return frozenset(results), tuple(map(frozenset, kept))
