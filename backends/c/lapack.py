"""The C functions that call LAPACK, for matrices whose columns lie one behind the other."""

from __future__ import annotations

SOLVE = """
extern void {letter}gesv_(const int *, const int *, double *, const int *, int *, double *, const int *, int *);
/* Makes the triangles of a of it, and solutions of b; a zero on the diagonal says that there are none. */
static void gp_solve_{kind}(int64_t n, int64_t m, double *a, double *b, int *pivots) {{
    const int size = (int)n, columns = (int)m, step = n > 0 ? size : 1;
    int info;
    if (n > 0) {letter}gesv_(&size, &columns, a, &step, pivots, b, &step, &info);
}}
"""

CHOLESKY = """
extern void {letter}potrf_(const char *, const int *, double *, const int *, int *);
/* Makes the upper triangle of the factorization of a's; a zero at its start says that there is none. */
static void gp_cholesky_{kind}(int64_t n, double *a) {{
    const int size = (int)n;
    int info = 0;
    if (n > 0) {letter}potrf_("U", &size, a, &size, &info);
    if (info > 0) {zero};
}}
"""

LAPACK = {
    f"gp_{name}_{kind}": text.format(kind=kind, letter=letter, zero=zero)
    for kind, letter, zero in (("f64", "d", "a[0] = 0"), ("c128", "z", "a[0] = a[1] = 0"))
    for name, text in (("solve", SOLVE), ("cholesky", CHOLESKY))
}
NAMES = tuple(f"{letter}{name}_" for letter in "dz" for name in ("gesv", "potrf"))
"""The functions of LAPACK's."""

__all__ = ["LAPACK", "NAMES"]
