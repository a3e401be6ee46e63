"""What synthetic rows are worth, beside those of central programs of the same privacy.

Reads a JSON request from the file that is named: {"sizes": cells of each column, "train", "test": files of uint16, n x d, the last column the
outcome, "own": files of synthetic rows, one for each seed, "rho": of zero-concentrated differential privacy, of programs beside, null for none}.
Writes, for each way to make rows, the means over the seeds of: the distance (half of the sum of differences of shares) of two-way tables from those of the training rows, over
all pairs; area under the ROC curve and accuracy on the test rows of a logistic regression and of gradient boosting that were trained on them.

MST is McKenna, Miklau and Sheldon's algorithm [MMS21] written anew: one-way tables, rare values put together, a tree chosen by the exponential
mechanism edge by edge, its two-way tables, a third of rho for each, and a graphical model fitted to all of them by mirror descent.
"""

import itertools
import json
import sys
import warnings

import numpy as np
from scipy.special import logsumexp
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.preprocessing import OneHotEncoder

warnings.filterwarnings("ignore", category=ConvergenceWarning)
with open(sys.argv[1]) as file:
    request = json.load(file)
sizes = request["sizes"]
rho = request["rho"]
d = len(sizes)


def read(name):
    return np.fromfile(name, dtype=np.uint16).reshape(-1, d).astype(np.int64)


train, test = read(request["train"]), read(request["test"])
n = len(train)
all_pairs = list(itertools.combinations(range(d), 2))


def table(rows, i, j, shape):
    cells = np.bincount(rows[:, i] * shape[j] + rows[:, j], minlength=shape[i] * shape[j])
    return cells.reshape(shape[i], shape[j]).astype(float)


real_tables = [table(train, i, j, sizes) / n for i, j in all_pairs]


def simplex(values, total):
    falling = np.sort(values)[::-1]
    over = (np.cumsum(falling) - total) / np.arange(1, len(values) + 1)
    return np.maximum(values - over[np.nonzero(falling > over)[0][-1]], 0)


def dealt(parts, count, rng):
    """As many of each as its part, up or down to a whole number, in random order."""
    parts = np.maximum(parts, 0)
    ends = np.floor(np.cumsum(parts) / parts.sum() * count + rng.random()).astype(int)
    ends[-1] = count
    cells = np.repeat(np.arange(len(parts)), np.diff(np.concatenate([[0], np.minimum(ends, count)])))
    return rng.permutation(cells)


def independent(rng):
    deviation = np.sqrt(d / (2 * rho))
    columns = []
    for j in range(d):
        counts = np.bincount(train[:, j], minlength=sizes[j]) + rng.normal(0, deviation, sizes[j])
        columns.append(dealt(simplex(counts, n), n, rng))
    return np.stack(columns, 1)


def compressed(rng):
    """Values whose noisy count is below three deviations become one."""
    deviation = np.sqrt(d / (2 * rho / 3))
    maps, back, ones = [], [], []
    for j in range(d):
        counts = np.bincount(train[:, j], minlength=sizes[j]) + rng.normal(0, deviation, sizes[j])
        kept = np.nonzero(counts >= 3 * deviation)[0]
        rare = np.nonzero(counts < 3 * deviation)[0]
        own = np.full(sizes[j], len(kept))
        own[kept] = np.arange(len(kept))
        maps.append(own)
        back.append([np.array([value]) for value in kept] + ([rare] if len(rare) else []))
        merged = np.concatenate([counts[kept], [counts[rare].sum()]]) if len(rare) else counts[kept]
        # A count that was added up has the noise of all that it is of.
        spread = np.concatenate([np.ones(len(kept)), [np.sqrt(len(rare))]]) if len(rare) else np.ones(len(kept))
        ones.append((merged, deviation * spread))
    rows = np.stack([maps[j][train[:, j]] for j in range(d)], 1)
    return rows, back, ones


def tree_order(edges, root):
    near = {j: [] for j in range(d)}
    for i, j in edges:
        near[i].append(j)
        near[j].append(i)
    order, parents, seen = [root], {root: -1}, {root}
    for column in order:
        for other in near[column]:
            if other not in seen:
                seen.add(other)
                parents[other] = column
                order.append(other)
    return order, parents


def marginals(nodes, joints, order, parents, total):
    """Belief propagation in logarithms: of every column and every pair of the tree, expected counts."""
    up = {j: nodes[j].copy() for j in order}
    sent = {}
    for j in reversed(order[1:]):
        sent[j] = logsumexp(joints[j] + up[j][None, :], axis=1)
        up[parents[j]] += sent[j]
    down = {order[0]: np.zeros(len(nodes[order[0]]))}
    pairs = {}
    for j in order[1:]:
        p = parents[j]
        outside = up[p] + down[p] - sent[j]
        joint = outside[:, None] + joints[j] + up[j][None, :]
        pairs[j] = total * np.exp(joint - logsumexp(joint))
        down[j] = logsumexp(outside[:, None] + joints[j], axis=0)
    ones = {}
    for j in order:
        one = up[j] + down[j]
        ones[j] = total * np.exp(one - logsumexp(one))
    return ones, pairs


def fitted(ones, twos, order, parents, rounds=400):
    """The tree's model nearest to the noisy tables, by mirror descent with a step that halves until it descends enough."""
    weights = [1 / (deviation**2).sum() for _, deviation in ones]
    total = sum(w * counts.sum() for w, (counts, _) in zip(weights, ones)) / sum(weights)
    nodes = [np.zeros(len(counts)) for counts, _ in ones]
    joints = {j: np.zeros(twos[j][0].shape) for j in order[1:]}

    def loss(now):
        value = sum((((now[0][j] - counts) / dev) ** 2).sum() for j, (counts, dev) in enumerate(ones)) / 2
        value += sum((((now[1][j] - counts) / dev) ** 2).sum() for j, (counts, dev) in twos.items()) / 2
        slope = [(now[0][j] - counts) / dev**2 for j, (counts, dev) in enumerate(ones)]
        return value, slope, {j: (now[1][j] - counts) / dev**2 for j, (counts, dev) in twos.items()}

    now = marginals(nodes, joints, order, parents, total)
    value, slope, slopes = loss(now)
    step = 1 / total
    for _ in range(rounds):
        for _ in range(25):
            next_nodes = [nodes[j] - step * slope[j] for j in range(d)]
            next_joints = {j: joints[j] - step * slopes[j] for j in joints}
            after = marginals(next_nodes, next_joints, order, parents, total)
            moved = sum((slope[j] * (now[0][j] - after[0][j])).sum() for j in range(d))
            moved += sum((slopes[j] * (now[1][j] - after[1][j])).sum() for j in joints)
            lower = loss(after)
            if value - lower[0] >= 0.5 * moved:
                break
            step *= 0.5
        nodes, joints, now = next_nodes, next_joints, after
        value, slope, slopes = lower
        step *= 1.5
    return now


def mst(rng):
    rows, back, ones = compressed(rng)
    shape = [len(own) for own in back]
    flat = [simplex(counts, n) / n for counts, _ in ones]
    scores = {(i, j): np.abs(table(rows, i, j, shape) - n * np.outer(flat[i], flat[j])).sum() for i, j in all_pairs}
    epsilon = np.sqrt(8 * (rho / 3) / (d - 1))
    group = list(range(d))
    edges = []
    while len(edges) < d - 1:
        left = [(i, j) for i, j in all_pairs if group[i] != group[j]]
        worth = 0.5 * epsilon * np.array([scores[pair] for pair in left])
        i, j = left[rng.choice(len(left), p=np.exp(worth - logsumexp(worth)))]
        edges.append((i, j))
        old = group[j]
        group = [group[i] if one == old else one for one in group]
    deviation = np.sqrt((d - 1) / (2 * rho / 3))
    order, parents = tree_order(edges, 0)
    twos = {}
    for j in order[1:]:
        counts = table(rows, parents[j], j, shape)
        twos[j] = (counts + rng.normal(0, deviation, counts.shape), deviation)
    own, pairs = fitted(ones, twos, order, parents)
    out = np.zeros((n, d), dtype=np.int64)
    out[:, 0] = dealt(own[0], n, rng)
    for j in order[1:]:
        for cell in range(shape[parents[j]]):
            places = np.nonzero(out[:, parents[j]] == cell)[0]
            if len(places):
                out[places, j] = dealt(pairs[j][cell] + 1e-300, len(places), rng)
    for j in range(d):
        cells = out[:, j].copy()
        for cell, values in enumerate(back[j]):
            places = np.nonzero(cells == cell)[0]
            out[places, j] = rng.choice(values, len(places))
    return out


codes = OneHotEncoder(categories=[range(size) for size in sizes[:-1]]).fit(test[:1, :-1])


def worth(rows):
    distance = np.mean(
        [np.abs(table(rows, i, j, sizes) / len(rows) - real).sum() / 2 for (i, j), real in zip(all_pairs, real_tables)]
    )
    if len(np.unique(rows[:, -1])) < 2:
        most = max((test[:, -1] == rows[0, -1]).mean(), 0)
        return [distance, 0.5, most, 0.5, most]
    found = [distance]
    linear = LogisticRegression(max_iter=300).fit(codes.transform(rows[:, :-1]), rows[:, -1])
    boosted = HistGradientBoostingClassifier(random_state=0).fit(rows[:, :-1], rows[:, -1])
    for model, inputs in ((linear, codes.transform(test[:, :-1])), (boosted, test[:, :-1])):
        scores = model.predict_proba(inputs)[:, 1]
        found += [roc_auc_score(test[:, -1], scores), ((scores > 0.5) == test[:, -1]).mean()]
    return found


def mean_over(make):
    return np.mean([worth(make(seed)) for seed in range(len(request["own"]))], axis=0).tolist()


found = {"synthetic-table": mean_over(lambda seed: read(request["own"][seed]))}
if rho is not None:
    found["MST, central"] = mean_over(lambda seed: mst(np.random.default_rng(seed)))
    found["independent columns, central"] = mean_over(lambda seed: independent(np.random.default_rng(seed)))
    found["the records themselves"] = worth(train)
json.dump(found, sys.stdout)
