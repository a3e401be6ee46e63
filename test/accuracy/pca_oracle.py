"""Federated PCA computed a second time, by numpy and from the papers alone: the oracle of pca.test.ts.

Reads one JSON request from the file that its argument names and writes one JSON answer to standard output. Shares no code with
Consilium. Requests:

{"task": "pca", "rows": <file of float64, row-major>, "features": [...], "siteRows": [...], "scale": "none" or
 "declared", "scaling": "pooled" or "site", "k": k, "noise": null or [d*d],
 "siteNoise": null or one [d*d] per site}
    -> mean, n, covariance (A, or A + E), values and vectors of its k leading components, and of DPdisPCA on the
       same split the combined matrix.

{"task": "sharedNoise", "seed": <hex>, "d": d, "stdDev": tau}
    -> E from ARC4 up.
"""

import json
import math
import sys

import numpy as np


def design(table, features, scale):
    """One column per numeric feature, one 0/1 column per level."""
    columns = []
    for feature, values in zip(features, table.T):
        if feature["type"] == "categorical":
            columns += [(values == level).astype(float) for level in range(feature["levels"])]
        elif scale == "declared":
            columns.append((values - feature["min"]) / (feature["max"] - feature["min"]))
        else:
            columns.append(values)
    return np.column_stack(columns)


def ranges(features, scale):
    out = []
    for feature in features:
        if feature["type"] == "categorical":
            out += [1.0] * feature["levels"]
        else:
            out.append(1.0 if scale == "declared" else feature["max"] - feature["min"])
    return np.array(out)


def normalise(x, mean, column_ranges):
    """Centred rows of length 1; a row within 2^-40 of the declared range of the mean stays zero."""
    centred = x - mean
    lengths = np.linalg.norm(centred, axis=1)
    zero = np.all(np.abs(centred) <= 2.0**-40 * column_ranges, axis=1)
    lengths[zero] = 1.0
    out = centred / lengths[:, None]
    out[zero] = 0.0
    return out


def leading(matrix, k):
    values, vectors = np.linalg.eigh(matrix)
    order = np.argsort(-np.abs(values), kind="stable")
    return values[order], vectors[:, order[:k]].T


def pca(request):
    features = request["features"]
    table = np.fromfile(request["rows"]).reshape(-1, len(features))
    x = design(table, features, request["scale"])
    n, d = x.shape
    mean = np.array([math.fsum(column) / n for column in x.T])
    z = normalise(x, mean, ranges(features, request["scale"]))
    ends = np.cumsum(request["siteRows"])
    assert ends[-1] == n
    sites = np.split(z, ends[:-1])

    if request["scaling"] == "pooled":
        a = z.T @ z / (n - 1)
    else:
        a = sum(part.T @ part / (len(part) - 1) for part in sites)
    if request["noise"] is not None:
        a = a + np.array(request["noise"]).reshape(d, d)
    values, vectors = leading(a, request["k"])

    # DPdisPCA, as the authors' program: svd of the noisy local matrix, R = 2K, P P' with P = U_R S_R^(1/2).
    rank = min(2 * request["k"], d)
    combined = np.zeros((d, d))
    smallest_gap = math.inf
    for index, part in enumerate(sites):
        local = part.T @ part / len(part)
        if request["siteNoise"] is not None:
            local = local + np.array(request["siteNoise"][index]).reshape(d, d)
        u, s, _ = np.linalg.svd(local)
        p = u[:, :rank] * np.sqrt(s[:rank])
        combined += p @ p.T
        if rank < d:
            smallest_gap = min(smallest_gap, s[rank - 1] - s[rank])
    combined /= len(sites)
    return {
        "n": n,
        "mean": mean.tolist(),
        "covariance": a.ravel().tolist(),
        "values": values.tolist(),
        "vectors": vectors.ravel().tolist(),
        "rank": rank,
        "combined": combined.ravel().tolist(),
        "combinedGap": None if smallest_gap == math.inf else smallest_gap,
    }


def arc4(key):
    s = list(range(256))
    j = 0
    for i in range(256):
        j = (j + s[i] + key[i % len(key)]) & 255
        s[i], s[j] = s[j], s[i]
    i = j = 0
    while True:
        i = (i + 1) & 255
        j = (j + s[i]) & 255
        s[i], s[j] = s[j], s[i]
        yield s[(s[i] + s[j]) & 255]


def seedrandom(seed):
    """The doubles of the npm package seedrandom 3.0.5 for a text seed: ARC4-drop[256], 53 bits and more."""
    key = []
    smear = 0
    for j, character in enumerate(seed):
        old = key[j & 255] if j & 255 < len(key) else 0
        smear ^= old * 19
        value = (smear + ord(character)) & 255
        if j & 255 < len(key):
            key[j & 255] = value
        else:
            key.append(value)
    stream = arc4(key)
    for _ in range(256):
        next(stream)
    while True:
        n = 0
        for _ in range(6):
            n = n * 256 + next(stream)
        denominator = 2**48
        extra = 0
        while n < 2**52:
            n = (n + extra) * 256
            denominator *= 256
            extra = next(stream)
        while n >= 2**53:
            n //= 2
            denominator //= 2
            extra >>= 1
        yield (n + extra) / denominator


def shared_noise(request):
    uniform = seedrandom(request["seed"])

    def normals():
        while True:
            radius = math.sqrt(-2 * math.log(1 - next(uniform)))
            turn = 2 * math.pi * next(uniform)
            yield radius * math.cos(turn)
            yield radius * math.sin(turn)

    d = request["d"]
    normal = normals()
    e = np.zeros((d, d))
    for i in range(d):
        for j in range(i, d):
            e[i, j] = e[j, i] = request["stdDev"] * next(normal)
    return {"matrix": e.ravel().tolist()}


with open(sys.argv[1]) as file:
    request = json.load(file)
answer = {"pca": pca, "sharedNoise": shared_noise}[request["task"]](request)
json.dump(answer, sys.stdout, allow_nan=False)
