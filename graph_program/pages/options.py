"""What is asked for of a page: how inputs and results are shown, and where onnxruntime-web is."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from graph_program.extract.diagnostics import Diagnostic, Loc, ProgramValueError

INPUTS: dict[str, tuple[str, ...]] = {
    "image": (),
    "audio": (),
    "text": (),
    "values": (),
}
"""How an input may be shown; behind a colon stand the level of white, and the rate of a sound."""
NUMBERS = {"image": (0, 2**16, "the level of white"), "audio": (3000, 384000, "the rate")}
"""What the number behind a colon is, and its limits; the level of white is more than the lower one."""
RESULTS: dict[str, tuple[str, ...]] = {
    "image": (),
    "mask": (),
    "labels": (),
    "boxes": ("xyxy", "xywh", "yxyx"),
    "points": (),
    "curve": (),
    "bars": (),
    "audio": (),
    "segments": ("samples", "seconds"),
    "colours": (),
    "text": (),
    "values": (),
}
"""The same for results."""


@dataclass(frozen=True)
class Page:
    """How `export("play.html", page=...)` makes a page.

    Attributes
    ----------
    show : mapping of str to str
        How inputs and results are shown where the page would guess otherwise, by their names: `{"x": "image",
        "sound": "audio:16000", "result.found": "boxes:xywh"}`.
    onnxruntime_web : path-like, optional
        The folder of the npm package; it is looked for in `NODE_PATH` and in `node_modules` here and in the folders
        around it by default.
    """

    show: Mapping[str, str] = field(default_factory=dict)
    onnxruntime_web: str | os.PathLike[str] | None = None


def read_page(given: Any) -> Page:
    """What was given as `page`; TypeError for what is none."""
    asked = Page() if given is None else given
    if not isinstance(asked, Page):
        raise TypeError(f"page must be a graph_program.Page, such as Page(show={{'x': 'image'}}), not {given!r}")
    if not isinstance(asked.show, Mapping) or not all(isinstance(s, str) for pair in asked.show.items() for s in pair):
        raise TypeError(f"show must be a mapping of names to views, such as {{'x': 'image'}}, not {asked.show!r}")
    return asked


def split(name: str, asked: str, known: Mapping[str, tuple[str, ...]], loc: Loc) -> tuple[str, str]:
    """A view and its option, as `audio:16000` has them (GP515 for one that there is not)."""
    view, _, option = asked.partition(":")
    _require_known(f"the view of {name!r}", view, known, loc)
    if option and view in NUMBERS and not known[view]:
        _require_number(name, view, option, loc)
    elif option:
        _require_known(f"what stands behind {view!r} of {name!r}", option, dict.fromkeys(known[view], ()), loc)
    return view, option


def _require_number(name: str, view: str, option: str, loc: Loc) -> None:
    low, high, what = NUMBERS[view]
    is_number = re.fullmatch(r"\d+(\.\d+)?" if view == "image" else r"\d+", option, re.ASCII)
    if not is_number or not max(low, 1e-9) <= float(option) <= high:
        text = f"{what} of {name!r} must be a number from {low} to {high}, not {option!r}"
        raise ProgramValueError(
            Diagnostic("GP515", text, loc, hint=f"write {view}:{255 if view == 'image' else 16000}")
        )


def require_name(name: str, names: Mapping[str, Any], loc: Loc) -> None:
    """Refuse a view of something that there is not (GP515)."""
    _require_known("what is shown", name, names, loc)


def _require_known(what: str, given: str, known: Mapping[str, Any], loc: Loc) -> None:
    if given in known:
        return
    near = get_close_matches(given, known, 1)
    names = ", ".join(map(repr, known)) or "nothing"
    hint = f"write {near[0]!r}" if near else ""
    raise ProgramValueError(Diagnostic("GP515", f"{what} must be one of {names}, not {given!r}", loc, hint=hint))


__all__ = ["INPUTS", "RESULTS", "Page", "read_page", "require_name", "split"]
