"""Writes dealt-masks.json: dealt masks and stage seeds of SPEC.md, computed by other means than ours.

HKDF and AES come from Python's `cryptography` (written with version 48.0.0). Run from anywhere:
python3 generate.py > dealt-masks.json
"""

import hashlib
import json

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF


def sha(text):
    return hashlib.sha256(text.encode()).digest()


def hkdf(secret, *lines):
    return HKDF(hashes.SHA256(), 32, salt=None, info="\n".join(lines).encode()).derive(secret)


def keystream(key, entries):
    stream = Cipher(algorithms.AES256(key), modes.CTR(bytes(16))).encryptor().update(bytes(8 * entries))
    return [int.from_bytes(stream[8 * i : 8 * i + 8], "little") for i in range(entries)]


SITES = ["alpha", "beta", "gamma", "delta"]
SITES.sort()
DEALER = SITES[1]
ROSTER = sha("the roster").hex()
SEEDS = {site: sha("mask seed " + site) for site in SITES if site != DEALER}
LENGTH = 5


def masks(stage, attempt, broadcasts):
    own = {
        site: keystream(hkdf(seed, "consilium dealt mask v2", ROSTER, stage, str(attempt), broadcasts), LENGTH)
        for site, seed in SEEDS.items()
    }
    own[DEALER] = [-sum(entries) % 2**64 for entries in zip(*own.values())]
    return {site: [str(entry) for entry in own[site]] for site in SITES}


def case(stage, broadcast_lines):
    broadcasts = hashlib.sha256(
        b"consilium broadcasts v1\n" + "\n".join(broadcast_lines).encode()
    ).hexdigest()
    shared = sha("shared seed")
    return {
        "stage": stage,
        "attempt": 1,
        "broadcastsHash": broadcasts,
        "masks": masks(stage, 1, broadcasts),
        "stageSeed": hkdf(shared, "consilium stage seed v1", ROSTER, stage, broadcasts).hex(),
    }


mean = "covariance mean 4 " + sha("a mean").hex()
other = "covariance mean 4 " + sha("another mean").hex()
rows = "covariance rows 1 " + sha("rows").hex()
print(
    json.dumps(
        {
            "rosterHash": ROSTER,
            "sites": SITES,
            "dealer": DEALER,
            "seeds": {site: seed.hex() for site, seed in SEEDS.items()},
            "sharedSeed": sha("shared seed").hex(),
            "cases": [case("moments", []), case("covariance", [mean, rows]), case("covariance", [other, rows])],
        },
        indent=2,
    )
)
