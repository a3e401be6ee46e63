"""What gradient boosting without privacy makes of a table.

Reads one JSON request from standard input: {"train": [[...]], "trainLabels": [...], "test": [[...]], "testLabels": [...]},
categories as numbers, and writes {"auc": a, "accuracy": b} of scikit-learn's HistGradientBoostingClassifier on the test rows.
"""

import json
import sys

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import roc_auc_score

request = json.load(sys.stdin)
train, test = np.array(request["train"], dtype=float), np.array(request["test"], dtype=float)
model = HistGradientBoostingClassifier(random_state=0).fit(train, request["trainLabels"])
scores = model.predict_proba(test)[:, 1]
json.dump(
    {
        "auc": float(roc_auc_score(request["testLabels"], scores)),
        "accuracy": float(model.score(test, request["testLabels"])),
    },
    sys.stdout,
)
