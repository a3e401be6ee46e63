"""What a central program of describe, counts and survival comes to: the figures that research/utility.md has as those to reach.

    python central_counts.py <folder of the data sets> [repetitions]

Written from the methods' pages and from nothing of the product's code: all records at one place, continuous noise of exactly sigma.

describe: a table of Adult's size drawn with replacement from all of its rows; a histogram of each column by income, weighted by the fourth root
of its size; one total for each group by least squares; cells moved to the nearest that are not negative; of a number besides z and z^2 - 1/8, z from -1/2 to 1/2, with
two and four thirds of its weight, and 256 cells factored by the square root of the matrix of prefix sums with a third. Printed: the error of counts in records
and beside it that of sampling, and of means and quartiles in standard errors of sampling.
counts: the half width of the interval of one of five counts.
survival: exponential times with a mean of 30 to the event and 60 to the end of follow-up, horizon 60, 40 intervals; printed: the largest distance of the
curve from that of the exact times at the intervals' ends, as far as the noisy curve goes; and that of the exact curve from the truth.
"""

import gzip
import math
import sys

import numpy as np

delta = 1e-5


def rho_of(epsilon):
    """The largest rho whose zero-concentrated privacy gives (epsilon, delta) by the conversion of Canonne, Kamath and Steinke."""

    def delta_of(rho):
        alpha = 1 + np.exp(np.linspace(-9, 9, 200001))
        loss = (alpha - 1) * (alpha * rho - epsilon) + alpha * np.log1p(-1 / alpha) - np.log(alpha - 1)
        return math.exp(loss.min())

    low, high = 0.0, epsilon
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if delta_of(middle) <= delta else (low, middle)
    return low


def simplex(values):
    """The nearest values that are not negative, with the same total; zeros where that is negative."""
    total = values.sum()
    if total <= 0:
        return np.zeros_like(values)
    falling = np.sort(values)[::-1]
    over = (np.cumsum(falling) - total) / np.arange(1, len(values) + 1)
    return np.maximum(values - over[np.nonzero(falling > over)[0][-1]], 0)


numbers = {
    "age": (17, 90, np.arange(20, 81, 4)),
    "fnlwgt": (0, 6e5, [5e4, 1e5, 1.5e5, 2e5, 2.5e5, 3e5, 4e5]),
    "educationnum": (1, 16, np.arange(1.5, 16, 1)),
    "capgain": (0, 5e4, [1, 1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 10000, 15000, 20000, 5e4]),
    "caploss": (0, 4000, [1, 500, 1000, 1400, 1600, 1700, 1800, 1900, 2000, 2200, 2500, 3000]),
    "hours": (1, 99, np.arange(10, 81, 5)),
}
names = (
    "age workclass fnlwgt education educationnum marital occupation relationship race sex capgain caploss hours country"
).split()


def adult(folder):
    """Cells of each column, their edges where it is a number, and whether income is high; all rows."""
    lines = []
    for part in ("data", "test"):
        with gzip.open(f"{folder}/adult/adult.{part}.gz", "rt") as file:
            for line in file:
                cells = line.strip().rstrip(".").split(", ")
                if len(cells) == 15:
                    lines.append(cells)
    columns = list(zip(*lines))
    tables = []
    for name, values in zip(names, columns):
        if name in numbers:
            least, most, edges = numbers[name]
            cells = np.searchsorted(edges, np.clip(np.array(values, dtype=float), least, most), side="right")
            tables.append((cells, np.concatenate([[least], edges, [most]]), np.clip(np.array(values, dtype=float), least, most)))
        else:
            levels = sorted(set(values))
            tables.append((np.array([levels.index(value) for value in values]), None, len(levels)))
    return tables, np.array([value == ">50K" for value in columns[14]], dtype=int)


def small_cells(edges):
    """Where cells of a 256th of the range, and of one bound or whole number alone, begin and end; and what a quantile there is called."""
    least, most = edges[0], edges[-1]
    whole = np.arange(np.ceil(least), np.floor(most) + 1) if most - least < 129 else edges[edges == np.round(edges)]
    alone = np.unique(np.concatenate([[least, most], whole]))
    after = alone[alone < most] + (most - least) * 2.0**-40
    cuts = np.concatenate([np.linspace(least, most, 257), edges, alone, after])
    order = np.argsort(cuts, kind="stable")
    called = np.concatenate([cuts[: -len(after)], alone[alone < most]])[order]
    cuts, first = np.unique(cuts[order], return_index=True)
    return np.append(cuts, np.inf), np.append(called[first], most)


def root_of(run):
    return np.cumprod(np.concatenate([[1], (2 * np.arange(1, run) - 1) / (2 * np.arange(1, run))]))


def apart(ascending, value, q):
    """How far the part of the records below a number, or not above it, is from q."""
    least, most = (np.searchsorted(ascending, value, side) / len(ascending) for side in ("left", "right"))
    return max(0.0, least - q, q - most)


def described(folder, epsilon, repetitions, rng):
    tables, income = adult(folder)
    sizes = [len(one[1]) - 1 if one[1] is not None else one[2] for one in tables]
    weights = np.array([(2 * size) ** 0.25 for size in sizes])
    # What the moments and the factored cells of a number add to the square of its weight.
    cells = [None if one[1] is None else small_cells(one[1].astype(float)) for one in tables]
    roots = [None if one is None else root_of(len(one[0]) - 1) for one in cells]
    more = np.array([0 if root is None else 1 / 9 + 1 / 36 + (root**2).sum() / 9 for root in roots])
    sigma = math.sqrt((weights**2 * (1 + more)).sum() / (2 * rho_of(epsilon)))
    drawn = 32561
    errors = {key: [] for key in ("counts", "sampling", "means", "quartiles")}
    for _ in range(repetitions):
        squares = {key: [] for key in errors}
        rows = rng.integers(0, len(income), drawn)
        exact, noisy = [], []
        for (places, *_), size, weight in zip(tables, sizes, weights):
            own = np.stack([np.bincount(places[rows][income[rows] == g], minlength=size) for g in (0, 1)]).astype(float)
            exact.append(own)
            noisy.append(own + rng.normal(0, sigma / weight, own.shape))
        # A total is the sum of a table's cells; of all of them, the mean by inverse variances.
        certain = np.array([weight**2 / size for size, weight in zip(sizes, weights)])
        totals = sum(c * own.sum(1) for c, own in zip(certain, noisy)) / certain.sum()
        for one, own, truth, weight, small, root in zip(tables, noisy, exact, weights, cells, roots):
            own = own + ((totals - own.sum(1)) / own.shape[1])[:, None]
            groups = [(own.sum(0), truth.sum(0), None), (own[0], truth[0], 0), (own[1], truth[1], 1)]
            for seen, real, group in groups:
                released = simplex(seen)
                n = real.sum()
                squares["counts"] += list((released - real) ** 2)
                squares["sampling"] += list(real * (1 - real / n))
                if one[1] is None:
                    continue
                least, most = one[1][0], one[1][-1]
                values = one[2][rows] if group is None else one[2][rows[income[rows] == group]]
                scale = sigma / weight * math.sqrt(2 if group is None else 1)
                total = ((values - least) / (most - least) - 1 / 2).sum() + rng.normal(0, scale * 1.5)
                mean = least + (most - least) * (total / seen.sum() + 1 / 2)
                squares["means"].append((mean - values.mean()) ** 2 / (values.var() / n))
                edges, called = small
                noise = np.convolve(root, rng.normal(0, 3 * scale, len(root)))[: len(root)]
                below = np.cumsum(np.histogram(values, edges)[0]) + noise
                below = np.concatenate([[0], np.maximum.accumulate(np.maximum(below, 0))])
                ascending = np.sort(values)
                for q in (0.25, 0.5, 0.75):
                    place = apart(ascending, np.interp(q * below[-1], below, called), q)
                    squares["quartiles"].append(place**2 / (q * (1 - q) / n))
        for key, values in squares.items():
            errors[key].append(math.sqrt(np.mean(values)))
    return ", ".join(f"{key} {np.mean(values):.3f}" for key, values in errors.items())


def survival(records, epsilon, rng, intervals=40, horizon=60.0):
    event, end = rng.exponential(30, records), rng.exponential(60, records)
    times = np.minimum(np.minimum(event, end), horizon)
    died = (event <= end) & (event < horizon)
    edges = np.linspace(0, horizon, intervals + 1)
    order = np.argsort(times)
    factors = np.where(died[order], 1 - 1 / (records - np.arange(records)), 1.0)
    exact = np.concatenate([[1], np.cumprod(factors)])[np.searchsorted(times[order], edges[1:], side="left")]
    sampling = np.abs(exact - np.exp(-edges[1:] / 30)).max()
    place = np.minimum((times / horizon * intervals).astype(int), intervals)
    cells = np.zeros(2 * intervals + 1)
    for at, one in zip(place, died):
        cells[2 * intervals if at == intervals else 2 * at + int(one)] += 1
    sigma = 0.0
    if epsilon is not None:
        sigma = math.sqrt(1 / (2 * rho_of(epsilon)))
        cells = simplex(cells + rng.normal(0, sigma, cells.shape))
    censored, events = cells[:-1:2], cells[1::2]
    at_risk = np.cumsum((censored + events)[::-1])[::-1] + cells[-1]
    exposed = at_risk - censored / 2
    left = exposed - events
    ends = left <= 2 * sigma * np.sqrt(2 * (intervals - np.arange(intervals)) + 1)
    last = int(np.argmax(ends)) if ends.any() else intervals
    curve = np.cumprod(1 - events[:last] / exposed[:last])
    distance = np.abs(curve - exact[:last]).max() if last else 0.0
    return distance, sampling


def main():
    folder = sys.argv[1]
    repetitions = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    rng = np.random.default_rng(1)
    for epsilon in (0.05, 0.2, 1):
        print(f"counts, epsilon {epsilon}: {1.959964 * math.sqrt(5 / (2 * rho_of(epsilon))):.1f}")
    for epsilon in (0.25, 1, 4):
        print(f"describe, epsilon {epsilon}:", described(folder, epsilon, repetitions, rng))
    for records in (228, 1000, 5000, 20000):
        for epsilon in (0.5, 1, 2, None):
            runs = [survival(records, epsilon, rng) for _ in range(5 * repetitions)]
            distance, sampling = np.mean(runs, axis=0)
            print(f"survival, {records} records, epsilon {epsilon}: {distance:.4f}, sampling {sampling:.4f}")


main()
