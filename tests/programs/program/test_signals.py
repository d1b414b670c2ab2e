"""What a signal handler raises, Ctrl-C's too, ends a call at once and reaches the caller.

Each is a process of its own: a signal may find a program anywhere, also where Python drops what its handler raises.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.usefixtures("host_way"),
    pytest.mark.skipif(sys.platform == "win32", reason="a process cannot send itself signals there"),
]
BEGINNING = """
import os, signal, threading
import numpy as np
from graph_program import Float64, graph_program, host_function
from graph_program.backends.host import exchange

signal.signal(signal.SIGINT, signal.default_int_handler)  # a process in the background begins without
LEFT = []

def interrupt_later(first):
    LEFT.append(first)
    def keep_on():
        while first in LEFT and not interval.wait(0.5):
            os.kill(os.getpid(), signal.SIGINT)
    interval = threading.Event()
    threading.Thread(target=keep_on, daemon=True).start()

def interrupted(program, x):
    try:
        program(x)
    except KeyboardInterrupt:
        LEFT.clear()
        print("interrupted", exchange._active, [t.name for t in threading.enumerate() if t.name == "graph_program"])

@host_function
def tick(k: int) -> float:
    if k == 3:
        interrupt_later(k)
    return 1.0

@host_function
def note(k: int) -> None:
    if k == 3:
        interrupt_later(k)
"""
PROGRAMS = {
    "without_host_code": """
@graph_program
def endless(x):
    while x.sum() < 1e9:
        x = np.sin(x)
    return x

interrupt_later(1)
interrupted(endless, np.ones(3))
""",
    "far_from_host_code": """
@graph_program(copies="ignore")
def endless(x):
    x = x + tick(3)
    while x.sum() < 1e9:
        x = np.sin(x)
    return x + tick(0)

interrupted(endless, np.ones(3))
""",
    "with_host_code": """
@graph_program(copies="ignore")
def endless(x):
    for k in range(10**9):
        x = x + tick(k)
    return x

interrupted(endless, 1.0)
""",
    "beside_host_code": """
@graph_program(copies="ignore")
def endless(x: Float64[np.ndarray, "n n"]):
    k = 0
    while True:
        x = x @ x
        note(k)
        k += 1

interrupted(endless, np.eye(64))
""",
    "raised_by_host_code": """
@host_function
def interrupt(k: int) -> None:
    if k == 3:
        signal.raise_signal(signal.SIGINT)

@graph_program(copies="ignore")
def endless(x: Float64[np.ndarray, "n n"]):
    k = 0
    while True:
        x = x @ x
        interrupt(k)
        k += 1

interrupted(endless, np.eye(64))
""",
}


def printed(tmp_path: Path, program: str) -> str:
    file = tmp_path / "program.py"
    file.write_text(BEGINNING + program, encoding="utf-8")
    found = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, timeout=300, check=False)
    assert found.returncode == 0, found.stderr
    return found.stdout


@pytest.mark.parametrize("name", PROGRAMS)
def test_ctrl_c_ends_a_call(name: str, tmp_path: Path) -> None:
    assert printed(tmp_path, PROGRAMS[name]) == "interrupted {} []\n"


ANOTHER = """
@graph_program(copies="ignore")
def program(x, n):
    k = 0
    while x[0] < 2 and k != n:
        x = np.cos(x)
        tick(0)
        k += 1
    return k

def ring(*_):
    raise TimeoutError("too long")

signal.signal(signal.SIGALRM, ring)
program(np.ones(2), 3)
for _ in range(5):
    signal.setitimer(signal.ITIMER_REAL, 0.3, 1.0)
    try:
        program(np.ones(2), -1)
    except TimeoutError as error:
        signal.setitimer(signal.ITIMER_REAL, 0)
        print(error)
assert signal.getsignal(signal.SIGALRM) is ring
"""


def test_what_another_signal_handler_raises_reaches_the_caller(tmp_path: Path) -> None:
    assert printed(tmp_path, ANOTHER) == "too long\n" * 5


TIMED = """
CALLS = []

@graph_program
def program(x, n):
    k = 0
    while x[0] < 2 and k != n:
        x = np.cos(x)
        k += 1
    return k

def ring(*_):
    raise TimeoutError("too long")

program(np.ones(2), 3)
signal.signal(signal.SIGALRM, ring)
signal.setitimer(signal.ITIMER_REAL, 0.3)
try:
    program(np.ones(2), -1)
except TimeoutError as error:
    print(error, error.__context__)
signal.signal(signal.SIGALRM, lambda *_: CALLS.append(1))
signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
long = 100 if os.environ.get("GRAPH_PROGRAM_BACKEND") == "native" else 1
print(program(np.ones(2), 300_000 * long) // long, len(CALLS) > 0)
signal.setitimer(signal.ITIMER_REAL, 0)
"""


def test_handlers_run_while_a_graph_does(tmp_path: Path) -> None:
    """One that raises ends the call; timers whose handlers return do not keep it from its end."""
    assert printed(tmp_path, TIMED) == "too long None\n300000 True\n"
