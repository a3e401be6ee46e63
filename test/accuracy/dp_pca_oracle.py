"""PCA of clipped rows without noise, by numpy: an independent reading of what dp-pca computes.

Reads a JSON request from the file that is named: {"rows": <file of float64, n x d, 0 to 1>, "columns": d, "labels": [n],
"centre": [d], "radius": R, "components": k} and writes the eigenvalues, the leading eigenvectors and per class the
number of rows, the mean and the covariance in the coordinates of "loadings", which the request brings along.
"""

import json
import sys

import numpy as np

with open(sys.argv[1]) as file:
    request = json.load(file)
d, k = request["columns"], request["components"]
u = np.fromfile(request["rows"]).reshape(-1, d)
labels = np.array(request["labels"])
y = (u - np.array(request["centre"])) / request["radius"]
y = y / np.maximum(1.0, np.linalg.norm(y, axis=1, keepdims=True))
covariance = np.cov(y.T, bias=True)
values, vectors = np.linalg.eigh(covariance)
loadings = np.array(request["loadings"]).reshape(k, d)
classes = []
for label in range(labels.max() + 1):
    own = y[labels == label] @ loadings.T
    classes.append(
        {
            "rows": len(own),
            "mean": own.mean(axis=0).tolist(),
            "covariance": np.cov(own.T, bias=True).tolist(),
        }
    )
json.dump(
    {
        "values": values[::-1].tolist(),
        "vectors": vectors[:, ::-1][:, :k].T.tolist(),
        "classes": classes,
    },
    sys.stdout,
)
