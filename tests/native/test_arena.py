"""Memory that programs take in rounds, at the edges of its chunks: random orders, with every wrong access found.

Others than those of each run: `python -m pytest tests/native/test_arena.py --hypothesis-profile=default`.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from graph_program.backends.c.compiler import STANDARD, compiler
from graph_program.backends.c.memory_texts import BLOCKS, MARKS, MEMORY
from tests.native.compilers import SANITIZED, needs_compiler, sanitizer

CHUNK = 65536
"""The least number of bytes that is asked for at once."""
HEADERS = "".join(f"#include <{name}.h>\n" for name in ("stdbool", "stdint", "stdio", "stdlib", "string"))
DRIVER = """
typedef struct { unsigned char *data; size_t bytes; unsigned char filling; } taken;
static taken alive[4096];
static size_t marks[64];
static int counts[64], count, depth;

/* Whether all that is alive is what was written to it. */
static void look(void) {
    for (int k = 0; k < count; k++)
        for (size_t i = 0; i < alive[k].bytes; i++)
            if (alive[k].data[i] != alive[k].filling) {
                printf("array %d has lost its element %zu\\n", k, i);
                exit(1);
            }
}

int main(void) {
    gp_memory memory = {NULL, NULL, 0};
    gp_block block = {NULL, 0};
    size_t kept = 0;
    char step;
    size_t element;
    long long number;
    while (scanf(" %c %zu %lld", &step, &element, &number) == 3) {
        const size_t bytes = number > 0 ? (size_t)number * element : 0;
        if (step == 't') {
            unsigned char *data = gp_take(&memory, element, number);
            if (!data) continue;
            if ((uintptr_t)data % 16) return printf("an array is not aligned\\n"), 1;
            memset(data, count % 251 + 1, bytes);
            alive[count] = (taken){data, bytes, (unsigned char)(count % 251 + 1)};
            count++;
        } else if (step == 'b') {
            marks[depth] = gp_mark(&memory);
            counts[depth++] = count;
        } else if (step == 'r' && depth) {
            look();
            gp_release(&memory, marks[depth - 1]);
            count = counts[depth - 1];
        } else if (step == 'e' && depth) {
            depth--;
        } else if (step == 'g') {
            unsigned char *data = gp_room(&block, element, number);
            if (!data) continue;
            for (size_t i = 0; i < kept && i < bytes; i++)
                if (data[i] != 77) return printf("what grows has lost its element %zu\\n", i), 1;
            memset(data, 77, bytes);
            kept = bytes;
        }
        look();
    }
    gp_release_all(&memory);
    free(block.data);
    return 0;
}
"""


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program that does steps which it reads, and looks at all that is alive behind each."""
    command, folder = compiler(), tmp_path_factory.mktemp("arena")
    assert command is not None
    (folder / "driver.c").write_text(HEADERS + MEMORY + MARKS + BLOCKS + DRIVER, encoding="utf-8")
    flags = SANITIZED if sanitizer() else ()
    made = [*command, *STANDARD, *flags, str(folder / "driver.c"), "-o", str(folder / "driver")]
    subprocess.run(made, check=True)
    return folder / "driver"


NEAR = st.integers(-17, 17)
BYTES = st.one_of(
    st.integers(-1, 64),
    st.builds(lambda times, near: times * CHUNK // 2 + near, st.integers(1, 5), NEAR),
    st.builds(lambda near: CHUNK - 16 + near, NEAR),
    st.integers(0, 3 * CHUNK),
    st.builds(lambda power, near: 2**power + near, st.integers(40, 62), NEAR),
)
STEPS = st.sampled_from("tttttbrreg")


@st.composite
def orders(draw: st.DrawFn) -> str:
    """Steps of which many have nearly the same sizes, as what is given back is taken again then."""
    known = draw(st.lists(BYTES, min_size=1, max_size=3))
    lines = []
    for step in draw(st.lists(STEPS, min_size=1, max_size=40)):
        bytes_ = draw(st.sampled_from(known)) + draw(NEAR) if draw(st.booleans()) else draw(st.sampled_from(known))
        element = draw(st.sampled_from([1, 1, 2, 4, 8]))
        lines.append(f"{step} {element} {bytes_ if bytes_ >= 2**40 else bytes_ // element}")
    return "\n".join(lines)


@needs_compiler
@settings(deadline=None, max_examples=150)
@given(text=orders())
@example(text="g 1 100\ng 1 101\ng 8 26")
@example(text="t 1 65520\nb 1 0\nt 1 100000\nr 1 0\nt 1 100016\nr 1 0\nt 1 100000")
def test_what_is_alive_stays(driver: Path, text: str) -> None:
    variables = {"ASAN_OPTIONS": "allocator_may_return_null=1"}
    done = subprocess.run([driver], input=text, capture_output=True, text=True, env=variables, check=False)
    said = "\n".join(line for line in (done.stdout + done.stderr).splitlines() if "failed to allocate" not in line)
    assert done.returncode == 0, f"{text}\n{said}"
