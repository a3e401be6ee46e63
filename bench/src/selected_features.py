"""Accuracy of two classifiers on the features that each fold's training rows selected.

Reads one JSON request from standard input: {"folds": [{"train": [[...]], "trainLabels": [...], "test": [[...]],
"testLabels": [...]}, ...]}, the selected columns mapped to 0 to 1, and writes {"neighbours": a, "svm": b}: the means over folds of the accuracies of scikit-learn's KNeighborsClassifier(3) and SVC(C=1).
"""

import json
import sys

import numpy as np
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

neighbours, svm = [], []
for fold in json.load(sys.stdin)["folds"]:
    train, test = np.array(fold["train"]), np.array(fold["test"])
    labels, truth = np.array(fold["trainLabels"]), np.array(fold["testLabels"])
    neighbours.append(KNeighborsClassifier(3).fit(train, labels).score(test, truth))
    svm.append(SVC(C=1).fit(train, labels).score(test, truth))
json.dump({"neighbours": float(np.mean(neighbours)), "svm": float(np.mean(svm))}, sys.stdout)
