"""The functions of `np.fft`, which are programs (`extract/library/fourier`)."""

from __future__ import annotations

import numpy as np

from graph_program.extract.library import fourier
from graph_program.extract.stage.numpy.programs import program_function

NAMES = (
    "fft",
    "ifft",
    "rfft",
    "irfft",
    "hfft",
    "ihfft",
    "fftn",
    "ifftn",
    "rfftn",
    "irfftn",
    "fft2",
    "ifft2",
    "rfft2",
    "irfft2",
    "fftfreq",
    "rfftfreq",
    "fftshift",
    "ifftshift",
)

for _name in NAMES:
    program_function(getattr(np.fft, _name), getattr(fourier, _name))
