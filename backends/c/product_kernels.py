"""The C functions of products of matrices: our own kernel in blocks, or a BLAS where the file is compiled with one.

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
    for (int64_t j = 0; j < n; j += {width}) {{
        for (int64_t i = 0; i < m; i += 4) {{
            const int64_t rows = m - i < 4 ? m - i : 4, columns = n - j < {width} ? n - j : {width};
            if (rows == 4 && columns == {width} && b_column == 1) {{
                {type} total[4][{width}] = {{{{0}}}};
                for (int64_t p = 0; p < k; p++) {{
                    const {type} *from = b + p * b_step + j;
                    for (int r = 0; r < 4; r++) {{
                        const {type} factor = a[(i + r) * a_row + p * a_step];
                        for (int s = 0; s < {width}; s++) total[r][s] += factor * from[s];
                    }}
                }}
                for (int r = 0; r < 4; r++) {{
                    for (int s = 0; s < {width}; s++) c[(i + r) * c_row + j + s] = total[r][s];
                }}
            }} else {{
                for (int64_t r = i; r < i + rows; r++) {{
                    for (int64_t s = j; s < j + columns; s++) {{
                        {type} total = 0;
                        GP_SUM(total)
                        for (int64_t p = 0; p < k; p++) {{
                            total += a[r * a_row + p * a_step] * b[p * b_step + s * b_column];
                        }}
                        c[r * c_row + s] = total;
                    }}
                }}
            }}
        }}
    }}
}}
"""

PRODUCTS = {
    f"gp_product_{kind}": PRODUCT.format(kind=kind, type=c_type, letter=letter, least=LEAST, width=width)
    for kind, c_type, letter, width in (("f32", "float", "s", 16), ("f64", "double", "d", 8))
}

TIMES = """
/* The number of elements of an array, or more than there can be. */
static inline int64_t gp_times(int64_t a, int64_t b) {
    return a > 0 && b > INT64_MAX / a ? INT64_MAX : a * b;
}
"""

PRODUCTS["gp_times"] = TIMES

__all__ = ["BLAS", "PRODUCTS"]
