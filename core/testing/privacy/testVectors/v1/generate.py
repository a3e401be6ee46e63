"""Writes accounting.json next to this file: reference values of the privacy accounting, to 40 digits.

Needs mpmath. Every value is computed at 60 digits from its definition (integrals, sums and minima), not from the
formulas that the product evaluates, where the two differ. Never regenerate to turn a test green: change the version.
"""

import json
import pathlib

import mpmath
from mpmath import mp, mpf

mp.dps = 60


def text(value):
    return mpmath.nstr(mpf(value), 40, min_fixed=-5, max_fixed=40)


def exact(x):
    """The double's own value."""
    return mpf(float(x))


# --- zCDP to (eps, delta): the minimum over all orders, by bisection of the derivative of log delta in alpha ---


def log_delta(rho, eps, x):
    """log of the bound of order 1 + x, Canonne-Kamath-Steinke 2020, Corollary 13."""
    alpha = 1 + x
    return x * (alpha * rho - eps) + alpha * (mpmath.log(x) - mpmath.log1p(x)) - mpmath.log(x)


def best_log_delta(rho, eps):
    low, high = mpf(2) ** -400, (eps + 1) / (2 * rho) + 2
    for _ in range(700):
        x = mpmath.sqrt(low * high)
        slope = (2 * x + 1) * rho - eps + mpmath.log(x) - mpmath.log1p(x)
        low, high = (x, high) if slope < 0 else (low, x)
    return min(mpf(0), log_delta(rho, eps, x))


def delta_of(rho, eps):
    return mpmath.exp(best_log_delta(rho, eps))


def bisect(increasing, low, high):
    for _ in range(250):
        middle = (low + high) / 2
        low, high = (middle, high) if increasing(middle) < 0 else (low, middle)
    return (low + high) / 2


def least(cost):
    """The least value over x = alpha - 1 of a unimodal function, by thirds of log x."""
    low, high = mpf(-400), mpf(400)
    for _ in range(330):
        left, right = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, right) if cost(mpmath.exp(left)) <= cost(mpmath.exp(right)) else (left, high)
    return cost(mpmath.exp((low + high) / 2))


def eps_of(rho, delta):
    # log_delta solved for eps.
    return max(mpf(0), least(lambda x: (log_delta(rho, mpf(0), x) - mpmath.log(delta)) / x))


def rho_of(eps, delta):
    # log_delta solved for rho.
    return -least(lambda x: (log_delta(mpf(0), eps, x) - mpmath.log(delta)) / (x * (1 + x)))


# --- The Gaussian mechanism from its definition: delta = sup over events, an integral of the densities' difference ---


def tail(x):
    return mpmath.erfc(x / mpmath.sqrt(2)) / 2


def gaussian_delta(mu, eps):
    return tail(eps / mu - mu / 2) - mpmath.exp(eps) * tail(eps / mu + mu / 2)


# --- Renyi divergences from their definition ---


def laplace_divergence(u, alpha):
    """Of Laplace(0, 1) from Laplace(u, 1), by integration of p^alpha * q^(1 - alpha)."""
    density = lambda x: mpmath.exp(-alpha * abs(x) + (alpha - 1) * abs(x - u)) / 2
    total = mpmath.quad(density, [-mpmath.inf, 0, u / 2, u, mpmath.inf])
    return mpmath.log(total) / (alpha - 1)


def response_divergence(eps, alpha):
    """Of randomised response: two outcomes."""
    p = mpmath.exp(eps) / (1 + mpmath.exp(eps))
    return mpmath.log(p**alpha * (1 - p) ** (1 - alpha) + (1 - p) ** alpha * p ** (1 - alpha)) / (alpha - 1)


# --- The discrete Gaussian ---


def weights(variance, reach=None):
    reach = reach or int(40 * mpmath.sqrt(variance)) + 40
    return {x: mpmath.exp(-mpf(x) ** 2 / (2 * variance)) for x in range(-reach, reach + 1)}


def discrete_gaussian(variance):
    w = weights(variance)
    total = sum(w.values())
    return {x: value / total for x, value in w.items()}


def discrete_delta(variance, eps):
    """sup over events for neighbouring integers: sum of the positive part of P(x) - e^eps * P(x - 1)."""
    p = discrete_gaussian(variance)
    return sum(max(mpf(0), value - mpmath.exp(eps) * p.get(x + 1, mpf(0))) for x, value in p.items())


rhos = [1e-6, 0.001, 0.01, 0.025, 0.0305565952, 0.1, 0.5, 1, 2.5, 10, 100]
deltas = [1e-3, 1e-5, 1e-6, 1e-9, 1e-12, 1e-30]
epsilons = [0.01, 0.1, 0.5, 1, 2, 4, 8, 20]

vectors = {
    "source": "generate.py in this folder, mpmath " + mpmath.__version__ + " at 60 digits. In a row all but the "
    "last are doubles that stand for exactly themselves; the last is the value, to 40 digits.",
    "elementary": {
        "pi": text(mp.pi),
        "exp": [[x, text(mpmath.exp(exact(x)))] for x in [-700, -20.5, -1, -1e-9, 0.3, 1, 2.5, 88.7]],
        "log": [[x, text(mpmath.log(exact(x)))] for x in [1e-300, 1e-12, 0.1, 0.7, 1.0000001, 3, 1e9, 1e300]],
        "sqrt": [[x, text(mpmath.sqrt(exact(x)))] for x in [1e-300, 0.1, 2, 3, 1e100]],
    },
    "epsilonFromRho": [[r, d, text(eps_of(exact(r), exact(d)))] for r in rhos for d in deltas],
    "deltaFromRho": [[r, e, text(delta_of(exact(r), exact(e)))] for r in rhos[2:8] for e in epsilons],
    "rhoFromEpsilon": [[e, d, text(rho_of(exact(e), exact(d)))] for e in epsilons for d in deltas],
    "gaussianDelta": [
        [s, e, text(gaussian_delta(1 / exact(s), exact(e)))]
        for s in [0.3, 0.7, 1, 3.730632, 20]
        for e in [0, 0.01, 0.5, 1, 4, 10]
    ],
    "gaussianEpsilon": [
        [s, d, text(bisect(lambda e: exact(d) - gaussian_delta(1 / exact(s), e), mpf(0), mpf(400)))]
        for s in [0.3, 1, 3.730632, 10]
        for d in [1e-3, 1e-5, 1e-9]
    ],
    "gaussianStdDev": [
        [e, d, text(bisect(lambda s: exact(d) - gaussian_delta(1 / s, exact(e)), mpf("0.01"), mpf(10) ** 4))]
        for e in [0.1, 1, 8]
        for d in [1e-5, 1e-9]
    ],
    "tau": [
        [s, v, text(10 * sum(mpmath.exp(-2 * mp.pi**2 * exact(v) * mpf(k) / (k + 1)) for k in range(1, s)))]
        for s, v in [(2, 0.25), (2, 1), (2, 4), (10, 1), (5, 0.3), (20, 6.25)]
    ],
    "laplaceDivergence": [
        [u, a, text(laplace_divergence(exact(u), exact(a)))] for u in [0.1, 1, 3] for a in [1.5, 2, 8, 40]
    ],
    "responseDivergence": [
        [e, a, text(response_divergence(exact(e), exact(a)))] for e in [0.1, 1, 3] for a in [1.5, 2, 8, 40]
    ],
    "discreteGaussianProbability": [
        [v, x, text(discrete_gaussian(exact(v))[x])] for v in [0.25, 1, 4, 16.3632] for x in [0, 1, 2, 5]
    ],
    "discreteGaussianVariance": [
        [v, text(sum(x * x * p for x, p in discrete_gaussian(exact(v)).items()))] for v in [0.25, 1, 4]
    ],
    "discreteGaussianDelta": [
        [v, e, text(discrete_delta(exact(v), exact(e)))] for v in [1, 4, 16.3632] for e in [0.1, 1, 3]
    ],
}

pathlib.Path(__file__).with_name("accounting.json").write_text(json.dumps(vectors, indent=1) + "\n")
