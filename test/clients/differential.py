"""Verdicts of the Python verifier on many releases in one process: see pythonVerifier.test.ts.

differential.py <source folder> <cases>: each line of cases is a folder, behind it `|` and a list of members in base64 or not, and the same of expelled sites,
or certificate.json and certificate.jws in base64, under root.pem beside it. Prints a line of JSON for each: the answer, and the seconds of this processor that it took.
"""

import base64
import json
import os
import sys
import time

sys.path.insert(0, sys.argv[1])
from consilium import verify as v  # noqa: E402

place = os.path.dirname(sys.argv[2])
pem = open(os.path.join(place, "root.pem"), "rb").read()
for line in open(sys.argv[2]):
    began = time.process_time()
    parts = [base64.b64decode(part) for part in line.strip().split(" ")] if " " in line else None
    if parts is None:
        folder, *lists = line.strip().split("|")
        answer = v.verify(folder, pem, *(base64.b64decode(one) if one else None for one in lists))
    else:
        answer = v.verdict_of(lambda: v.accepted(v.verify_certificate(parts[0], parts[1], pem)))
    print(json.dumps({**answer, "seconds": time.process_time() - began}))
