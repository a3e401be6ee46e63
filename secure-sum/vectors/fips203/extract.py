"""Writes ml-kem-768.json: NIST's vectors of ML-KEM-768 [FIPS203], and secrets of ciphertexts, whole and changed.

`keyGen` and `encapsulation` are taken from the ACVP server's internalProjection.json as `kyber-py` 1.2.0 ships them in its
source distribution (assets/ML-KEM-keyGen-FIPS203 and assets/ML-KEM-encapDecap-FIPS203); long results as their SHA-256.
The ACVP server gives expanded private keys where it tests decapsulation, and ours are seeds: `decapsulation` is computed
by `kyber-py` from the seeds of `keyGen`.  python3 extract.py kyber_py-1.2.0/assets > ml-kem-768.json
"""

import hashlib
import json
import sys

from kyber_py.ml_kem import ML_KEM_768


def tests(mode, function=None):
    with open(f"{sys.argv[1]}/ML-KEM-{mode}-FIPS203/internalProjection.json") as file:
        groups = json.load(file)["testGroups"]
    return next(g["tests"] for g in groups if g["parameterSet"] == "ML-KEM-768" and g.get("function") == function)


def sha(text):
    return hashlib.sha256(bytes.fromhex(text)).hexdigest()


def decapsulation(test):
    ek, dk = ML_KEM_768._keygen_internal(bytes.fromhex(test["d"]), bytes.fromhex(test["z"]))
    m = hashlib.sha256(ek).digest()
    secret, c = ML_KEM_768._encaps_internal(ek, m)
    assert ML_KEM_768.decaps(dk, c) == secret
    changed = bytes([c[0] ^ 1]) + c[1:]
    return {"m": m.hex(), "c": hashlib.sha256(c).hexdigest(), "k": secret.hex(), "kOfChanged": ML_KEM_768.decaps(dk, changed).hex()}


key_gen = tests("keyGen")
vectors = {
    "keyGen": [
        {"d": t["d"].lower(), "z": t["z"].lower(), "ek": sha(t["ek"]), "decapsulation": decapsulation(t)} for t in key_gen
    ],
    "encapsulation": [
        {"ek": t["ek"].lower(), "m": t["m"].lower(), "c": sha(t["c"]), "k": t["k"].lower()}
        for t in tests("encapDecap", "encapsulation")
    ],
}
print(json.dumps(vectors, indent=2))
