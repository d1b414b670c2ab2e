"""The C functions of the discrete Fourier transform: roots of 1, and rounds that divide the points by four."""

from __future__ import annotations

TURNS = """
/* Roots of 1, of as many as a power of two: cosines, and behind all of them the sines of what is turned back. */
static void gp_turns_@(int64_t n, # *turns) {
    const int64_t half = n / 2, quarter = n / 4;
    # *back = turns + n;
    if (n < 4) return;
    for (int64_t k = 0; 8 * k <= n; k++) {
        const double angle = 6.283185307179586 * (double)k / (double)n;
        const # c = (#)cos(angle), s = (#)sin(angle);
        turns[k] = c, back[k] = -s;
        turns[quarter - k] = s, back[quarter - k] = -c;
        turns[quarter + k] = -s, back[quarter + k] = -c;
        turns[half - k] = -c, back[half - k] = -s;
        turns[half + k] = -c, back[half + k] = s;
        turns[half + quarter - k] = -s, back[half + quarter - k] = c;
    }
}
"""

QUARTERS = """
/* A round of Stockham's algorithm: sums of parts that are a quarter of `size` points apart, each `step` times. */
static void gp_quarters_@(
    int64_t n, int64_t size, int64_t step, const # *restrict x, # *restrict y, const # *restrict turns
) {
    const int64_t quarter = size / 4, part = quarter * step;
    for (int64_t p = 0; p < quarter; p++) {
        const # c1 = turns[p * step], s1 = turns[n + p * step];
        const # c2 = turns[2 * p * step], s2 = turns[n + 2 * p * step];
        const # c3 = turns[3 * p * step], s3 = turns[n + 3 * p * step];
        const # *re = x + p * step, *im = re + n;
        # *to_re = y + 4 * p * step, *to_im = to_re + n;
        for (int64_t q = 0; q < step; q++) {
            const # even_re = re[q] + re[q + 2 * part], even_im = im[q] + im[q + 2 * part];
            const # apart_re = re[q] - re[q + 2 * part], apart_im = im[q] - im[q + 2 * part];
            const # odd_re = re[q + part] + re[q + 3 * part], odd_im = im[q + part] + im[q + 3 * part];
            const # turned_re = im[q + part] - im[q + 3 * part], turned_im = re[q + 3 * part] - re[q + part];
            const # re1 = apart_re + turned_re, im1 = apart_im + turned_im;
            const # re2 = even_re - odd_re, im2 = even_im - odd_im;
            const # re3 = apart_re - turned_re, im3 = apart_im - turned_im;
            to_re[q] = even_re + odd_re, to_im[q] = even_im + odd_im;
            to_re[q + step] = c1 * re1 - s1 * im1, to_im[q + step] = c1 * im1 + s1 * re1;
            to_re[q + 2 * step] = c2 * re2 - s2 * im2, to_im[q + 2 * step] = c2 * im2 + s2 * re2;
            to_re[q + 3 * step] = c3 * re3 - s3 * im3, to_im[q + 3 * step] = c3 * im3 + s3 * re3;
        }
    }
}
"""

DFT = """
/* The transform of n points, a power of two, by way of y; real parts, and behind all of them the imaginary ones. */
static const # *gp_dft_@(int64_t n, # *x, # *y, const # *turns) {
    int64_t size = n, step = 1;
    for (; size >= 4; size /= 4, step *= 4) {
        # *from = x;
        gp_quarters_@(n, size, step, x, y, turns);
        x = y, y = from;
    }
    if (size != 2) return x;
    for (int64_t q = 0; q < step; q++) {
        y[q] = x[q] + x[q + step], y[q + step] = x[q] - x[q + step];
        y[n + q] = x[n + q] + x[n + q + step], y[n + q + step] = x[n + q] - x[n + q + step];
    }
    return y;
}
"""

FOURIER = {"gp_turns_#": TURNS, "gp_quarters_#": QUARTERS, "gp_dft_#": DFT}
"""By the name of each, where `#` stands for the type."""

__all__ = ["FOURIER"]
