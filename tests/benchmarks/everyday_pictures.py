"""Loops over pictures as users write them first, of arrays of which nothing is said."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def hsv(rgb: Any) -> Any:
    """Colours to hue, saturation and value."""
    h, w = (rgb.shape[0], rgb.shape[1])
    out = np.zeros((h, w, 3))
    for y in range(h):
        for x in range(w):
            r, g, b = (rgb[y, x, 0] / 255.0, rgb[y, x, 1] / 255.0, rgb[y, x, 2] / 255.0)
            m = max(r, g, b)
            n = min(r, g, b)
            d = m - n
            if d == 0:
                hue = 0.0
            elif m == r:
                hue = 60 * ((g - b) / d % 6)
            elif m == g:
                hue = 60 * ((b - r) / d + 2)
            else:
                hue = 60 * ((r - g) / d + 4)
            out[y, x, 0] = hue
            out[y, x, 1] = 0.0 if m == 0 else d / m
            out[y, x, 2] = m
    return out


def bilinear(img: Any, h: Any, w: Any) -> Any:
    """A picture scaled between its pixels."""
    H, W = img.shape
    out = np.zeros((h, w))
    for y in range(h):
        fy = (y + 0.5) * H / h - 0.5
        y0 = int(np.floor(fy))
        dy = fy - y0
        for x in range(w):
            fx = (x + 0.5) * W / w - 0.5
            x0 = int(np.floor(fx))
            dx = fx - x0
            y1 = min(max(y0, 0), H - 1)
            y2 = min(max(y0 + 1, 0), H - 1)
            x1 = min(max(x0, 0), W - 1)
            x2 = min(max(x0 + 1, 0), W - 1)
            top = img[y1, x1] * (1 - dx) + img[y1, x2] * dx
            bot = img[y2, x1] * (1 - dx) + img[y2, x2] * dx
            out[y, x] = top * (1 - dy) + bot * dy
    return out


def dilate(mask: Any) -> Any:
    """Pixels with a neighbour that is set."""
    h, w = mask.shape
    out = np.zeros((h, w), bool)
    for y in range(h):
        for x in range(w):
            found = False
            for dy in (-1, 0, 1):
                for dx in (-1, 0, 1):
                    yy, xx = (y + dy, x + dx)
                    if yy >= 0 and yy < h and (xx >= 0) and (xx < w) and mask[yy, xx]:
                        found = True
            out[y, x] = found
    return out


def integral(img: Any) -> Any:
    """Sums of all pixels above and to the left."""
    h, w = img.shape
    s = np.zeros((h + 1, w + 1))
    for y in range(h):
        for x in range(w):
            s[y + 1, x + 1] = img[y, x] + s[y, x + 1] + s[y + 1, x] - s[y, x]
    return s


def conv(img: Any, k: Any) -> Any:
    """A picture filtered with a kernel of any size."""
    h, w = img.shape
    kh, kw = k.shape
    out = np.zeros((h - kh + 1, w - kw + 1))
    for y in range(h - kh + 1):
        for x in range(w - kw + 1):
            acc = 0.0
            for i in range(kh):
                for j in range(kw):
                    acc += img[y + i, x + j] * k[i, j]
            out[y, x] = acc
    return out


def equalize(img: Any) -> Any:
    """Grey values spread by their histogram."""
    hist = np.zeros(256, np.int64)
    h, w = img.shape
    for y in range(h):
        for x in range(w):
            hist[img[y, x]] += 1
    lut = np.zeros(256, np.uint8)
    total = 0
    for v in range(256):
        total += hist[v]
        lut[v] = total * 255 // (h * w)
    out = np.zeros((h, w), np.uint8)
    for y in range(h):
        for x in range(w):
            out[y, x] = lut[img[y, x]]
    return out


def dither(img: Any) -> Any:
    """Floyd and Steinberg's dithering (1976)."""
    h, w = img.shape
    a = img.copy()
    out = np.zeros((h, w), np.uint8)
    for y in range(h):
        for x in range(w):
            old = a[y, x]
            new = 1.0 if old > 0.5 else 0.0
            out[y, x] = int(new * 255)
            e = old - new
            if x + 1 < w:
                a[y, x + 1] += e * 7 / 16
            if y + 1 < h:
                if x > 0:
                    a[y + 1, x - 1] += e * 3 / 16
                a[y + 1, x] += e * 5 / 16
                if x + 1 < w:
                    a[y + 1, x + 1] += e * 1 / 16
    return out


def palette(rgb: Any, pal: Any) -> Any:
    """The nearest colour of a palette."""
    h, w = rgb.shape[:2]
    out = np.zeros((h, w), np.int64)
    for y in range(h):
        for x in range(w):
            best = 1 << 30
            for k in range(len(pal)):
                d = 0
                for c in range(3):
                    e = int(rgb[y, x, c]) - int(pal[k, c])
                    d += e * e
                if d < best:
                    best = d
                    out[y, x] = k
    return out


def planes(img: Any) -> Any:
    """Colours first, as networks take them."""
    h, w, c = img.shape
    out = np.zeros((c, h, w), np.float32)
    for y in range(h):
        for x in range(w):
            for k in range(c):
                out[k, y, x] = (img[y, x, k] / 255.0 - 0.5) / 0.25
    return out


def boxblur(img: Any, r: Any) -> Any:
    """Means around each pixel."""
    h, w = img.shape
    out = np.zeros((h, w), np.uint8)
    for y in range(h):
        for x in range(w):
            s = 0
            n = 0
            for dy in range(-r, r + 1):
                for dx in range(-r, r + 1):
                    yy = y + dy
                    xx = x + dx
                    if 0 <= yy < h and 0 <= xx < w:
                        s += int(img[yy, xx])
                        n += 1
            out[y, x] = s // n
    return out


def median3(img: Any) -> Any:
    """The median of nine pixels."""
    h, w = img.shape
    out = img.copy()
    for y in range(1, h - 1):
        for x in range(1, w - 1):
            v = np.sort(img[y - 1 : y + 2, x - 1 : x + 2].reshape(-1))
            out[y, x] = v[4]
    return out


def warp(img: Any, M: Any) -> Any:
    """A picture moved by an affine map."""
    h, w = img.shape
    out = np.zeros((h, w), np.uint8)
    for y in range(h):
        for x in range(w):
            sx = M[0, 0] * x + M[0, 1] * y + M[0, 2]
            sy = M[1, 0] * x + M[1, 1] * y + M[1, 2]
            ix = int(np.floor(sx))
            iy = int(np.floor(sy))
            if 0 <= ix < w and 0 <= iy < h:
                out[y, x] = img[iy, ix]
    return out


def lbp(img: Any) -> Any:
    """Local binary patterns."""
    h, w = img.shape
    out = np.zeros((h - 2, w - 2), np.uint8)
    for y in range(1, h - 1):
        for x in range(1, w - 1):
            c = img[y, x]
            code = 0
            code |= (img[y - 1, x - 1] >= c) << 7
            code |= (img[y - 1, x] >= c) << 6
            code |= (img[y - 1, x + 1] >= c) << 5
            code |= (img[y, x + 1] >= c) << 4
            code |= (img[y + 1, x + 1] >= c) << 3
            code |= (img[y + 1, x] >= c) << 2
            code |= (img[y + 1, x - 1] >= c) << 1
            code |= (img[y, x - 1] >= c) << 0
            out[y - 1, x - 1] = code
    return out


def cases() -> dict[str, tuple[Callable[..., Any], tuple[Any, ...]]]:
    """Programs with arguments."""
    random = np.random.default_rng(0)
    picture = random.random((32, 40))
    grey, colours = (random.integers(0, 256, shape).astype(np.uint8) for shape in ((32, 40), (24, 30, 3)))
    return {
        "hsv": (hsv, (colours,)),
        "bilinear": (
            bilinear,
            (
                picture,
                30,
                40,
            ),
        ),
        "dilate": (dilate, (picture > 0.6,)),
        "integral": (integral, (picture,)),
        "conv": (
            conv,
            (
                picture,
                random.random((3, 3)),
            ),
        ),
        "equalize": (equalize, (grey,)),
        "dither": (dither, (picture[:24, :24],)),
        "palette": (
            palette,
            (
                colours,
                random.integers(0, 256, (5, 3)),
            ),
        ),
        "planes": (planes, (random.integers(0, 256, (24, 32, 3)).astype(np.uint8),)),
        "boxblur": (
            boxblur,
            (
                grey,
                2,
            ),
        ),
        "median3": (median3, (grey,)),
        "warp": (
            warp,
            (
                grey,
                np.array([[0.9, -0.1, 3.0], [0.1, 0.9, 1.0]]),
            ),
        ),
        "lbp": (lbp, (grey,)),
    }
