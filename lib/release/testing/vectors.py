"""Writes vectors.json beside it: what stages cost, in 60 decimal digits, by the formulas of docs/FORMAT.md and by no program of ours."""

import json
import pathlib
from decimal import Decimal as D, getcontext
from fractions import Fraction
from math import comb

getcontext().prec = 60
PI = D("3.14159265358979323846264338327950288419716939937510582097494459")


def root(run, exponent):
    """C_i = binom(2i, i)/4^i·2^exponent, rounded, halves up."""
    return [int(Fraction(comb(2 * i, i) * 2**exponent, 4**i) + Fraction(1, 2)) for i in range(run)]


def squared(q):
    if q["kind"] == "histogram" and "sections" in q:
        most = lambda s: max(s["max"], -s.get("min", 0))
        return sum(s.get("touches", 1) * most(s) ** 2 * sum(c * c for c in root(**s["root"])) if "root" in s else s.get("touches", 1) * most(s) ** 2 for s in q["sections"])
    if q["kind"] == "histogram":
        cell = sum(max(c["max"], -c["min"]) ** 2 for c in q["channels"])
        return q["touches"] * min(cell, q.get("cellLimit", cell))
    if q["kind"] in ("gram", "product"):
        return q["limit"] ** 2
    if q["kind"] == "vector":
        return q["limit"]
    a = q["answer"]
    return 2 * a["limit"] if a["kind"] == "length" else a["max"] ** 2 * sum(min(g["entries"], 2 * g["taken"]) for g in a["groups"])


def length(q):
    a = q.get("answer", {})
    return {
        "histogram": lambda: q["cells"] * len(q["channels"]),
        "vector": lambda: q["parts"] * q["length"],
        "gram": lambda: q["parts"] * q["order"] * (q["order"] + 1) // 2,
        "product": lambda: q["rows"] * q["columns"],
        "blocks": lambda: q["parts"] * (a["entries"] if a["kind"] == "length" else sum(g["entries"] for g in a["groups"])),
    }[q["kind"]]()


def rho(q, scale, unit, noise):
    divisible = q.get("divisible", False) if q["kind"] == "histogram" else q["kind"] != "blocks"
    weight = unit.get("weight") or 1
    delta = D(squared(q) * (scale * (1 if divisible else weight)) ** 2)
    v, sites, shares = D(noise["shareVariance"]), noise["sites"], noise["shares"]
    total = shares * v
    diagonal = q["parts"] * q["order"] if q["kind"] == "gram" else length(q)
    groups = [(n, w) for n, w in ((diagonal, 1), (length(q) - diagonal, 2)) if n]
    tau = lambda w: sum(10 * (-2 * PI**2 * v / w * k / (k + 1)).exp() for k in range(1, sites))
    sums, squares = sum(n * tau(w) for n, w in groups), sum(n * tau(w) ** 2 for n, w in groups)
    most = max(D(w).sqrt() * tau(w) for _, w in groups)
    signal = delta / total
    own = min(signal / 2 + sums, (signal + 2 * delta * most / total.sqrt() + squares) / 2, (signal.sqrt() + squares.sqrt()) ** 2 / 2)
    rows = unit["maxRows"] if unit["kind"] == "patient" and unit["weight"] is None else 1
    return delta, own * rows**2


def epsilon(rho, delta):
    bits = -D(delta).ln()
    low, high = D(0), (bits / rho).sqrt()
    for _ in range(200):
        x = (low + high) / 2
        low, high = (x, high) if x * x * rho + (1 + x).ln() < bits else (low, x)
    return max(D(0), (1 + high) * rho - (1 + 1 / high).ln() - ((1 + high).ln() - bits) / high)


RECORD = {"kind": "record"}
ROWS = {"kind": "patient", "maxRows": 4, "weight": None}
WEIGHED = {"kind": "patient", "maxRows": 4, "weight": 12}
COUNTS = {"kind": "histogram", "cells": 6, "touches": 3, "channels": [{"min": 0, "max": 1}]}
SIGNED = {"kind": "histogram", "cells": 4, "touches": 2, "channels": [{"min": -5, "max": 3}, {"min": 0, "max": 7}]}
LIMITED = {**SIGNED, "cellLimit": 50, "divisible": True}
FLAT = {**COUNTS, "channels": [{"min": -2, "max": 4}], "sections": [{"cells": 2, "max": 4, "min": -2}, {"cells": 4, "max": 3, "touches": 2}]}
ROOTED = {**COUNTS, "cells": 20, "touches": 2, "channels": [{"min": 0, "max": 1024}], "sections": [{"cells": 16, "max": 1, "root": {"run": 8, "exponent": 10}}, {"cells": 4, "max": 1024}]}
LONG = {**COUNTS, "cells": 4096, "touches": 1, "sections": [{"cells": 4096, "max": 1, "root": {"run": 4096, "exponent": 16}}]}
VECTOR = {"kind": "vector", "parts": 3, "length": 10, "limit": 1000003}
GRAM = {"kind": "gram", "parts": 2, "order": 5, "limit": 4097}
WIDE = {"kind": "gram", "parts": 1, "order": 3, "limit": 94906267}
PRODUCT = {"kind": "product", "rows": 3, "columns": 7, "limit": 2050}
LOT = {"kind": "blocks", "blocks": 8, "parts": 2, "deal": "lot", "maxRows": 30}
GROUPS = {**LOT, "answer": {"kind": "groups", "max": 9, "groups": [{"entries": 5, "taken": 1}, {"entries": 3, "taken": 3}]}}
ANSWERS = {"kind": "blocks", "blocks": 8, "parts": 2, "deal": "record", "counts": {"cells": 4, "touches": 1}, "answer": {"kind": "length", "entries": 12, "limit": 77}}

vectors = []
for query, scale, base in ((COUNTS, 1, 60.5), (SIGNED, 4, 9e4), (LIMITED, 8, 2.5e4), (FLAT, 1, 700), (ROOTED, 1, 3e8), (LONG, 1, 5e10), (VECTOR, 1, 3e7), (GRAM, 2, 2e9), (WIDE, 1, 2e17), (PRODUCT, 1, 1e8), (GROUPS, 1, 9e3), (ANSWERS, 16, 1e6)):
    for unit, noise in (
        (RECORD, {"shareVariance": base, "sites": 8, "shares": 3}),
        (ROWS, {"shareVariance": base * 16, "sites": 1024, "shares": 2}),
        (WEIGHED, {"shareVariance": base * 150, "sites": 40, "shares": 26}),
    ):
        vectors.append((query, scale, unit, noise, 1e-5))
for noise, delta in (({"shareVariance": 0.75, "sites": 3, "shares": 1}, 1e-3), ({"shareVariance": 1.25, "sites": 1024, "shares": 1}, 1e-6), ({"shareVariance": 1e6, "sites": 5, "shares": 2}, 1e-9), ({"shareVariance": 3.5, "sites": 5, "shares": 5}, 1e-12)):
    vectors.append((COUNTS, 1, RECORD, noise, delta))
out = []
for query, scale, unit, noise, delta in vectors:
    square, own = rho(query, scale, unit, noise)
    expected = {"length": length(query), "deltaSquared": float(square), "rho": float(own), "epsilon": float(epsilon(own, delta))}
    out.append({"query": query, "scale": scale, "unit": unit, "noise": noise, "delta": delta, "expected": expected})
lines = ",\n".join("  " + json.dumps(one, separators=(",", ":")) for one in out)
pathlib.Path(__file__).with_name("vectors.json").write_text(f"[\n{lines}\n]\n")
