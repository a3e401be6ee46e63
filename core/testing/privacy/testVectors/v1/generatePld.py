"""Writes pld.json next to this file: what Google's accountant of privacy loss distributions says of composed discrete Gaussians.

Needs dp-accounting 0.6.0 (PyPI). Losses are rounded to multiples of 10^-4: up for `most`, down for `least`, so that the truth lies
between the two. Never regenerate to turn a test green: change the version.
"""

import json
import math
import pathlib

from dp_accounting.pld import privacy_loss_distribution as pld

# Of each composition (variance, most that a record adds to an entry, entries).
COMPOSITIONS = [
    [(1, 1, 1)],
    [(2.25, 1, 2)],
    [(16, 1, 3)],
    [(64, 1, 40), (100, 3, 12), (25, 1, 1)],
    [(9, 1, 3), (30, 1, 14), (16, 1, 1)],
    [(900, 16, 5), (400, 16, 1), (4, 1, 1)],
    [(2500, 16, 150), (400, 16, 10), (100, 1, 1)],
    [(400, 1, 20)],
    [(10000, 1, 100)],
    [(240000, 16, 200), (90000, 16, 10), (120, 1, 1)],
]


def composed(parts, pessimistic):
    whole = None
    for variance, most, count in parts:
        part = pld.from_discrete_gaussian_mechanism(
            math.sqrt(variance),
            sensitivity=most,
            pessimistic_estimate=pessimistic,
            value_discretization_interval=1e-4,
        ).self_compose(count)
        whole = part if whole is None else whole.compose(part)
    return whole


rows = []
for parts in COMPOSITIONS:
    least, most = composed(parts, False), composed(parts, True)
    rows.append(
        {
            "entries": [{"variance": v, "most": w, "count": n} for v, w, n in parts],
            "epsilon": [
                {"delta": d, "least": float(least.get_epsilon_for_delta(d)), "most": float(most.get_epsilon_for_delta(d))}
                for d in (1e-5, 1e-6, 1e-8)
            ],
            "delta": [
                {"epsilon": e, "least": float(least.get_delta_for_epsilon(e)), "most": float(most.get_delta_for_epsilon(e))}
                for e in (0.25, 1, 4)
            ],
        }
    )

text = json.dumps({"source": "generatePld.py in this folder, dp-accounting 0.6.0", "compositions": rows}, indent=2)
pathlib.Path(__file__).with_name("pld.json").write_text(text + "\n")
