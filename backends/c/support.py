"""The C functions that operations call: a file has those that it uses, each once, before it uses them.

Names end in the element type: `gp_floor_divide_i64`.  What has a `#` in its name here is written for each type that is
asked for: `#` stands for the type in C, `@` for its name in functions, `~` for the suffix of C's functions of floats.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from graph_program.backends.c import wide_functions
from graph_program.backends.c.c_types import LOCAL, SHORT
from graph_program.backends.c.conversions import conversion
from graph_program.backends.c.fourier import FOURIER
from graph_program.backends.c.lapack import LAPACK
from graph_program.backends.c.loop_texts import (
    DOUBLES,
    FACTOR,
    HOLD,
    LOOPS,
    MULTIPLIES,
    SEVERAL,
    SUMS,
    VECTORS,
    overflows,
)
from graph_program.backends.c.product_kernels import BLAS, PRODUCTS
from graph_program.backends.c.room import TEXTS

HEADERS = ("math.h", "string.h")
TYPES = {short: LOCAL[name] for name, short in SHORT.items()}
UNSIGNED = {"i8": "uint8_t", "i16": "uint16_t", "i32": "uint32_t", "i64": "uint64_t"}

GENERAL: dict[str, str] = (
    PRODUCTS
    | LAPACK
    | wide_functions.texts()
    | TEXTS
    | {
        "gp_add_overflows": overflows("add", "add", "sum", "return b < 0 ? a < INT64_MIN - b : a > INT64_MAX - b;"),
        "gp_subtract_overflows": overflows(
            "subtract", "sub", "difference", "return b < 0 ? a > INT64_MAX + b : a < INT64_MIN + b;"
        ),
        "gp_multiply_overflows": overflows("multiply", "mul", "product", MULTIPLIES, FACTOR),
        "gp_index": """
/* A position: negative ones count from the end. */
static inline int64_t gp_index(int64_t at, int64_t size) {
    return at < 0 ? at + size : at;
}
""",
        "gp_bound": """
/* Where a slice begins or ends. */
static inline int64_t gp_bound(int64_t at, int64_t size) {
    if (at < 0) at += size;
    return at < 0 ? 0 : at > size ? size : at;
}
""",
        "gp_bound_back": """
/* The same of a slice that goes backwards. */
static inline int64_t gp_bound_back(int64_t at, int64_t size) {
    if (at < 0) at += size;
    return at < 0 ? -1 : at >= size ? size - 1 : at;
}
""",
        "gp_count": """
/* How many elements a slice has. */
static inline int64_t gp_count(int64_t start, int64_t stop, int64_t step) {
    const int64_t span = step > 0 ? stop - start : start - stop;
    const int64_t stride = step > 0 ? step : -step;
    return span <= 0 ? 0 : (span - 1) / stride + 1;
}
""",
        "gp_windows": """
/* How many windows of a span there are along an axis. */
static inline int64_t gp_windows(int64_t size, int64_t span, int64_t stride) {
    return size < span ? 0 : (size - span) / stride + 1;
}
""",
        "gp_f16_load": """
/* A number of 16 bits as a float. */
static inline float gp_f16_load(uint16_t half) {
    const uint32_t sign = (uint32_t)(half & 0x8000u) << 16;
    uint32_t exponent = (half >> 10) & 0x1fu, fraction = half & 0x3ffu, bits;
    float value;
    if (exponent == 0x1fu) {
        bits = sign | 0x7f800000u | (fraction << 13);
    } else if (exponent || fraction) {
        exponent += 112;
        if (exponent == 112) {
            for (exponent = 113; !(fraction & 0x400u); exponent--) fraction <<= 1;
            fraction &= 0x3ffu;
        }
        bits = sign | (exponent << 23) | (fraction << 13);
    } else {
        bits = sign;
    }
    memcpy(&value, &bits, sizeof value);
    return value;
}
""",
        "gp_f16_store": """
/* A float as a number of 16 bits, the nearest one, of two the even one. */
static inline uint16_t gp_f16_store(float value) {
    uint32_t bits, exponent, fraction, half, shift;
    memcpy(&bits, &value, sizeof bits);
    const uint32_t sign = (bits >> 16) & 0x8000u;
    exponent = (bits >> 23) & 0xffu;
    fraction = bits & 0x7fffffu;
    if (exponent == 0xffu) return (uint16_t)(sign | 0x7c00u | (fraction ? 0x200u | (fraction >> 13) : 0));
    if (exponent < 102) return (uint16_t)sign;
    if (exponent >= 143) return (uint16_t)(sign | 0x7c00u);
    if (exponent > 112) {
        half = ((exponent - 112) << 10) | (fraction >> 13);
        shift = 13;
    } else {
        fraction |= 0x800000u;
        shift = 126 - exponent;
        half = fraction >> shift;
    }
    const uint32_t rest = fraction & ((1u << shift) - 1), middle = 1u << (shift - 1);
    if (rest > middle || (rest == middle && (half & 1u))) half++;
    return (uint16_t)(sign | half);
}
""",
        "gp_f16_round": """
/* The number of 16 bits that is nearest, as a float. */
static inline float gp_f16_round(float value) {
    return gp_f16_load(gp_f16_store(value));
}
""",
        "gp_bf16_load": """
/* The upper half of a float. */
static inline float gp_bf16_load(uint16_t half) {
    const uint32_t bits = (uint32_t)half << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
""",
        "gp_bf16_store": """
/* The upper half of a float, rounded to the nearest one, of two the even one. */
static inline uint16_t gp_bf16_store(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (value != value) return (uint16_t)((bits >> 16) | 0x40u);
    return (uint16_t)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}
""",
        "gp_bf16_round": """
/* The nearest number of which the upper half of a float is enough. */
static inline float gp_bf16_round(float value) {
    return gp_bf16_load(gp_bf16_store(value));
}
""",
    }
)

TEMPLATES: dict[str, str] = FOURIER | {
    "gp_maximum_#f": "static inline # gp_maximum_@(# a, # b) {\n    return a >= b || a != a ? a : b;\n}\n",
    "gp_minimum_#f": "static inline # gp_minimum_@(# a, # b) {\n    return a <= b || a != a ? a : b;\n}\n",
    "gp_held_#i": "static inline # gp_held_@(# a) {\n    GP_HOLD(a);\n    return a;\n}\n",
    "gp_maximum_#i": "static inline # gp_maximum_@(# a, # b) {\n    return a > b ? a : b;\n}\n",
    "gp_minimum_#i": "static inline # gp_minimum_@(# a, # b) {\n    return a < b ? a : b;\n}\n",
    "gp_fmax_#f": "static inline # gp_fmax_@(# a, # b) {\n    return a >= b || b != b ? a : b;\n}\n",
    "gp_fmin_#f": "static inline # gp_fmin_@(# a, # b) {\n    return a <= b || b != b ? a : b;\n}\n",
    "gp_square_#f": "static inline # gp_square_@(# x) {\n    return x * x;\n}\n",
    "gp_sign_#f": "static inline # gp_sign_@(# x) {\n    return x > 0 ? 1 : x < 0 ? -1 : x == 0 ? 0 : x;\n}\n",
    "gp_sign_#i": "static inline # gp_sign_@(# x) {\n    return (#)((x > 0) - (x < 0));\n}\n",
    "gp_absolute_#i": "static inline # gp_absolute_@(# x) {\n    return (#)(x < 0 ? 0 - (%)x : (%)x);\n}\n",
    "gp_reciprocal_#f": "static inline # gp_reciprocal_@(# x) {\n    return 1 / x;\n}\n",
    "gp_reciprocal_#i": "static inline # gp_reciprocal_@(# x) {\n    return x == 1 || x == -1 ? x : 0;\n}\n",
    "gp_reciprocal_#u": "static inline # gp_reciprocal_@(# x) {\n    return x == 1;\n}\n",
    "gp_add_#i": "/* Integers wrap. */\nstatic inline # gp_add_@(# a, # b) {\n    return (#)((%)a + (%)b);\n}\n",
    "gp_subtract_#i": "/* Integers wrap. */\n"
    "static inline # gp_subtract_@(# a, # b) {\n    return (#)((%)a - (%)b);\n}\n",
    "gp_multiply_#i": "/* Integers wrap. */\n"
    "static inline # gp_multiply_@(# a, # b) {\n    return (#)((%)a * (%)b);\n}\n",
    "gp_floor_divide_#u": """
/* 0 where b is 0. */
static inline # gp_floor_divide_@(# a, # b) {
    return b == 0 ? 0 : (#)(a / b);
}
""",
    "gp_floor_divide_#i": """
/* Rounds down; 0 where b is 0. */
static inline # gp_floor_divide_@(# a, # b) {
    if (b == 0) return 0;
    if (b == -1) return (#)(0 - (%)a);
    const # quotient = (#)(a / b);
    return (#)(quotient - (a % b != 0 && (a < 0) != (b < 0)));
}
""",
    "gp_floor_divide_above_#i": """
/* Rounds down; b is above 0. */
static inline # gp_floor_divide_above_@(# a, # b) {
    return (#)(a / b - (a % b < 0));
}
""",
    "gp_remainder_above_#i": """
/* Is not negative; b is above 0. */
static inline # gp_remainder_above_@(# a, # b) {
    const # rest = (#)(a % b);
    return (#)(rest < 0 ? rest + b : rest);
}
""",
    "gp_remainder_#u": """
/* 0 where b is 0. */
static inline # gp_remainder_@(# a, # b) {
    return b == 0 ? 0 : (#)(a % b);
}
""",
    "gp_remainder_#i": """
/* Has the sign of b; 0 where b is 0. */
static inline # gp_remainder_@(# a, # b) {
    if (b == 0 || b == -1) return 0;
    const # rest = (#)(a % b);
    return (#)(rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest);
}
""",
    "gp_fmod_#u": """
/* 0 where b is 0. */
static inline # gp_fmod_@(# a, # b) {
    return b == 0 ? 0 : (#)(a % b);
}
""",
    "gp_fmod_#i": """
/* Has the sign of a; 0 where b is 0. */
static inline # gp_fmod_@(# a, # b) {
    return b == 0 || b == -1 ? 0 : (#)(a % b);
}
""",
    "gp_remainder_#f": """
/* Has the sign of b. */
static inline # gp_remainder_@(# a, # b) {
    # rest = fmod~(a, b);
    if (b == 0) return rest;
    if (rest != 0) return (b < 0) != (rest < 0) ? rest + b : rest;
    return copysign~(0, b);
}
""",
    "gp_floor_divide_#f": """
/* The floor of a / b, as Python rounds it. */
static inline # gp_floor_divide_@(# a, # b) {
    if (b == 0) return a / b;
    # rest = fmod~(a, b), quotient = (a - rest) / b;
    if (rest != 0 && (b < 0) != (rest < 0)) quotient -= 1;
    if (quotient == 0) return copysign~(0, a / b);
    const # whole = floor~(quotient);
    return quotient - whole > (#)0.5 ? whole + 1 : whole;
}
""",
    "gp_power_#i": """
/* By repeated squares; integers wrap. */
static inline # gp_power_@(# base, # exponent) {
    % result = 1, square = (%)base;
    for (; exponent > 0; exponent = (#)(exponent / 2)) {
        if (exponent & 1) result = (%)(result * square);
        square = (%)(square * square);
    }
    return (#)result;
}
""",
    "gp_left_shift_#u": """
static inline # gp_left_shift_@(# x, # by) {
    return by < sizeof x * 8 ? (#)(x << by) : 0;
}
""",
    "gp_right_shift_#u": """
static inline # gp_right_shift_@(# x, # by) {
    return by < sizeof x * 8 ? (#)(x >> by) : 0;
}
""",
    "gp_left_shift_#i": """
static inline # gp_left_shift_@(# x, # by) {
    return by >= 0 && (uint64_t)by < sizeof x * 8 ? (#)((%)x << by) : 0;
}
""",
    "gp_right_shift_#i": """
static inline # gp_right_shift_@(# x, # by) {
    return (#)(by >= 0 && (uint64_t)by < sizeof x * 8 ? x >> by : x < 0 ? -1 : 0);
}
""",
    "gp_logaddexp_#f": """
/* log(exp(a) + exp(b)). */
static inline # gp_logaddexp_@(# a, # b) {
    if (a == b) return a + log~(2);
    const # apart = a - b;
    if (apart > 0) return a + log1p~(exp~(-apart));
    return apart <= 0 ? b + log1p~(exp~(apart)) : apart;
}
""",
    "gp_sort_#": """
/* Sorts in place: runs of growing length are merged, NaN last. */
static void gp_sort_@(& *x, int64_t size, & *spare) {
    for (int64_t width = 1; width < size; width *= 2) {
        for (int64_t low = 0; low + width < size; low += 2 * width) {
            const int64_t middle = low + width, high = middle + width < size ? middle + width : size;
            int64_t i = low, j = middle, k = 0;
            while (i < middle && j < high) spare[k++] = $before(x[j], x[i]) ? x[j++] : x[i++];
            while (i < middle) spare[k++] = x[i++];
            for (int64_t moved = 0; moved < k; moved++) x[low + moved] = spare[moved];
        }
    }
}
""",
    "gp_argsort_#": """
/* The positions that sort x: runs of growing length are merged, NaN last. */
static void gp_argsort_@(const & *x, int64_t *order, int64_t size, int64_t *spare) {
    for (int64_t i = 0; i < size; i++) order[i] = i;
    for (int64_t width = 1; width < size; width *= 2) {
        for (int64_t low = 0; low + width < size; low += 2 * width) {
            const int64_t middle = low + width, high = middle + width < size ? middle + width : size;
            int64_t i = low, j = middle, k = 0;
            while (i < middle && j < high) spare[k++] = $before(x[order[j]], x[order[i]]) ? order[j++] : order[i++];
            while (i < middle) spare[k++] = order[i++];
            for (int64_t moved = 0; moved < k; moved++) order[low + moved] = spare[moved];
        }
    }
}
""",
    "gp_before_#f": "/* Whether a sorts before b, NaN last. */\nstatic inline int gp_before_@(# a, # b) {\n"
    "    return a < b || (b != b && a == a);\n}\n",
    "gp_before_#i": "static inline int gp_before_@(# a, # b) {\n    return a < b;\n}\n",
    "gp_before_#h": "static inline int gp_before_@(uint16_t a, uint16_t b) {\n"
    "    return gp_before_f32(gp_f16_load(a), gp_f16_load(b));\n}\n",
}

TAKING = frozenset(
    {
        "gp_take",
        "gp_mark",
        "gp_release",
        "gp_release_all",
        "gp_room",
        "gp_step",
        "gp_end_step",
        "gp_numpy_sort",
        "gp_new_array",
    }
)
"""The functions of memory and of Python, which a file has all or none of."""


def called(lines: Iterable[str]) -> set[str]:
    """The functions that lines call."""
    return {name for line in lines for name in re.findall(r"\bgp_\w+(?=\()", line)} - TAKING


def closure(names: Iterable[str]) -> list[str]:
    """The functions asked for and those that they call, callees first."""
    found: dict[str, None] = {}

    def add(name: str) -> None:
        if name in found or name in HEADERS:
            return
        for inner in re.findall(r"\bgp_\w+", text_of(name)):
            if inner != name:
                add(inner)
        found[name] = None

    for name in sorted(names):
        add(name)
    return list(found)


def headers(names: Iterable[str]) -> list[str]:
    """The headers that functions need."""
    texts = "".join(text_of(name) for name in closure(names))
    found = set(names) & set(HEADERS)
    found |= {"math.h"} if re.search(r"\b(fmod|floor|copysign|log|exp|log1p)f?\(|NAN|INFINITY", texts) else set()
    found |= {"string.h"} if "memcpy(" in texts else set()
    return sorted(found)


def vector_functions(lines: Iterable[str]) -> str:
    """Declarations of the functions of C's library that lines call, where there are forms of them for vectors."""
    text = "\n".join([*lines, *map(text_of, closure(called(lines)))])
    found = sorted(set(re.findall(r"\b[a-z]+[0-9a-z]*(?=\()", text)) & set(VECTORS))
    if not found:
        return ""
    declared = [f"GP_VECTOR double {n}({', '.join(['double'] * VECTORS[n])});" for n in found if n in DOUBLES]
    declared += [f"GP_VECTOR float {n}({', '.join(['float'] * VECTORS[n])});" for n in found if n not in DOUBLES]
    return "\n".join(["#ifdef GP_VECTOR", *declared, "#endif"])


def preludes(lines: Iterable[str]) -> list[str]:
    """What has to stand before functions and lines."""
    texts = [*lines, *map(text_of, closure(called(lines)))]
    whole = "\n".join(texts)
    return [
        *([BLAS] if "GP_USE_CBLAS" in whole else []),
        *([HOLD] if "GP_HOLD" in whole else []),
        *([SUMS] if "GP_SUMS(" in whole else []),
        *([SEVERAL] if "GP_SEVERAL" in whole else []),
        *([LOOPS] if re.search(r"\bGP_(SUM|MAX|MIN|APART)\b", whole) else []),
    ]


def text_of(name: str) -> str:
    """A function's definition."""
    if name in GENERAL:
        return GENERAL[name]
    stem, _, kind = name.rpartition("_")
    if "_from_" in name:
        return conversion(name, TYPES)
    families = {"f": "f", "u": "ui", "b": "ui"}.get(kind[0], "i") if kind != "f16" else "h"
    keys = [f"{stem}_#{family}" for family in families]
    key = next((key for key in keys if key in TEMPLATES), f"{stem}_#")
    c_type = TYPES[kind]
    kept = "uint16_t" if kind == "f16" else c_type
    text = TEMPLATES[key].replace("a % b", "a \0 b").replace("%", UNSIGNED.get(kind, c_type)).replace("\0", "%")
    text = text.replace("~", "f" if kind == "f32" else "").replace("$before", f"gp_before_{kind}")
    return (
        text.replace("&&", "\0").replace("#", c_type).replace("@", kind).replace("& *", f"{kept} *").replace("\0", "&&")
    )
