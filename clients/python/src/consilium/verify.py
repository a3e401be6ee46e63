"""Verifies a release of a Consilium federation (certificate format 3) offline, by docs/FORMAT.md alone.

    python -m consilium.verify <folder> --authority root.pem [--members members.json] [--revocations revocations]

The root certificate, and the lists, come from whom the reader trusts, never from the release.
"""

import argparse
import base64
import datetime
import functools
import hashlib
import json
import math
import os
import re
import struct
import sys

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.x509.oid import ExtendedKeyUsageOID, ExtensionOID

SLACK = 2.0**-30
# Of a folder, what its certificate does not list; the last is an authority's word about the time, which ours alone checks.
BESIDES = {"certificate.json", "certificate.jws", "certificate.tsr"}
SAFE, ENTRY, VECTOR = 2**53 - 1, 2**31 - 1, 2**27


class Fault(Exception):
    """What is wrong with a release, in words that hold no value of a record."""


def need(ok, what):
    if not ok:
        raise Fault(what)


def sha256(*parts):
    return hashlib.sha256(b"".join(p if isinstance(p, bytes) else p.encode() for p in parts)).hexdigest()


# ---- canonical JSON (RFC 8785) --------------------------------------------------------------------------------------------

STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
ESCAPE = re.compile(r'\\(?:["\\bfnrt]|u00(?:0[0-7bef]|1[0-9a-f]))')
FORM = "not in canonical form"


def spelled(x):
    """A finite double as ECMAScript prints it."""
    if x == 0:
        return "0"
    mantissa, _, power = repr(abs(x)).partition("e")
    before, _, after = mantissa.partition(".")
    digits = (before + after).lstrip("0")
    point = len(before) + int(power or 0) - (len(before + after) - len(digits))
    digits, sign = digits.rstrip("0"), "-" if x < 0 else ""
    if len(digits) <= point <= 21:
        return sign + digits + "0" * (point - len(digits))
    if 0 < point <= 21:
        return sign + digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return sign + "0." + "0" * -point + digits
    return f"{sign}{digits[0]}{'.' + digits[1:] if len(digits) > 1 else ''}e{point - 1:+d}"


def number(token):
    """An int where the double is a whole number below 2^53. A double has one spelling."""
    if len(token) <= 15 and token.isdigit():
        return int(token)
    x = float(token) if len(token) <= 25 else math.inf
    need(math.isfinite(x) and spelled(x) == token, FORM)
    return int(x) if x.is_integer() and abs(x) <= SAFE else x


def members_of(pairs):
    units = [key.encode("utf-16-be") for key, _ in pairs]
    need(all(a < b for a, b in zip(units, units[1:])), FORM)
    out = dict(pairs)
    need("__proto__" not in out, FORM)
    return out


def canonical(text, what):
    """The value whose one text this is. text: str, or bytes in UTF-8."""
    try:
        text = text.decode() if isinstance(text, bytes) else text
        hooks = {"object_pairs_hook": members_of, "parse_int": number, "parse_float": number}
        value = json.loads(text, parse_constant=lambda _: need(False, FORM), **hooks)
        bare = STRING.sub('""', text)
        need(re.search(r"[ \t\n\r]", bare) is None and ("\\" not in text or "\\" not in ESCAPE.sub("", text)), FORM)
        brackets = re.sub(r"[^][{}]+", "", bare).translate(str.maketrans("{}", "[]"))
        for _ in range(64):
            brackets = brackets.replace("[]", "")
        need(not brackets, FORM)
        return value
    except Fault as fault:
        raise Fault(f"{what}: {fault}") from None
    except (ValueError, RecursionError):
        raise Fault(f"{what}: not JSON") from None


# ---- the grammar: a check takes a value and its place, and raises Fault -----------------------------------------------------


def whole(low, high=SAFE):
    return lambda v, at: need(type(v) is int and low <= v <= high, f"{at}: not a whole number of its range")


def real(ok):
    return lambda v, at: need(type(v) in (int, float) and ok(v), f"{at}: not a number of its range")


def pattern(expression, length=1000):
    compiled = re.compile(expression)
    return lambda v, at: need(type(v) is str and len(v) <= length and compiled.fullmatch(v) is not None, f"{at}: malformed")


def one_of(*values):
    return lambda v, at: need(any(type(v) is type(one) and v == one for one in values), f"{at}: not one of its values")


def text(v, at):
    need(type(v) is str, f"{at}: not a text")


def nullable(check):
    return lambda v, at: None if v is None else check(v, at)


def listed(check, low=0, high=SAFE):
    def run(v, at):
        need(type(v) is list and low <= len(v) <= high, f"{at}: not a list of its length")
        for index, one in enumerate(v):
            check(one, f"{at}.{index}")

    return run


def record(fields, more=False):
    """An object: a name that ends in ? may be left out; others than these are refused unless `more`."""
    checks = {name.rstrip("?"): check for name, check in fields.items()}
    required = {name for name in fields if not name.endswith("?")}

    def run(v, at):
        need(type(v) is dict and required <= v.keys(), f"{at}: no object, or it lacks a member")
        need(more or v.keys() <= checks.keys(), f"{at}: has a member that is not its format's")
        for name in v.keys() & checks.keys():
            checks[name](v[name], f"{at}.{name}")

    return run


def by_kind(kinds):
    checks = {kind: record({"kind": text, **fields}) for kind, fields in kinds.items()}

    def run(v, at):
        need(type(v) is dict and type(v.get("kind")) is str and v["kind"] in checks, f"{at}.kind: none of its kinds")
        checks[v["kind"]](v, at)

    return run


def from_base64(v, at, length=11_000):
    """Bytes of padded base64 in its one spelling."""
    try:
        need(type(v) is str and len(v) <= length and base64.b64encode(data := base64.b64decode(v)).decode() == v, f"{at}: not base64")
        return data
    except ValueError:
        raise Fault(f"{at}: not base64") from None


def from_base64url(v, at):
    """The same of text without padding."""
    need("=" not in v and "+" not in v and "/" not in v, f"{at}: not base64url")
    return from_base64(v.replace("-", "+").replace("_", "/") + "=" * (-len(v) % 4), at, 60_000)


COUNT, WHOLE, BELOW, FLAG = whole(1), whole(0), whole(-SAFE, 0), one_of(True)
SLUG = r"[a-z0-9]+(?:-[a-z0-9]+)*"
ID, HASH, WORD = pattern(SLUG, 40), pattern(r"[0-9a-f]{64}"), pattern(r"[A-Za-z0-9._/-]{1,128}")
POSITIVE, FROM_0, DELTA = real(lambda x: x > 0), real(lambda x: x >= 0), real(lambda x: 0 < x <= 1)
TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z")


def instant(v, at):
    try:
        need(type(v) is str and TIME.fullmatch(v) is not None, f"{at}: not a time in UTC with milliseconds")
        return datetime.datetime.fromisoformat(v[:-1] + "+00:00")
    except ValueError:
        raise Fault(f"{at}: no such time") from None


SECTION = {"cells": COUNT, "max": COUNT, "min?": BELOW, "touches?": COUNT, "root?": record({"run": COUNT, "exponent": WHOLE})}
GROUPS = listed(record({"entries": COUNT, "taken": COUNT}), 1)
QUERY = by_kind({
    "histogram": {
        "cells": COUNT, "touches": COUNT, "channels": listed(record({"min": BELOW, "max": WHOLE}), 1),
        "cellLimit?": COUNT, "sections?": listed(record(SECTION), 1), "divisible?": FLAG,
    },
    "vector": {"parts": COUNT, "length": COUNT, "limit": COUNT},
    "gram": {"parts": COUNT, "order": COUNT, "limit": COUNT},
    "product": {"rows": COUNT, "columns": COUNT, "limit": COUNT},
    "blocks": {
        "blocks": COUNT, "parts": COUNT, "deal": one_of("lot", "record"), "maxRows?": COUNT,
        "counts?": record({"cells": COUNT, "touches": COUNT}),
        "answer": by_kind({"length": {"entries": COUNT, "limit": COUNT}, "groups": {"max": COUNT, "groups": GROUPS}}),
    },
})  # fmt: skip
CLAIMED = record({"epsilon": FROM_0, "delta": FROM_0})
UNPROVED = {"unproved": record({"normBound": nullable(FROM_0), "sensitivity": nullable(FROM_0), "claimed": nullable(CLAIMED)})}
STAGE = {"id": ID, "broadcasts": listed(record({"name": WORD, "length": COUNT})), "mayBeSkipped?": FLAG}
SUM = {**STAGE, "ringBits": one_of(32, 64)}
NOISE = nullable(record({"shareVariance": POSITIVE, "sites": COUNT, "shares": COUNT}))
PROVED = by_kind({"sum": {**SUM, "query": QUERY, "scale": COUNT, "noise": NOISE}})
OPEN = by_kind({"sum": {**SUM, "length": COUNT, **UNPROVED}, "rows": {**STAGE, "columns": COUNT, **UNPROVED}, "tags": {**STAGE, **UNPROVED}})
PLAN = record({
    "format": one_of("consilium-plan/3"), "edition": COUNT, "accounting": one_of([], ["zcdp/1"], ["zcdp/1", "pld/1"]),
    "maxAttempts": COUNT, "masking": one_of("pairwise", "dealer"), "setup": listed(WORD, 0, 100), "delta": nullable(DELTA),
    "unit": by_kind({"record": {}, "patient": {"maxRows": COUNT, "weight": nullable(COUNT)}}),
    "stages": listed(lambda v, at: (PROVED if type(v) is dict and "query" in v else OPEN)(v, at), 1, 100_000),
})  # fmt: skip
ATTEMPT = record({"stage": ID, "attempt": whole(1, 1_000_000), "dropped": nullable(listed(ID, 0, 1024))})
STATEMENT = record({
    "format": one_of("consilium-statement/2"), "federation": record({"name": WORD, "root": HASH}),
    "study": record({"id": pattern(SLUG + r"-[0-9a-f]{10}", 80), "hash": HASH}), "plan": PLAN,
    "roster": listed(record({"id": ID, "signingKeyFingerprint": HASH}), 1, 1024), "rosterHash": HASH,
    "attempts": listed(ATTEMPT, 0, 100_000), "result": HASH, "broadcasts": HASH,
})  # fmt: skip
FILE_NAME = pattern(r"(?:(?:plots|sums)/)?[A-Za-z0-9][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)*", 100)
FILE = record({"name": FILE_NAME, "bytes": WHOLE, "sha256": HASH})
COUNTERSIGNATURE = record({
    "site": ID, "ledgerHead": record({"sequence": WHOLE, "hash": HASH}), "ledgerEntries": listed(HASH, 0, 10_000),
    "software": pattern(r"[0-9A-Za-z.+-]{1,64}"), "signature": from_base64,
})  # fmt: skip
CERTIFICATE = record({
    "format": one_of("consilium-certificate/3"), "release": text, "issuedAt": instant, "text": text, "statement": text,
    "chains": record({}, True), "countersignatures": listed(COUNTERSIGNATURE, 0, 1024), "missing": listed(ID, 0, 1024),
    "shown": record({
        "zcdp": nullable(record({"rho": FROM_0, "epsilon": FROM_0})),
        "exact": nullable(record({"accountant": one_of("pld/1"), "epsilon": FROM_0})),
    }),
    "files": listed(FILE, 1, 10_000), "renderings": listed(FILE, 0, 100),
})  # fmt: skip
BUDGET = record({"epsilon": POSITIVE, "delta": DELTA, "rho?": POSITIVE}, True)
STUDY = record({
    "name": text, "analysis": text, "method": text, "variant": one_of("paper", "sound"),
    "privacy": lambda v, at: None if v == "none" else BUDGET(v, at),
    "participation": record({"minimumSites": COUNT, "tolerateColluding": WHOLE, "sites?": listed(ID, 0, 1024)}, True),
    "patient?": record({"maxRows": COUNT, "weighting?": text}, True),
    "flow?": one_of(True),
    "release?": record({"sums?": one_of(True, False)}, True),
}, True)  # fmt: skip
COLUMN = record({"name": text, "type": one_of("number", "level"), "levels?": listed(text, 0, 65_536)}, True)
ROWS = nullable(record({"count": WHOLE, "sha256": HASH}))
RESULT = record({"format": one_of("consilium-result/1"), "columns": listed(COLUMN), "rows": ROWS}, True)
MEMBER = {"name": pattern(r"[^\x00-\x1f\x7f]{1,200}"), "signingKeyFingerprint": HASH, "from": instant, "until": nullable(instant)}
MEMBERS = record({
    "format": one_of("consilium-members/1"), "federation": ID, "root": HASH, "members": listed(record(MEMBER), 1, 10_000),
    "issuedAt?": instant, "signature?": pattern(r"[A-Za-z0-9_-]{1,120}"),
})  # fmt: skip

EXPELLED = record({"reason": pattern(r"[\s\S]{0,200}"), "revokedAt": WHOLE, "signingKeyFingerprint": HASH, "siteId": ID})
UNDATED = {"federation": ID, "revocations": listed(EXPELLED, 0, 2_000), "sequence": COUNT, "type": one_of("consilium-revocations-v1")}
REVOCATIONS = {
    "consilium-revocations-v1": record(UNDATED),
    "consilium-revocations-v2": record({**UNDATED, "type": text, "issuedAt": WHOLE, "nextUpdate": WHOLE}),
}


# ---- what a stage costs ---------------------------------------------------------------------------------------------------


def bounded(value, low, high):
    need(low <= value <= high, "a query's size or limit is out of its range")


@functools.lru_cache(None)
def root_squares(exponent):
    """Sums of C_0² … C_i² for i < 4096, C_i = binom(2i, i)/4^i·2^exponent, rounded, halves up."""
    sums, binomial, total = [], 1, 0
    for i in range(4096):
        if i > 0:
            binomial = binomial * (4 * i - 2) // i
        total += ((((binomial << (exponent + 1)) >> (2 * i)) + 1) >> 1) ** 2
        sums.append(total)
    return sums


def largest(one):
    return max(-one.get("min", 0), one["max"])


def check_sections(q):
    channel = q["channels"][0]
    exponent = next((s["root"]["exponent"] for s in q["sections"] if "root" in s), 0)
    bounded(exponent, 0, 24)
    unit, total = 2**exponent, 0
    for s in q["sections"]:
        least, touches = s.get("min", 0), s.get("touches", 1)
        bounded(s["cells"], 1, q["cells"])
        bounded(s["max"], 1, channel["max"])
        bounded(least, channel["min"], 0)
        bounded(touches, 1, s["cells"])
        if "root" in s:
            run = s["root"]["run"]
            bounded(run, 1, 4096)
            ok = s["root"]["exponent"] == exponent and s["cells"] % run == 0 and touches == 1 and least == 0
            squares = root_squares(exponent)[run - 1]
        else:
            ok, squares = s["max"] % unit == 0 and least % unit == 0, 1
        need(ok, "a section is not in the units of its query's roots, or a root is not its section's")
        total += touches * largest(s) ** 2 * squares
    touches = sum(s.get("touches", 1) for s in q["sections"])
    need(
        sum(s["cells"] for s in q["sections"]) == q["cells"] and touches == q["touches"] and len(q["channels"]) == 1,
        "sections are not their query's cells, touches or channel",
    )
    bounded(total, 1, SAFE)
    return float(total)


def square_up(n):
    """The least double that is at least n²."""
    x = float(n * n)
    return x if int(x) >= n * n else math.nextafter(x, math.inf)


def size_of(q):
    """Entries of a query's vector, and Δ² as a double. Refuses a query that no stage has."""
    kind = q["kind"]
    if kind == "histogram":
        for c in q["channels"]:
            bounded(c["min"], -ENTRY, 0)
            bounded(c["max"], 0, ENTRY)
        length = q["cells"] * len(q["channels"])
        if "sections" in q:
            square = check_sections(q)
        else:
            allowed = sum(float(largest(c)) * largest(c) for c in q["channels"])
            square = float(q["touches"]) * min(q.get("cellLimit", allowed), allowed)
    elif kind == "vector":
        length, square = q["parts"] * q["length"], float(q["limit"])
    elif kind == "gram":
        length, square = q["parts"] * q["order"] * (q["order"] + 1) // 2, square_up(q["limit"])
    elif kind == "product":
        length, square = q["rows"] * q["columns"], square_up(q["limit"])
    else:
        answer, blocks = q["answer"], q["blocks"] * q["parts"]
        bounded(blocks, 1, ENTRY - 1)
        need("counts" in q or "maxRows" in q, "a block keeps neither rows nor counts")
        if "counts" in q:
            bounded(blocks * q["counts"]["cells"], 1, VECTOR)
        if answer["kind"] == "length":
            entries, square = answer["entries"], 2.0 * answer["limit"]
        else:
            entries = sum(g["entries"] for g in answer["groups"])
            changed = sum(min(g["entries"], 2 * g["taken"]) for g in answer["groups"])
            square = float(changed) * (float(answer["max"]) * answer["max"])
        length = q["parts"] * entries
    bounded(length, 1, VECTOR)
    need(square > 0, "a record changes nothing of a query's vector")
    return length, square


@functools.lru_cache(4096)
def tau(sites, variance):
    c = -2 * math.pi**2 * variance
    return 10 * sum(map(math.exp, [c * k / (k + 1) for k in range(1, sites)]))


# The stage that counts a study's rows: each patient is one record of it.
FLOW = "flow"


def rho_of(stage, unit):
    """ρ of one attempt at a stage for one unit of privacy; infinite where nothing is proven."""
    if "query" not in stage:
        return math.inf
    q, scale, noise = stage["query"], stage["scale"], stage["noise"]
    length, square = size_of(q)
    need(scale & (scale - 1) == 0, "a scale is no power of two")
    if noise is None:
        return math.inf
    variance, sites, shares = float(noise["shareVariance"]), noise["sites"], noise["shares"]
    of_records = unit["kind"] == "record" or stage.get("id") == FLOW
    weight = None if of_records else unit["weight"]
    rows = 1 if of_records or weight is not None else unit["maxRows"]
    divisible = q.get("divisible") is True if q["kind"] == "histogram" else q["kind"] != "blocks"
    by = float(scale) * (1 if weight is None or divisible else weight)
    square *= by * by
    need(by == 1 or square <= SAFE, "a stage's integers are too large")
    need(shares <= sites <= 1024, "noise has more shares than there are sites, or more sites than a study has")
    diagonal = q["parts"] * q["order"] if q["kind"] == "gram" else length
    groups = [(n, w) for n, w in ((diagonal, 1), (length - diagonal, 2)) if n > 0]
    need(variance / (2 if q["kind"] == "gram" else 1) >= 0.25, "a share of noise is too small for a proof")
    taus = [(n, w, tau(sites, variance / w)) for n, w in groups]
    sums, squares = sum(n * t for n, _, t in taus), sum(n * t * t for n, _, t in taus)
    most = max(math.sqrt(w) * t for _, w, t in taus)
    total = shares * variance
    signal = square / total
    root = math.sqrt(signal) + math.sqrt(squares)
    own = min(signal / 2 + sums, (signal + 2 * square * most / math.sqrt(total) + squares) / 2, root * root / 2)
    return own * (float(rows) * rows)


def epsilon_at(rho, delta):
    """ε of ρ-zCDP at δ: the least over α = 1 + x of αρ + log(1 - 1/α) - log(αδ)/(α - 1)."""
    bits = -math.log(delta)
    low, high = 0.0, min(math.sqrt(bits / rho), math.expm1(min(bits, 700)))
    for _ in range(100):
        x = (low + high) / 2
        if x * x * rho + math.log1p(x) < bits:
            low = x
        else:
            high = x
    x = high
    found = (1 + x) * rho - math.log1p(1 / x) - (math.log1p(x) - bits) / x
    need(not math.isnan(found), "no epsilon follows from its rho")
    return max(0.0, found)


# ---- certificates of the federation --------------------------------------------------------------------------------------

KNOWN = {"SUBJECT_KEY_IDENTIFIER", "KEY_USAGE", "SUBJECT_ALTERNATIVE_NAME", "BASIC_CONSTRAINTS", "AUTHORITY_KEY_IDENTIFIER", "EXTENDED_KEY_USAGE"}
KNOWN = {getattr(ExtensionOID, name) for name in KNOWN}


def extension(cert, kind):
    try:
        return cert.extensions.get_extension_for_class(kind).value
    except x509.ExtensionNotFound:
        return None


def uris_of(cert):
    names = extension(cert, x509.SubjectAlternativeName)
    return [] if names is None else names.get_values_for_type(x509.UniformResourceIdentifier)


def parse(der, what):
    try:
        need(len(der) <= 8192, f"{what}: exceeds 8192 bytes")
        return x509.load_der_x509_certificate(der)
    except ValueError:
        raise Fault(f"{what}: not an X.509 certificate") from None


def check_form(cert, issuer, what, depth):
    """Signed by its issuer, and made for its place. depth: of the certificates below it; None for a leaf."""
    keys = cert.public_key(), issuer.public_key()
    need(all(isinstance(one, ec.EllipticCurvePublicKey) and isinstance(one.curve, ec.SECP256R1) for one in keys), f"{what}: no key on P-256")
    wanted, found = extension(cert, x509.AuthorityKeyIdentifier), extension(issuer, x509.SubjectKeyIdentifier)
    same = wanted is None or found is None or wanted.key_identifier in (None, found.digest)
    need(same and cert.issuer.public_bytes() == issuer.subject.public_bytes(), f"{what}: names another issuer")
    try:
        keys[1].verify(cert.signature, cert.tbs_certificate_bytes, ec.ECDSA(cert.signature_hash_algorithm))
    except InvalidSignature:
        raise Fault(f"{what}: not signed by its issuer") from None
    need(all(not one.critical or one.oid in KNOWN for one in cert.extensions), f"{what}: an unknown critical extension")
    basic, usage, extended = (extension(cert, kind) for kind in (x509.BasicConstraints, x509.KeyUsage, x509.ExtendedKeyUsage))
    need(basic is not None and basic.ca == (depth is not None) and basic.path_length == depth, f"{what}: basic constraints")
    need(usage is not None and (usage.digital_signature if depth is None else usage.key_cert_sign), f"{what}: key usage")
    need(depth is not None or (extended is not None and ExtendedKeyUsageOID.CLIENT_AUTH in extended), f"{what}: extended key usage")


class Authority:
    """The one root that is trusted."""

    def __init__(self, pem):
        self.cert = x509.load_pem_x509_certificate(pem if isinstance(pem, bytes) else pem.encode())
        check_form(self.cert, self.cert, "root certificate", 1)
        names = uris_of(self.cert)
        found = re.fullmatch(rf"consilium:({SLUG})/authority/root", names[0]) if len(names) == 1 else None
        need(found is not None and len(found[1]) <= 40, "root certificate: names no federation")
        self.federation, self.issuers = found[1], {}
        spki = serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
        self.hash = sha256(self.cert.public_key().public_bytes(*spki))

    def issuer(self, der, what):
        if der not in self.issuers:
            cert = parse(der, what)
            check_form(cert, self.cert, what, 0)
            need(uris_of(cert) == [f"consilium:{self.federation}/authority/issuer"], f"{what}: of another federation")
            self.issuers[der] = cert
        return self.issuers[der]

    def identify(self, chain, role, at, what, ended=False):
        """Id and key of a leaf that was valid at a time; with `ended`, at that time or at some time before."""
        issuing, leaf = self.issuer(chain[1], f"{what}, issuing certificate"), parse(chain[0], what)
        check_form(leaf, issuing, what, None)
        names, keys = ([uri for uri in uris_of(leaf) if uri.startswith(scheme)] for scheme in ("consilium:", "consilium-signing-key:"))
        need(len(names) == len(keys) == 1, f"{what}: names not one identity and one key")
        found = re.fullmatch(rf"consilium:{self.federation}/{role}/({SLUG})", names[0])
        need(found is not None and len(found[1]) <= 40, f"{what}: not of this federation's {role}s")
        key = from_base64url(keys[0].partition(":")[2], what)
        at = min(at, leaf.not_valid_after_utc, issuing.not_valid_after_utc) if ended else at
        for cert in (self.cert, issuing, leaf):
            need(cert.not_valid_before_utc <= at <= cert.not_valid_after_utc, f"{what}: not valid then")
        return found[1], key


def check_signature(key, message, signature, what):
    try:
        need(len(key) == 32, f"{what}: a signing key has 32 bytes")
        Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
    except InvalidSignature:
        raise Fault(f"{what}: the signature does not fit") from None


# ---- the statement ----------------------------------------------------------------------------------------------------------


def threshold_of(sites, study):
    colluding, least = study["participation"]["tolerateColluding"], study["participation"]["minimumSites"]
    return max(2 * sites // 3 + 1, (sites + colluding) // 2 + 1, least)


def check_study(plan, ids, study, proven):
    """The plan is that of the text, and its noise is of shares that every sum has and nobody who colludes knows."""
    budget, participation, patient = study["privacy"], study["participation"], study.get("patient")
    need(all(a < b for a, b in zip(ids, ids[1:])), "statement.roster: not in order of ids, each once")
    need(len(ids) >= participation["minimumSites"], "statement.roster: fewer sites than the study's least")
    need("sites" not in participation or set(ids) <= set(participation["sites"]), "statement.roster: a site that was not invited")
    need(plan["delta"] == (None if budget == "none" else budget["delta"]), "statement.plan.delta: not the text's")
    need(not proven or plan["delta"] <= 1e-3, "statement.plan.delta: too large for a proof")
    need(bool(plan["accounting"]) == proven, "statement.plan.accounting: not that of the variant")
    unit = plan["unit"]
    if unit["kind"] == "record":
        need(patient is None, "statement.plan.unit: not the text's")
    else:
        weighs = patient is not None and patient.get("weighting") == "patients" and patient["maxRows"] > 1
        same = patient is not None and patient["maxRows"] == unit["maxRows"] and weighs == (unit["weight"] is not None)
        need(same, "statement.plan.unit: not the text's")
    names = [stage["id"] for stage in plan["stages"]]
    need(len(set(names)) == len(names), "statement.plan.stages: a stage twice")
    need((FLOW in names) == ("flow" in study), "statement.plan.stages: the flow of rows otherwise than the text")
    if proven:
        shares = threshold_of(len(ids), study) - participation["tolerateColluding"]
        need(plan["masking"] == "pairwise", "statement.plan.masking: not that of a proof")
        for stage in plan["stages"]:
            noise = stage.get("noise")
            need(noise is not None, f"stage {stage['id']}: proves nothing")
            need(noise["shares"] <= shares and noise["sites"] >= len(ids), f"stage {stage['id']}: noise of shares that not every sum has")


def check_attempts(plan, attempts, ids, threshold):
    """How often each stage was attempted: in the plan's order, each but the last given up."""
    place, times, at = {one: index for index, one in enumerate(ids)}, {}, 0
    for stage in plan["stages"]:
        done, last, first = False, 0, at
        while at < len(attempts) and attempts[at]["stage"] == stage["id"]:
            attempt, dropped = attempts[at]["attempt"], attempts[at]["dropped"]
            need(not done and attempt > last and at - first < plan["maxAttempts"], f"statement.attempts.{at}: out of order, or one too many")
            if dropped is not None:
                places = [place.get(one, -1) for one in dropped]
                need(all(a < b for a, b in zip([-1] + places, places)), f"statement.attempts.{at}: not sites of the roster in order")
                need(len(ids) - len(dropped) >= threshold, f"statement.attempts.{at}: fewer sites than a sum needs")
            done, last, at = dropped is not None, attempt, at + 1
        need(done or (at == first and "mayBeSkipped" in stage), f"stage {stage['id']}: no attempt succeeded")
        times[stage["id"]] = at - first
    need(at == len(attempts), f"statement.attempts.{at}: of no stage, or not in its place")
    return times


def check_cost(plan, times, shown, proven):
    """The shown figures are no less than what the stages come to; a stage that was skipped counts once."""
    own = [rho_of(stage, plan["unit"]) for stage in plan["stages"]]
    if not proven:
        return need(shown["zcdp"] is None and shown["exact"] is None, "shown: more than what the plan proves")
    rho = sum(one * max(1, times[stage["id"]]) for one, stage in zip(own, plan["stages"]))
    need(shown["zcdp"] is not None and 0 < rho and shown["zcdp"]["rho"] >= rho * (1 - SLACK), "shown.zcdp.rho: less than the stages come to")
    need(shown["zcdp"]["epsilon"] >= epsilon_at(rho, plan["delta"]) * (1 - SLACK), "shown.zcdp.epsilon: less than the stages come to")
    if shown["exact"] is not None:
        kinds = [(stage["query"]["kind"], stage["query"].get("answer", {}).get("kind")) for stage in plan["stages"]]
        pairs = all(kind in (("histogram", None), ("blocks", "groups")) for kind in kinds) and plan["unit"].get("maxRows", 1) == 1
        need(pairs and "pld/1" in plan["accounting"] and max(times.values()) <= 1, "shown.exact: not proven for this plan")


def verify_certificate(raw, jws, root_pem):
    """What certificate.json and certificate.jws say, verified under the root; raises Fault."""
    root = root_pem if isinstance(root_pem, Authority) else Authority(root_pem)
    need(len(raw) <= 8 * 1024 * 1024 and len(jws) <= 40_000, "certificate.json or certificate.jws: too large")
    cert = canonical(raw, "certificate.json")
    CERTIFICATE(cert, "certificate")
    need(len(cert["statement"].encode("utf-16-le")) // 2 <= 1_500_000, "statement: longer than any that is signed")
    stated, study = canonical(cert["statement"], "statement"), canonical(cert["text"], "text")
    STATEMENT(stated, "statement")
    STUDY(study, "text")
    need(sha256(cert["text"]) == stated["study"]["hash"] and stated["study"]["id"] == cert["release"], "text or release: not the study's")
    issued = instant(cert["issuedAt"], "issuedAt")

    header, _, rest = jws.decode("latin-1").partition(".")
    need(rest.startswith(".") and rest.count(".") == 1, "certificate.jws: not a signature with detached content")
    head = canonical(from_base64url(header, "certificate.jws"), "certificate.jws")
    record({"alg": one_of("EdDSA"), "typ": one_of("consilium-certificate"), "x5c": listed(text, 2, 2)})(head, "certificate.jws")
    _, key = root.identify([from_base64(der, "x5c", 40_000) for der in head["x5c"]], "aggregator", issued, "certificate.jws")
    message = header.encode() + b"." + base64.urlsafe_b64encode(raw).rstrip(b"=")
    check_signature(key, message, from_base64url(rest[1:], "certificate.jws"), "certificate.jws")
    need(stated["federation"] == {"name": root.federation, "root": root.hash}, "statement.federation: another than the root's")

    plan, ids = stated["plan"], [one["id"] for one in stated["roster"]]
    proven = study["privacy"] != "none" and study["variant"] == "sound"
    check_study(plan, ids, study, proven)
    need(proven or study.get("release", {}).get("sums") is not True, "text.release.sums: true, and nothing is proven")
    threshold = len(ids) if plan["masking"] == "dealer" else threshold_of(len(ids), study)
    times = check_attempts(plan, stated["attempts"], ids, threshold)
    check_cost(plan, times, cert["shown"], proven)

    need(sorted(cert["chains"]) == ids, "chains: not those of the roster")
    keys = {}
    for one in stated["roster"]:
        chain, what = cert["chains"][one["id"]], f"site {one['id']}"
        listed(text, 2, 2)(chain, f"chains.{one['id']}")
        found, keys[one["id"]] = root.identify([from_base64(der, what) for der in chain], "site", issued, what, True)
        need(found == one["id"] and sha256(keys[found]) == one["signingKeyFingerprint"], f"{what}: its certificate is another's")
    signers = [one["site"] for one in cert["countersignatures"]]
    there = set(signers)
    need(signers == [one for one in ids if one in there], "countersignatures: not of sites of the roster, in its order, each once")
    need(cert["missing"] == [one for one in ids if one not in there], "missing: not who did not countersign")
    hashed = sha256("consilium statement v2\n", cert["statement"])
    for one in cert["countersignatures"]:
        line = f"{one['ledgerHead']['sequence']} {one['ledgerHead']['hash']}"
        lines = ["consilium countersignature v2", cert["release"], one["site"], hashed, line, *one["ledgerEntries"], one["software"]]
        check_signature(keys[one["site"]], "\n".join(lines).encode(), from_base64(one["signature"], "signature", 88), f"site {one['site']}")
    need(len(signers) >= threshold, "countersignatures: fewer than are needed")

    names = [one["name"] for one in cert["files"] + cert["renderings"]]
    need(len(set(names)) == len(names) and not BESIDES & set(names), "files: one twice, or the certificate itself")
    bound, sums = {one["name"]: one for one in cert["files"]}, sums_of(study, stated)
    expected = {"result.json", *({} if sums is None else {"draws.json", *sums})}
    need(expected <= bound.keys() <= expected | {"data.csv"}, "files: not those that the sites' statement binds")
    need(all(bound[name]["bytes"] == one["bytes"] for name, one in (sums or {}).items()), "sums: not as long as their queries")
    need(not any(one["name"] in ("data.csv", "draws.json") or one["name"].startswith("sums/") for one in cert["renderings"]), "renderings: one is bound by the result")
    need(bound["result.json"]["sha256"] == stated["result"], "result.json: its SHA-256 is not what the sites signed")
    return {"certificate": cert, "stated": stated, "study": study, "proved": proven, "threshold": threshold, "issued": issued, "root": root}


def sums_of(study, stated):
    """Files of sums by name: of every stage the attempt that succeeded, with its bytes. None where the study publishes none."""
    if study.get("release", {}).get("sums") is not True:
        return None
    found, stages = {}, {stage["id"]: stage for stage in stated["plan"]["stages"]}
    for one in stated["attempts"]:
        if one["dropped"] is not None:
            stage = stages[one["stage"]]
            size = size_of(stage["query"])[0] * stage["ringBits"] // 8
            found[f"sums/{one['stage']}-{one['attempt']}.bin"] = {"stage": one["stage"], "attempt": one["attempt"], "bytes": size}
    return found


# ---- files, rows and members ------------------------------------------------------------------------------------------------


def digest_of(path):
    size, found = 0, hashlib.sha256()
    with open(path, "rb") as file:
        while part := file.read(1 << 20):
            size += len(part)
            found.update(part)
    return size, found.hexdigest()


def files_of(folder):
    names = []
    for entry in os.scandir(folder):
        if entry.name in ("plots", "sums") and entry.is_dir(follow_symlinks=False):
            inside = list(os.scandir(entry.path))
            need(inside, f"{entry.name}: empty")
            found = [(f"{entry.name}/{one.name}", one) for one in inside]
        else:
            found = [(entry.name, entry)]
        for name, one in found:
            need(one.is_file(follow_symlinks=False), "the folder holds what is no regular file")
            FILE_NAME(name, "a file's name")
            names.append(name)
    return set(names)


SPACE = "\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
QUOTED = re.compile(f'[",\r\n]|^[{SPACE}]|[{SPACE}]$|^$')
FIELD = re.compile(r'(?:^|,)("(?:[^"]|"")*"|[^,"]*)')


def field_of(value):
    return '"' + value.replace('"', '""') + '"' if QUOTED.search(value) else value


def number_bytes(field):
    value = float(field or "nan")
    need(field in ("", "-0.0") or (math.isfinite(value) and spelled(value) == field), "data.csv: a number in another spelling")
    return struct.pack("<d", value)


def rows_of(path, columns):
    """Number of the file's rows, and SHA-256 of them as deposited."""
    packers, found, count, whole_row = [], hashlib.sha256(), -1, ""
    for column in columns:
        levels = {field_of(level): struct.pack("<H", index) for index, level in enumerate(column.get("levels", []))}
        packers.append(number_bytes if column["type"] == "number" else levels.__getitem__)
    with open(path, encoding="utf-8", newline="\n") as file:
        for line in file:
            whole_row += line
            need(len(whole_row) <= 1 << 24, "data.csv: a row is too long")
            if whole_row.count('"') % 2 or not whole_row.endswith("\r\n"):
                continue
            row, whole_row, count = whole_row[:-2], "", count + 1
            fields = row.split(",") if '"' not in row else FIELD.findall(row)
            need(len(fields) == len(columns) and ",".join(fields) == row, "data.csv: a row has other fields than the columns")
            if count == 0:
                need(fields == [field_of(column["name"]) for column in columns], "data.csv: its header is not the result's columns")
                continue
            try:
                found.update(b"".join(pack(field) for pack, field in zip(packers, fields)))
            except (KeyError, ValueError):
                raise Fault("data.csv: a field that its column does not have") from None
    need(count >= 0 and whole_row == "", "data.csv: ends within a row")
    return count, found.hexdigest()


def verify_files(folder, verified):
    cert = verified["certificate"]
    listed_files = {one["name"]: one for one in cert["files"] + cert["renderings"]}
    present = files_of(folder) - BESIDES
    need(present == listed_files.keys(), "the folder's files are not those of the certificate")
    for name, one in listed_files.items():
        need(digest_of(os.path.join(folder, name)) == (one["bytes"], one["sha256"]), f"{name}: not the file that the certificate lists")
    result = canonical(read(os.path.join(folder, "result.json"), 256 * 1024 * 1024), "result.json")
    RESULT(result, "result.json")
    need(all(len(set(one.get("levels", []))) == len(one.get("levels", [])) for one in result["columns"]), "result.json: a level twice")
    rows, sums = result["rows"], sums_of(verified["study"], verified["stated"])
    if sums is not None:
        sums = [{**one, "sha256": listed_files[name]["sha256"]} for name, one in sums.items()]
    expected = [sums, listed_files.get("draws.json", {}).get("sha256")]
    # As texts: to Python True is 1.
    found = [json.dumps(one, sort_keys=True) for one in ([result.get("sums"), result.get("draws")], expected)]
    need(found[0] == found[1], "result.json: its sums or draws are not the files that are listed")
    need((rows is not None) == ("data.csv" in listed_files), "data.csv: listed without rows, or rows without it")
    if rows is not None:
        found = rows_of(os.path.join(folder, "data.csv"), result["columns"])
        need(found == (rows["count"], rows["sha256"]), "data.csv: its rows are not those of the result that the sites signed")


def verify_members(raw, found):
    """The names of who signed by a list of members, and whose word the list is."""
    # A list may be laid out for people: blanks between its texts mean nothing.
    text_of = re.sub(STRING.pattern + r"|[ \t\n\r]+", lambda m: m[0] if m[0][0] == '"' else "", raw.decode(), flags=re.DOTALL)
    given = canonical(text_of, "members")
    MEMBERS(given, "members")
    root, at, stated = found["root"], found["issued"], found["stated"]
    if "signature" in given:
        signature = from_base64url(given["signature"], "members.signature")
        signed = text_of.replace(f',"signature":"{given["signature"]}"', "", 1)
        try:
            root.cert.public_key().verify(signature, signed.encode(), ec.ECDSA(hashes.SHA256()))
        except InvalidSignature:
            raise Fault("members: the signature is not the root's") from None
    need((given["federation"], given["root"]) == (root.federation, root.hash), "members: of another federation")
    names = {}
    for one in given["members"]:
        if instant(one["from"], "from") <= at and (one["until"] is None or at <= instant(one["until"], "until")):
            names[one["signingKeyFingerprint"]] = one["name"]
    known = {one["id"]: names[one["signingKeyFingerprint"]] for one in stated["roster"] if one["signingKeyFingerprint"] in names}
    signers = [known[one["site"]] for one in found["certificate"]["countersignatures"] if one["site"] in known]
    for what, count in (("the roster", len(known)), ("those who countersigned", len(signers))):
        need(count >= found["threshold"], f"members: {count} of {what} are members, {found['threshold']} are needed")
    of = f" of {given['issuedAt']}" if "issuedAt" in given else ""
    word = f"the federation's, signed by its root{of}" if "signature" in given else f"not signed{of}: the word of the one who wrote it"
    return {"sites": signers, "list": word}


def expelled_signers(raw, found):
    """Who of those that signed is on a list of expelled sites, signed by the root, and since when."""
    need(len(raw) <= 1 << 20, "revocations: too large")
    first, _, rest = raw.decode().partition("\n")
    need(re.fullmatch(r"[A-Za-z0-9_-]{1,120}\n", rest) is not None, "revocations: not a signed list")
    try:
        found["root"].cert.public_key().verify(from_base64url(rest[:-1], "revocations"), first.encode(), ec.ECDSA(hashes.SHA256()))
    except InvalidSignature:
        raise Fault("revocations: the signature is not the root's") from None
    given = canonical(first, "revocations")
    need(type(given) is dict and given.get("type") in REVOCATIONS, "revocations: not a signed list")
    REVOCATIONS[given["type"]](given, "revocations")
    order = [one["signingKeyFingerprint"] for one in given["revocations"]]
    need(order == sorted(order) and given.get("issuedAt", 0) < given.get("nextUpdate", 1), "revocations: not as it is signed")
    need(given["federation"] == found["root"].federation, "revocations: of another federation")
    since = {one["signingKeyFingerprint"]: one["revokedAt"] for one in given["revocations"]}
    keys = {one["id"]: one["signingKeyFingerprint"] for one in found["stated"]["roster"]}
    signers = {one["site"] for one in found["certificate"]["countersignatures"]}
    return {site: since[key] for site, key in keys.items() if site in signers and key in since}


def read(path, limit):
    with open(path, "rb") as file:
        data = file.read(limit + 1)
    need(len(data) <= limit, f"{os.path.basename(path)}: exceeds its limit")
    return data


def accepted(found):
    cert, plan, budget = found["certificate"], found["stated"]["plan"], found["study"]["privacy"]
    shown, ids = cert["shown"]["zcdp"] or {"rho": None, "epsilon": None}, [one["id"] for one in found["stated"]["roster"]]
    claim = "proved" if found["proved"] else "no privacy" if budget == "none" else "claimed by the authors, not verified"
    return {
        "verdict": "accepted", "sites": "the aggregator's word", "release": cert["release"], "federation": found["root"].federation,
        "issuedAt": cert["issuedAt"], "privacy": claim, **shown, "delta": plan["delta"], "unit": plan["unit"],
        "exact": None if cert["shown"]["exact"] is None else "not verified",
        "roster": ids, "countersigned": len(cert["countersignatures"]), "needed": found["threshold"], "missing": cert["missing"],
    }  # fmt: skip


def verdict_of(work):
    """work's answer; whatever goes wrong in it is a verdict."""
    try:
        return work()
    except Fault as fault:
        return {"verdict": f"refused: {fault}"}
    except Exception as fault:
        return {"verdict": f"refused: {type(fault).__name__}"}


def verify(folder, root_pem, members=None, revocations=None):
    """Verifies a release's folder.

    root_pem: the federation's root certificate; members, revocations: bytes of a list of members, of the
    list of expelled sites, or None.
    Returns a dict; its `verdict` is "accepted", or "refused: " and why.
    """

    def work():
        raw, jws = (read(os.path.join(folder, name), limit) for name, limit in (("certificate.json", 1 << 23), ("certificate.jws", 40_000)))
        found = verify_certificate(raw, jws, root_pem)
        verify_files(folder, found)
        out = accepted(found)
        if members is not None:
            out.update(verify_members(members, found))
        return out if revocations is None else {**out, "expelled": expelled_signers(revocations, found)}

    return verdict_of(work)


def main():
    parser = argparse.ArgumentParser(prog="consilium.verify", description="Verifies a Consilium release offline.")
    parser.add_argument("folder")
    parser.add_argument("--authority", required=True, metavar="root.pem", help="the federation's root certificate, from a source you trust")
    parser.add_argument("--members", metavar="members.json", help="the hospitals that you know to be members")
    parser.add_argument("--revocations", metavar="revocations", help="the federation's list of expelled sites: say who of those that signed is on it")
    given = parser.parse_args()
    members, revocations = (None if path is None else read(path, 1 << 23) for path in (given.members, given.revocations))
    found = verify(given.folder, read(given.authority, 1 << 16), members, revocations)
    names = found.pop("sites", None)
    if names is not None:
        print("sites:", names if isinstance(names, str) else f"{len(names)} members: {', '.join(names)}")
    for name, value in found.items():
        print(f"{name}: {value if isinstance(value, str) else json.dumps(value)}")
    sys.exit(0 if found["verdict"] == "accepted" else 1)


if __name__ == "__main__":
    main()
