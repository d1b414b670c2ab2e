"""The texts of errors in a file of their own function: what the number means that a call has given.

const char *smooth_message(int status);
"""

from __future__ import annotations

from dataclasses import replace

from graph_program.backends.c.emit import NO_MEMORY, CSource

MOST = 4095
"""The bytes that a literal of C99 has at most."""


def with_messages(source: CSource) -> CSource:
    """The files with a function that gives the text of an error; as they are where there are none."""
    if not source.told:
        return source
    head = f"const char *{source.name}_message(int status)"
    texts = {0: "", **({NO_MEMORY: "there is no memory"} if source.lacks_memory else {}), **dict(source.told)}
    cases = [f"        case {number}: return {quoted(text)};" for number, text in texts.items()]
    other = f"    return {quoted('no error has this number')};"
    lines = [f"{head} {{", "    switch (status) {", *cases, "    }", other, "}"]
    declared = f"/* What a status means. */\n{head};\n\n{source.prototype}"
    header = source.header.replace(source.prototype, declared)
    return replace(source, text="\n".join([source.text.rstrip("\n"), "", *lines, ""]), header=header)


def quoted(text: str) -> str:
    """A text as C writes it, in UTF-8; it has no zeros, as C's end there, and an end where C99's literals have one."""
    data = text.replace("\0", r"\x00").encode("utf-8", "backslashreplace")
    data = data if len(data) <= MOST else data[: MOST - 3].decode("utf-8", "ignore").encode() + b"..."
    return '"' + "".join(map(_character, data)) + '"'


def _character(byte: int) -> str:
    character = chr(byte)
    if character in '"\\?':  # two question marks may begin a trigraph
        return f"\\{character}"
    return character if 32 <= byte < 127 else f"\\{byte:03o}"


__all__ = ["quoted", "with_messages"]
