"""Functions of C files that make integers of floats."""

from __future__ import annotations

import re
from collections.abc import Mapping

CONVERSION = """
/* As x86 converts: what does not fit is the least integer. */
static inline # {name}({source} x) {{
    {body}
}}
"""


OF_FLOATS, TO_FLOATS = re.compile(r"\bgp_\w+_from_f\d"), re.compile(r"\((?:double|float)\)")


def flags(text: str) -> tuple[str, ...]:
    """What a compiler is told of a file where floats may become integers, and these floats again.

    GCC 12 makes `trunc(x)` of `(double)(int64_t)x` without `-ftrapping-math`, which is -0.0 of -0.5.
    """
    return ("-ftrapping-math",) if OF_FLOATS.search(text) and TO_FLOATS.search(text) else ()


def conversion(name: str, types: Mapping[str, str]) -> str:
    """A float as an integer."""
    target, source = name.removeprefix("gp_").split("_from_")
    c_type, c_source = types[target], types[source]
    if target in ("i64", "u64"):
        least = "INT64_MIN" if target == "i64" else "(uint64_t)1 << 63"
        top = "9223372036854775808.0" if target == "i64" else "18446744073709551616.0"
        low = "-9223372036854775808.0"
        inner = f"({c_type})x" if target == "i64" else "x < 0 ? (uint64_t)(int64_t)x : (uint64_t)x"
        body = f"return x >= {low} && x < {top} ? {inner} : {least};"
    elif target in ("i32",):
        body = "return x > -2147483649.0 && x < 2147483648.0 ? (int32_t)x : INT32_MIN;"
    elif target == "u32":
        body = "return x > -9223372036854775808.0 && x < 9223372036854775808.0 ? (uint32_t)(int64_t)x : 0;"
    else:
        body = f"return x > -2147483649.0 && x < 2147483648.0 ? ({c_type})(int32_t)x : 0;"
    if c_source == "float":  # what has no double units compares no doubles; -2147483648 is converted to what else gives
        body = re.sub(r"\d+\.0", r"\g<0>f", body.replace("-2147483649.0", "-2147483648.0"))
    return CONVERSION.format(name=name, source=c_source, body=body).replace("#", c_type)


__all__ = ["conversion", "flags"]
