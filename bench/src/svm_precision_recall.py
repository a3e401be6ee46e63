"""Precision and recall of a support vector machine on released columns.

Reads one JSON request from standard input: {"runs": [{"train": [[...]], "trainLabels": [...], "test": [[...]],
"testLabels": [...]}, ...]}, the columns mapped to 0 to 1, and writes {"precision": [...], "recall": [...]} of the class 1, one
of each per run: scikit-learn's SVC(C=1). Where nothing is predicted to be of class 1, and where a run has no columns, so that
only the most frequent class can be answered, precision is 0 if that is not class 1.
"""

import json
import sys

import numpy as np
from sklearn.dummy import DummyClassifier
from sklearn.metrics import precision_score, recall_score
from sklearn.svm import SVC

precision, recall = [], []
for run in json.load(sys.stdin)["runs"]:
    train, test = np.array(run["train"]), np.array(run["test"])
    model = SVC(C=1) if train.shape[1] > 0 else DummyClassifier()
    predicted = model.fit(train, run["trainLabels"]).predict(test)
    precision.append(float(precision_score(run["testLabels"], predicted, zero_division=0)))
    recall.append(float(recall_score(run["testLabels"], predicted, zero_division=0)))
json.dump({"precision": precision, "recall": recall}, sys.stdout)
