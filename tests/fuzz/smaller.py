"""Makes a failing program small: statements are left out, and expressions become parts of themselves."""

from __future__ import annotations

import ast
import copy
import time
import warnings
from collections.abc import Callable, Iterator

SECONDS = 60.0
BODIES = ("body", "orelse", "finalbody", "handlers", "cases")

Fails = Callable[[str], bool]


def smaller(source: str, fails: Fails, seconds: float = SECONDS) -> str:
    """The smallest program found for which `fails` holds, as it does for this one."""
    end = time.monotonic() + seconds
    warnings.simplefilter("ignore", SyntaxWarning)
    tree = ast.parse(source)
    progress = True
    while progress and time.monotonic() < end:
        progress = False
        for changed in _candidates(tree):
            if time.monotonic() > end:
                break
            text = ast.unparse(ast.fix_missing_locations(changed))
            if _compiles(text) and fails(text):
                tree, progress = ast.parse(text), True
                break
    return ast.unparse(tree)


def _compiles(text: str) -> bool:
    try:
        compile(text, "<smaller>", "exec")
    except SyntaxError:
        return False
    return True


def _candidates(tree: ast.Module) -> Iterator[ast.Module]:
    """Programs that are a little smaller: first those without whole statements."""
    for change in (_without_statements, _with_bodies, _with_operands):
        yield from change(tree)


def _each(tree: ast.Module, wanted: Callable[[ast.AST], bool]) -> Iterator[tuple[ast.Module, ast.AST]]:
    """A copy of the tree for each node that is wanted, with the node in it."""
    count = sum(wanted(node) for node in _walk(tree))
    for position in range(count):
        changed = copy.deepcopy(tree)
        yield changed, [node for node in _walk(changed) if wanted(node)][position]


def _walk(tree: ast.Module) -> Iterator[ast.AST]:
    """The nodes outside the functions that make arguments."""
    for node in tree.body:
        if not (isinstance(node, ast.FunctionDef) and node.name.startswith("arguments_")):
            yield from ast.walk(node)


def _has_body(node: ast.AST) -> bool:
    return any(isinstance(getattr(node, name, None), list) and getattr(node, name) for name in BODIES)


def _without_statements(tree: ast.Module) -> Iterator[ast.Module]:
    for name in BODIES:
        holders = [tree, *(node for node in _walk(tree) if isinstance(getattr(node, name, None), list))]
        for place, holder in enumerate(holders):
            if _is_fuel(holder):
                continue
            for i in reversed(range(len(getattr(holder, name, ())))):
                if _is_fuel(getattr(holder, name)[i]):
                    continue
                changed = copy.deepcopy(tree)
                inner = (n for n in _walk(changed) if isinstance(getattr(n, name, None), list))
                body = getattr([changed, *inner][place], name)
                del body[i]
                if not body and name == "body":
                    body.append(ast.Pass())
                yield changed


def _is_fuel(node: ast.AST) -> bool:
    """What makes a loop end."""
    target, test = getattr(node, "target", None), getattr(node, "test", None)
    if isinstance(node, ast.If) and test is not None and _names_fuel(test):
        return True
    return isinstance(node, ast.Pass) or (isinstance(target, ast.Name) and _names_fuel(target))


def _names_fuel(node: ast.AST) -> bool:
    return any(isinstance(n, ast.Name) and n.id.startswith("fuel") for n in ast.walk(node))


def _with_bodies(tree: ast.Module) -> Iterator[ast.Module]:
    """A block's statements in its place."""
    holders = [node for node in _walk(tree) if _has_body(node)]
    for place, holder in enumerate(holders):
        for name in ("body", "orelse"):
            for i, node in enumerate(getattr(holder, name, None) or ()):
                for inner in ("body", "orelse"):
                    if isinstance(node, ast.If | ast.For | ast.While | ast.Try) and getattr(node, inner, None):
                        changed = copy.deepcopy(tree)
                        body = getattr([n for n in _walk(changed) if _has_body(n)][place], name)
                        body[i : i + 1] = getattr(body[i], inner)
                        yield changed


def _with_operands(tree: ast.Module) -> Iterator[ast.Module]:
    """An expression becomes one of its operands; a tuple loses an element."""
    for changed, node in _each(tree, lambda n: any(isinstance(c, ast.expr) for c in ast.iter_child_nodes(n))):
        for field, value in ast.iter_fields(node):
            if isinstance(value, list):
                yield from _shorter(changed, node, field)
            elif isinstance(value, ast.expr) and not _names_fuel(value):
                for operand in _operands(value):
                    setattr(node, field, operand)
                    yield copy.deepcopy(changed)
                setattr(node, field, value)


def _shorter(changed: ast.Module, node: ast.AST, field: str) -> Iterator[ast.Module]:
    values = list(getattr(node, field))
    for i, value in enumerate(values):
        if not isinstance(value, ast.expr) or _names_fuel(value):
            continue
        for operand in _operands(value):
            setattr(node, field, [*values[:i], operand, *values[i + 1 :]])
            yield copy.deepcopy(changed)
        if isinstance(node, ast.Tuple) and len(values) > 1:
            setattr(node, field, [*values[:i], *values[i + 1 :]])
            yield copy.deepcopy(changed)
    setattr(node, field, values)


def _operands(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.Constant | ast.Name):
        return []
    found = [child for child in ast.walk(node) if isinstance(child, ast.expr) and child is not node]
    return [child for child in found if not isinstance(getattr(child, "ctx", None), ast.Store)][:6]
