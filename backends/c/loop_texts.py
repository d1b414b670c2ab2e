"""What C compilers are told of loops, of the order of operations, of vectors, and of integers that leave 64 bits."""

from __future__ import annotations

LOOPS = """
/* Loops whose rounds may be done side by side, of which compilers are told where they are asked for it. */
#ifdef GP_VECTORS
#define GP_PRAGMA(text) _Pragma(#text)
#define GP_SUM(total) GP_PRAGMA(omp simd reduction(+ : total))
#define GP_MAX(total, found) GP_PRAGMA(omp simd reduction(max : total) reduction(| : found))
#define GP_MIN(total, found) GP_PRAGMA(omp simd reduction(min : total) reduction(| : found))
#define GP_APART GP_PRAGMA(omp simd)
#else
#define GP_SUM(total)
#define GP_MAX(total, found)
#define GP_MIN(total, found)
#define GP_APART
#endif
"""
HOLD = """
/* Have a number made before anything is done with it. */
#ifdef __GNUC__
#define GP_HOLD(number) __asm__("" : "+r"(number))
#else
#define GP_HOLD(number) (void)(number)
#endif
"""
SEVERAL = """
/* A loop that is left early, of which several rounds are written out. */
#if defined(GP_VECTORS) && defined(__GNUC__)
#define GP_SEVERAL _Pragma("GCC unroll 4")
#else
#define GP_SEVERAL
#endif
"""
SUMS = """
/* The same of loops that add to a number and count. */
#ifdef GP_VECTORS
#define GP_SAID(text) _Pragma(#text)
#define GP_SUMS(total, count) GP_SAID(omp simd reduction(+ : total) reduction(+ : count))
#else
#define GP_SUMS(total, count)
#endif
"""
DOUBLES = {
    **dict.fromkeys(("exp", "exp2", "expm1", "log", "log10", "log1p", "log2", "cbrt", "erf"), 1),
    **dict.fromkeys(("sin", "cos", "tan", "asin", "acos", "atan"), 1),
    **dict.fromkeys(("sinh", "cosh", "tanh", "asinh", "acosh", "atanh"), 1),
    **dict.fromkeys(("pow", "atan2", "hypot"), 2),
}
"""Functions that C libraries have for vectors, with how many arguments."""
VECTORS = DOUBLES | {f"{name}f": count for name, count in DOUBLES.items()}
MULTIPLIES = """if (a == 0 || b == 0) return false;
    if (a == -1) return b == INT64_MIN;
    if (b == -1) return a == INT64_MIN;
    if ((a < 0) == (b < 0)) return a < 0 ? a < INT64_MAX / b : a > INT64_MAX / b;
    return a < 0 ? a < INT64_MIN / b : b < INT64_MIN / a;"""
FACTOR = """if (__builtin_constant_p(a) && a > 0) return b > INT64_MAX / a || b < INT64_MIN / a;
    if (__builtin_constant_p(b) && b > 0) return a > INT64_MAX / b || a < INT64_MIN / b;"""
"""A comparison takes less time than a product that tells."""


def overflows(op: str, builtin: str, name: str, otherwise: str, known: str = "") -> str:
    """The function that says whether a sum, a difference or a product of two integers has no place in 64 bits."""
    text = f"""
/* Whether the {name} of two integers has no place in 64 bits. */
static inline bool gp_{op}_overflows(int64_t a, int64_t b) {{
#ifdef __GNUC__
    {known}
    int64_t result;
    return __builtin_{builtin}_overflow(a, b, &result);
#else
    {otherwise}
#endif
}}
"""
    return text.replace("    \n", "")


__all__ = ["DOUBLES", "FACTOR", "HOLD", "LOOPS", "MULTIPLIES", "SEVERAL", "SUMS", "VECTORS", "overflows"]
