"""Lists of numbers as arguments: one signature for all lengths."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.programs.given_lists import check


def largest(xs: Any, k: Any) -> Any:
    kept = [x for x in xs if x > k]
    return kept, max(xs), len(xs), xs[-1]


def test_reading() -> None:
    check(largest, ([1.0, 5.0, 7.0], 2.0), ([4.0], 2.0), ([1.0] * 40, 0.5), ([3.0, -1.0], 9.0))


def test_empty() -> None:
    check(largest, ([1.0, 5.0], 2.0), ([], 2.0))


def mean(xs: Any) -> Any:
    total = 0.0
    for x in xs:
        total += x
    return total / len(xs)


def test_loops() -> None:
    check(mean, ([1.0, 2.0],), ([4.0],), ([],), ([0.1] * 9,))


def sized(x: Any, shape: Any) -> Any:
    return x.reshape(shape)


def test_a_list_that_is_needed_statically_is() -> None:
    x = np.arange(6.0)
    check(sized, (x, [2, 3]), (x, [3, 2]), (x, [2, 3]), (x, [6]), extractions=2)


def kinds(xs: Any) -> Any:
    return [x * 2 for x in xs], xs[0], sum(xs)


def test_classes_of_numbers() -> None:
    for cls in (int, float, np.float32, np.int64, np.uint8):
        check(kinds, ([cls(1), cls(2)],), ([cls(3)],), ([cls(i) for i in range(20)],))


def test_another_class_is_another_signature() -> None:
    check(kinds, ([1, 2],), ([1.0],), ([3],), ([2.5, 1.5],), extractions=2)


def test_mixed_classes_are_static() -> None:
    check(kinds, ([1, 2.0],), ([1, 2.0],), ([1.5, 2],), extractions=2)


def bools(xs: Any) -> Any:
    return any(xs), all(xs), xs.count(True), [not x for x in xs]


def test_bools() -> None:
    check(bools, ([True, False],), ([True],), ([],), ([False] * 5,))


def pushed(xs: Any, v: Any) -> Any:
    xs.append(v)
    xs[0] = v * 2
    return xs


def test_append() -> None:
    check(pushed, ([1.0], 2.0), ([], 3.0), ([1.0, 2.0, 3.0], 4.0))


def changed(xs: Any, i: Any) -> Any:
    last = xs.pop()
    xs.insert(i, last)
    xs.extend([1.5, 2.5])
    xs.sort()
    xs[1:2] = [7.0, 8.0]
    xs.reverse()
    del xs[0]
    return last


def test_writes() -> None:
    check(changed, ([3.0, 1.0, 2.0], 0), ([4.0], 3), ([], 0), ([2.0] * 6, 2))


def on_some_paths(xs: Any, limit: Any) -> Any:
    if len(xs) > limit:
        xs.clear()
    else:
        xs += [float(len(xs))]


def test_writes_on_some_paths() -> None:
    check(on_some_paths, ([1.0], 3), ([1.0] * 4, 3), ([], 0))


def failing(xs: Any, k: Any) -> Any:
    xs.append(k)
    if k < 0:
        raise ValueError("negative")
    xs.append(2 * k)
    return xs[5]


def test_what_was_written_before_an_exception() -> None:
    check(failing, ([1], 1), ([1], -1), ([1, 2, 3, 4], 5), ([], -2))


def both(xs: Any, ys: Any) -> Any:
    xs.append(ys[0])
    return [x + y for x, y in zip(xs, ys, strict=False)], xs == ys


def test_several_lists() -> None:
    check(both, ([1.0], [2.0]), ([1.0, 2.0], [3.0]), ([], [5.0, 6.0, 7.0]), ([1.0], []))


def array_of(xs: Any) -> Any:
    a = np.array(xs)
    a[0] = 9
    return a, xs, np.sum(xs), np.asarray(xs) * 2


def test_arrays_of_a_list() -> None:
    check(array_of, ([1.0, 2.0],), ([4.0],), ([1.0] * 5,))


def test_annotated_empty_lists() -> None:
    def first(xs: list[float]) -> Any:
        return xs[0] if xs else -1.0

    check(first, ([],), ([2.0],), ([3.0, 4.0],))


def test_in_a_dict_and_in_a_tuple() -> None:
    def program(d: Any, t: Any) -> Any:
        d["xs"].append(1.0)
        return d["xs"][-1] + t[0][0]

    check(program, ({"xs": [1.0]}, ([2.0], 1)), ({"xs": []}, ([2.0, 3.0], 1)))
