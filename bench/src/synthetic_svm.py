"""Accuracy on real rows of a linear support vector machine that was trained on synthetic ones.

Reads a JSON request from the file that is named: {"components": k, "runs": [{"train": <file of float64, n x k>,
"labels": <file of uint16, n>, "test": <file of float64, m x k>, "testLabels": [m]}, ...]} and writes
{"accuracy": [...]}: scikit-learn's LinearSVC(C=1) on the training rows, each component standardised by them. A run
whose training rows are all of one class guesses the commoner class of the test rows.
"""

import json
import sys
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

warnings.filterwarnings("ignore", category=ConvergenceWarning)
with open(sys.argv[1]) as file:
    request = json.load(file)
k = request["components"]
accuracy = []
for run in request["runs"]:
    train = np.fromfile(run["train"]).reshape(-1, k)
    labels = np.fromfile(run["labels"], dtype=np.uint16)
    test = np.fromfile(run["test"]).reshape(-1, k)
    truth = np.array(run["testLabels"])
    if len(np.unique(labels)) < 2:
        accuracy.append(float(np.bincount(truth).max() / len(truth)))
        continue
    mean, deviation = train.mean(axis=0), train.std(axis=0)
    deviation[deviation == 0] = 1.0
    model = LinearSVC(C=1.0, dual=False).fit((train - mean) / deviation, labels)
    accuracy.append(float((model.predict((test - mean) / deviation) == truth).mean()))
json.dump({"accuracy": accuracy}, sys.stdout)
