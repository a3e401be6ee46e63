"""Accuracy of a linear support vector machine on reduced rows.

Reads one JSON request from standard input: {"rows": <file of float64, n x d>, "columns": d, "labels": [n],
"train": [row numbers], "test": [row numbers], "loadings": [[k*d], ...]} and writes {"accuracy": [...]}, one figure
per loadings: scikit-learn's LinearSVC(C=1) on the training rows times the loadings, each component standardised.
"""

import json
import sys
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

warnings.filterwarnings("ignore", category=ConvergenceWarning)
request = json.load(sys.stdin)
d = request["columns"]
x = np.fromfile(request["rows"]).reshape(-1, d)
labels = np.array(request["labels"])
train, test = np.array(request["train"]), np.array(request["test"])
accuracy = []
for loadings in request["loadings"]:
    y = x @ np.array(loadings).reshape(-1, d).T
    mean, deviation = y[train].mean(axis=0), y[train].std(axis=0)
    deviation[deviation == 0] = 1.0
    y = (y - mean) / deviation
    model = LinearSVC(C=1.0, dual=False, max_iter=200).fit(y[train], labels[train])
    accuracy.append(float((model.predict(y[test]) == labels[test]).mean()))
json.dump({"accuracy": accuracy}, sys.stdout)
