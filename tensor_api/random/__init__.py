"""Random numbers that depend on nothing but a key: the same in Python, in a program and in an exported model.

key = random.key(0)                       ->    a number becomes a key, two uint32
a, b = random.split(key)                  ->    independent keys
x = random.normal(a, (3, n))              ->    the words of Threefry-2x32 for the counters 0, 1, ..., transformed

Every function is ordinary code over NumPy, which a program contains like the user's own. Integers, truths and uniform
numbers are equal bit for bit everywhere; what is computed with logarithms and the like, to their rounding.
"""

from graph_program.tensor_api.random.binomials import binomial
from graph_program.tensor_api.random.continuous import (
    cauchy,
    exponential,
    gumbel,
    laplace,
    logistic,
    multivariate_normal,
    normal,
    truncated_normal,
    uniform,
)
from graph_program.tensor_api.random.derived import (
    geometric,
    lognormal,
    pareto,
    rademacher,
    rayleigh,
    t,
    triangular,
    weibull_min,
)
from graph_program.tensor_api.random.discrete import (
    bernoulli,
    bits,
    categorical,
    choice,
    permutation,
    randint,
    shuffle,
)
from graph_program.tensor_api.random.rejection import beta, chisquare, dirichlet, gamma, poisson
from graph_program.tensor_api.random.threefry import fold_in, key, split

__all__ = [
    "bernoulli",
    "beta",
    "binomial",
    "bits",
    "categorical",
    "cauchy",
    "chisquare",
    "choice",
    "dirichlet",
    "exponential",
    "fold_in",
    "gamma",
    "geometric",
    "gumbel",
    "key",
    "laplace",
    "logistic",
    "lognormal",
    "multivariate_normal",
    "normal",
    "pareto",
    "permutation",
    "poisson",
    "rademacher",
    "randint",
    "rayleigh",
    "shuffle",
    "split",
    "t",
    "triangular",
    "truncated_normal",
    "uniform",
    "weibull_min",
]
