"""The files of a C program as a library for Arduino or a module for Zephyr, each with a program that calls it.

arduino    library.properties, src/smooth.c, src/smooth.h, examples/smooth/smooth.ino
zephyr     zephyr/module.yml, CMakeLists.txt, Kconfig, src/smooth.c, include/smooth.h, and samples/smooth with a `main`
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from graph_program.backends.c.emit import CSource
from graph_program.backends.c.example import example_main, example_sketch

PROPERTIES = """name={name}
version=1.0.0
author=
maintainer=
sentence={function}, written by graph-program.
paragraph=C99 that needs nothing but C's own library.
category=Data Processing
url=
architectures=*
includes={name}.h
"""
MODULE = """name: {name}
build:
  cmake: .
  kconfig: Kconfig
"""
CMAKE = """if(CONFIG_{upper})
  zephyr_library()
  zephyr_library_sources(src/{name}.c)
  zephyr_include_directories(include)
endif()
"""
KCONFIG = """config {upper}
	bool "{function}, written by graph-program"
"""
SAMPLE_CMAKE = """cmake_minimum_required(VERSION 3.20.0)
list(APPEND ZEPHYR_EXTRA_MODULES ${{CMAKE_CURRENT_SOURCE_DIR}}/../..)
find_package(Zephyr REQUIRED HINTS $ENV{{ZEPHYR_BASE}})
project({name}_sample)
target_sources(app PRIVATE src/main.c)
"""
SAMPLE_CONFIG = """CONFIG_{upper}=y
CONFIG_FPU=y
CONFIG_CBPRINTF_FP_SUPPORT=y
"""

Feed = Mapping[str, Any] | None


def arduino(source: CSource, feed: Feed) -> dict[str, str]:
    """A library for Arduino."""
    files = {"library.properties": PROPERTIES, "src/{name}.c": source.text, "src/{name}.h": source.header}
    if feed is not None:
        files["examples/{name}/{name}.ino"] = example_sketch(source, feed)
    return files


def zephyr(source: CSource, feed: Feed) -> dict[str, str]:
    """A module for Zephyr."""
    files = {"zephyr/module.yml": MODULE, "CMakeLists.txt": CMAKE, "Kconfig": KCONFIG}
    files |= {"src/{name}.c": source.text, "include/{name}.h": source.header}
    if feed is not None:
        sample = {"CMakeLists.txt": SAMPLE_CMAKE, "prj.conf": SAMPLE_CONFIG, "src/main.c": example_main(source, feed)}
        files |= {f"samples/{{name}}/{path}": text for path, text in sample.items()}
    return files


LAYOUTS: dict[str, Callable[[CSource, Feed], dict[str, str]]] = {"arduino": arduino, "zephyr": zephyr}
"""What makes the files of each layout, by their paths in its folder."""
TEMPLATES = (PROPERTIES, MODULE, CMAKE, KCONFIG, SAMPLE_CMAKE, SAMPLE_CONFIG)


def laid_out(source: CSource, layout: str, feed: Feed) -> dict[str, str]:
    """The files of a layout, by their paths; with an example where there are arguments for it."""
    known = {"name": source.stem, "upper": source.stem.upper(), "function": source.name}
    files = LAYOUTS[layout](source, feed)
    return {path.format(**known): t.format(**known) if t in TEMPLATES else t for path, t in files.items()}


__all__ = ["LAYOUTS", "laid_out"]
