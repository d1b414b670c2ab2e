"""The C functions of products of matrices: our own kernel in tiles, or a BLAS where the file is compiled with one.

A tile is a part of the result that a compiler keeps in registers: sums of rows of the second operand, or sums along
rows of the first and columns of the second one, whichever lie in memory one after the other.  Where the file is
compiled for size (`-Os`), one element is summed after the other.
`-DGP_USE_CBLAS` takes `cblas.h`.  Small products never go there: a call costs more than they do.
"""

from __future__ import annotations

LEAST = 8192
"""So many multiplications are worth a call of a BLAS."""

BLAS = """
#ifdef GP_USE_CBLAS
#include <cblas.h>
#endif
"""

TILE = """
#ifndef __OPTIMIZE_SIZE__
/* Some rows and columns of c, {tile} elements at most, as sums of rows of b, whose columns have no gaps. */
static inline void gp_tile_{kind}(
    const int rows, const int columns, int64_t k, const {type} *a, int64_t a_row, int64_t a_step, const {type} *b,
    int64_t b_step, {type} *c, int64_t c_row
) {{
    {type} total[{tile}] = {{0}};
    for (int64_t p = 0; p < k; p++) {{
        for (int r = 0; r < rows; r++) {{
            const {type} factor = a[r * a_row + p * a_step];
            GP_APART
            for (int s = 0; s < columns; s++) total[r * columns + s] += factor * b[p * b_step + s];
        }}
    }}
    for (int r = 0; r < rows; r++) {{
        for (int s = 0; s < columns; s++) c[r * c_row + s] = total[r * columns + s];
    }}
}}
#endif
"""

DOTS = """
#ifndef __OPTIMIZE_SIZE__
/* Four elements of c at most, as sums along rows of a and columns of b, which both have no gaps. */
static inline void gp_dots_{kind}(
    const int rows, const int columns, int64_t k, const {type} *a, int64_t a_row, const {type} *b, int64_t b_column,
    {type} *c, int64_t c_row
) {{
    {type} total[4][{width}] = {{{{0}}}};
    int64_t p = 0;
    for (; p <= k - {width}; p += {width}) {{
        for (int r = 0; r < rows; r++) {{
            for (int q = 0; q < columns; q++) {{
                {type} *sums = total[r * columns + q];
                GP_APART
                for (int s = 0; s < {width}; s++) sums[s] += a[r * a_row + p + s] * b[q * b_column + p + s];
            }}
        }}
    }}
    for (int r = 0; r < rows; r++) {{
        for (int q = 0; q < columns; q++) {{
            {type} sum = 0;
            for (int s = 0; s < {width}; s++) sum += total[r * columns + q][s];
            for (int64_t s = p; s < k; s++) sum += a[r * a_row + s] * b[q * b_column + s];
            c[r * c_row + q] = sum;
        }}
    }}
}}
#endif
"""

PRODUCT = """
#ifdef GP_USE_CBLAS
/* The same by a BLAS; false where its rows and columns are too far apart, or the product is small. */
static bool blas_product_{kind}(
    int64_t m, int64_t n, int64_t k, const {type} *a, int64_t a_row, int64_t a_step, const {type} *b, int64_t b_step,
    int64_t b_column, {type} *c, int64_t c_row
) {{
    const int64_t most = INT32_MAX;
    if ((float)m * (float)n * (float)k < {least} || m > most || n > most || k > most) return false;
    const bool a_turned = a_step != 1 && k > 1, b_turned = b_column != 1 && n > 1;
    int64_t lda = a_turned ? a_step : m > 1 ? a_row : k, ldb = b_turned ? b_column : k > 1 ? b_step : n;
    if ((a_turned && a_row != 1 && m > 1) || (b_turned && b_step != 1 && k > 1)) return false;
    if (lda < (a_turned ? m : k) || ldb < (b_turned ? k : n) || lda > most || ldb > most || c_row > most) return false;
    if (n == 1 && b_step > 0 && b_step <= most && (c_row > 0 || m == 1)) {{
        cblas_{letter}gemv(
            CblasRowMajor, a_turned ? CblasTrans : CblasNoTrans, (int)(a_turned ? k : m), (int)(a_turned ? m : k), 1, a,
            (int)lda, b, (int)b_step, 0, c, m == 1 ? 1 : (int)c_row
        );
    }} else if (m == 1 && a_step > 0 && a_step <= most) {{
        cblas_{letter}gemv(
            CblasRowMajor, b_turned ? CblasNoTrans : CblasTrans, (int)(b_turned ? n : k), (int)(b_turned ? k : n), 1, b,
            (int)ldb, a, (int)a_step, 0, c, 1
        );
    }} else if (a == b && m == n && a_row == b_column && a_step == b_step && c_row >= n) {{ /* half of it, twice */
        cblas_{letter}syrk(
            CblasRowMajor, CblasUpper, a_turned ? CblasTrans : CblasNoTrans, (int)n, (int)k, 1, a, (int)lda, 0, c,
            (int)c_row
        );
        for (int64_t i = 1; i < n; i++) {{
            for (int64_t j = 0; j < i; j++) c[i * c_row + j] = c[j * c_row + i];
        }}
    }} else {{
        if (m > 1 && c_row < n) return false;
        cblas_{letter}gemm(
            CblasRowMajor, a_turned ? CblasTrans : CblasNoTrans, b_turned ? CblasTrans : CblasNoTrans, (int)m, (int)n,
            (int)k, 1, a, (int)lda, b, (int)ldb, 0, c, (int)(m > 1 ? c_row : n)
        );
    }}
    return true;
}}
#endif

/* c = a b, for a of m x k and b of k x n elements that are so far from each other; the rows of c have no gaps. */
static void gp_product_{kind}(
    int64_t m, int64_t n, int64_t k, const {type} *a, int64_t a_row, int64_t a_step, const {type} *b, int64_t b_step,
    int64_t b_column, {type} *c, int64_t c_row
) {{
#ifdef GP_USE_CBLAS
    if (blas_product_{kind}(m, n, k, a, a_row, a_step, b, b_step, b_column, c, c_row)) return;
#endif
    if (n == 1 && m > 1 && c_row == 1) {{ /* a column is the row of the product of what is turned */
        gp_product_{kind}(1, m, k, b, 0, b_step, a, a_step, a_row, c, m);
        return;
    }}
    for (int64_t i = 0, rows; i < m; i += rows) {{
        const {type} *from = a + i * a_row;
        {type} *to = c + i * c_row;
        int64_t j = 0;
        rows = m - i < 4 ? m - i : 4;
#ifndef __OPTIMIZE_SIZE__
        const bool tiled = b_column == 1, dotted = !tiled && a_step == 1 && b_step == 1 && k >= {width};
        if (tiled && rows == 4) {{
            for (; j <= n - {width}; j += {width}) {{
                gp_tile_{kind}(4, {width}, k, from, a_row, a_step, b + j, b_step, to + j, c_row);
            }}
            for (; j <= n - {narrow}; j += {narrow}) {{
                gp_tile_{kind}(4, {narrow}, k, from, a_row, a_step, b + j, b_step, to + j, c_row);
            }}
        }} else if (tiled) {{
            rows = 1;
            for (; j <= n - {tile}; j += {tile}) {{
                gp_tile_{kind}(1, {tile}, k, from, a_row, a_step, b + j, b_step, to + j, c_row);
            }}
            for (; j <= n - {width}; j += {width}) {{
                gp_tile_{kind}(1, {width}, k, from, a_row, a_step, b + j, b_step, to + j, c_row);
            }}
            for (; j <= n - {narrow}; j += {narrow}) {{
                gp_tile_{kind}(1, {narrow}, k, from, a_row, a_step, b + j, b_step, to + j, c_row);
            }}
        }} else if (dotted && rows >= 2) {{
            rows = 2;
            for (; j <= n - 2; j += 2) {{
                gp_dots_{kind}(2, 2, k, from, a_row, b + j * b_column, b_column, to + j, c_row);
            }}
        }} else if (dotted) {{
            rows = 1;
            for (; j <= n - 4; j += 4) {{
                gp_dots_{kind}(1, 4, k, from, a_row, b + j * b_column, b_column, to + j, c_row);
            }}
        }}
#endif
        for (; j < n; j++) {{
            for (int64_t r = 0; r < rows; r++) {{
                {type} total = 0;
                GP_SUM(total)
                for (int64_t p = 0; p < k; p++) {{
                    total += from[r * a_row + p * a_step] * b[p * b_step + j * b_column];
                }}
                to[r * c_row + j] = total;
            }}
        }}
    }}
}}
"""

PRODUCTS = {
    f"gp_{name}_{kind}": text.format(
        kind=kind, type=c_type, letter=letter, least=LEAST, width=width, narrow=width // 4, tile=4 * width
    )
    for kind, c_type, letter, width in (("f32", "float", "s", 16), ("f64", "double", "d", 8))
    for name, text in (("tile", TILE), ("dots", DOTS), ("product", PRODUCT))
}

TIMES = """
/* The number of elements of an array, or more than there can be. */
static inline int64_t gp_times(int64_t a, int64_t b) {
    return a > 0 && b > INT64_MAX / a ? INT64_MAX : a * b;
}
"""

PRODUCTS["gp_times"] = TIMES

__all__ = ["BLAS", "PRODUCTS"]
