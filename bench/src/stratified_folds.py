"""Ten stratified folds as scikit-learn deals them out.

Reads {"labels": [...], "seed": s} from standard input, and writes each row's fold: StratifiedKFold(10, shuffle=True,
random_state=s).
"""

import json
import sys

import numpy as np
from sklearn.model_selection import StratifiedKFold

request = json.load(sys.stdin)
labels = np.array(request["labels"])
fold = np.empty(len(labels), int)
folds = StratifiedKFold(10, shuffle=True, random_state=request["seed"]).split(labels, labels)
for number, (_, held) in enumerate(folds):
    fold[held] = number
json.dump(fold.tolist(), sys.stdout)
