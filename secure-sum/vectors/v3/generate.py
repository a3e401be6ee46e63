"""Writes pairwise-sum.json: the pairwise secure sum of SPEC.md, computed by other means than ours.

Ed25519, X25519, HKDF and AES come from Python's `cryptography` (written with version 48.0.0), ML-KEM-768 from
`kyber-py` (written with version 1.2.0); secret sharing and the cycle's order are written out below from their
definitions. Every random byte is SHA-256 of a text, in the order in which a site draws it. Run from anywhere:
python3 generate.py > pairwise-sum.json
"""

import hashlib
import json

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from kyber_py.ml_kem import ML_KEM_768

RAW = serialization.Encoding.Raw, serialization.PublicFormat.Raw


def sha(*parts):
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.encode() if isinstance(part, str) else part)
    return digest.digest()


def hkdf(secret, info, length=32):
    return HKDF(hashes.SHA256(), length, salt=None, info=info.encode()).derive(secret)


def agree(private, public):
    return X25519PrivateKey.from_private_bytes(private).exchange(X25519PublicKey.from_public_bytes(public))


def public_of(private):
    return X25519PrivateKey.from_private_bytes(private).public_key().public_bytes(*RAW)


class Exchange:
    """An exchange key: all of it from one secret."""

    def __init__(self, secret):
        self.secret = secret
        self.x25519 = hkdf(secret, "consilium exchange x25519 v1")
        seed = hkdf(secret, "consilium exchange ml-kem v1", 64)
        self.kem, self.private = ML_KEM_768._keygen_internal(seed[:32], seed[32:])
        self.public = public_of(self.x25519) + self.kem

    def agree(self, other):
        return agree(self.x25519, other[:32])

    def encapsulate(self, other):
        coins = hkdf(self.secret, f"consilium exchange coins v1\n{sha(other).hex()}")
        secret, ciphertext = ML_KEM_768._encaps_internal(other[32:], coins)
        return ciphertext, bound(secret, ciphertext)

    def decapsulate(self, ciphertext):
        return bound(ML_KEM_768.decaps(self.private, ciphertext), ciphertext)


def bound(secret, ciphertext):
    return hkdf(secret, f"consilium exchange secret v1\n{sha(ciphertext).hex()}")


def keystream(key, count):
    return Cipher(algorithms.AES256(key), modes.CTR(bytes(16))).encryptor().update(bytes(count))


def times(a, b):
    """The product in GF(2^8) with x^8 + x^4 + x^3 + x + 1."""
    product = 0
    while b:
        if b & 1:
            product ^= a
        a <<= 1
        if a & 0x100:
            a ^= 0x11B
        b >>= 1
    return product


def share_at(secret, coefficients, x):
    """The value at x of the polynomial of each byte: secret + c1·x + c2·x² + …"""
    value = bytearray(secret)
    power = 1
    for coefficient in coefficients:
        power = times(power, x)
        for i, byte in enumerate(coefficient):
            value[i] ^= times(byte, power)
    return bytes(value)


class Draws:
    """What a site draws, in order, and how much each time."""

    def __init__(self, name):
        self.name, self.drawn = name, []

    def bytes(self, count):
        name = f"{self.name} draw {len(self.drawn)}"
        drawn = (sha(name) + sha(f"{name}, on"))[:count]
        self.drawn.append(drawn)
        return drawn


def run(count, threshold, bits, length, survivors):
    names = [f"site-{i}" for i in range(count)]
    study_id, study_hash = "vectors-0123456789", "a" * 64
    signing = {n: Ed25519PrivateKey.from_private_bytes(sha(f"{n} signing")) for n in names}
    exchange = {n: Exchange(sha(f"{n} exchange")) for n in names}
    roster_lines = [
        f"{n} {signing[n].public_key().public_bytes(*RAW).hex()} {exchange[n].public.hex()}" for n in names
    ]
    roster_hash = sha(f"consilium roster v2\n{study_id}\n{study_hash}\n", "\n".join(roster_lines)).hex()
    stage, attempt, broadcasts = "moments", 2, "b" * 64
    place = "\n".join(
        [
            study_id,
            study_hash,
            roster_hash,
            stage,
            str(attempt),
            f"ring {bits} length {length}",
            f"sites {count} threshold {threshold} share-threshold {threshold}",
            "complete",
        ]
    )

    draws = {n: Draws(f"{n} {bits}") for n in names}
    mask_secret = {n: draws[n].bytes(32) for n in names}
    seal_private = {n: draws[n].bytes(32) for n in names}
    mask_key = {n: Exchange(mask_secret[n]) for n in names}
    line = {n: f"{n} {sha(mask_key[n].public).hex()} {public_of(seal_private[n]).hex()}" for n in names}
    keys_signature = {n: signing[n].sign(f"consilium sum keys v2\n{place}\n{line[n]}".encode()) for n in names}
    keys_hash = sha(f"consilium sum key list v2\n{place}\n", "\n".join(line[n] for n in names)).hex()

    seed, shares, envelopes, commitment, ciphertexts, shares_signature = {}, {}, {}, {}, {}, {}
    to_mask, sharing = {}, []
    for owner in names:
        draw = draws[owner]
        seed[owner] = draw.bytes(32)
        coefficients = [draw.bytes(64) for _ in range(threshold - 1)]
        both = seed[owner] + mask_secret[owner]
        shares[owner] = {holder: share_at(both, coefficients, i + 1) for i, holder in enumerate(names)}
        envelopes[owner], digests = {}, []
        for to in names:
            if to == owner:
                continue
            context = f"sum shares\n{keys_hash}\n{owner}\n{to}"
            sealed_to, secret = exchange[owner].encapsulate(exchange[to].public)
            agreed = agree(seal_private[owner], public_of(seal_private[to]))
            key = hkdf(agreed + secret, f"consilium seal v2\n{context}")
            nonce = draw.bytes(12)
            sealed = sealed_to + nonce + AESGCM(key).encrypt(nonce, shares[owner][to], context.encode())
            if owner < to:
                ciphertext, _ = to_mask[owner, to] = mask_key[owner].encapsulate(mask_key[to].public)
                digests.append(sha(f"consilium sum ciphertext v1\n{to}\n", ciphertext)[:16])
                sealed = ciphertext + sealed
            envelopes[owner][to] = sealed
        ciphertexts[owner] = b"".join(digests)
        ciphertexts_hash = sha("consilium sum ciphertexts v1\n", ciphertexts[owner]).hex()
        commitment[owner] = sha(f"consilium self mask commitment v1\n{place}\n{owner}\n", seed[owner])
        committed = f"{owner} {commitment[owner].hex()} {ciphertexts_hash}"
        sharing.append(committed)
        message = f"consilium sum shares v2\n{keys_hash}\n{committed}"
        shares_signature[owner] = signing[owner].sign(message.encode())

    transcript = sha(f"consilium sum transcript v2\n{place}\n{keys_hash}\n{broadcasts}\n", "\n".join(sharing)).hex()

    def mask(own):
        """The total mask of a site, entry by entry."""
        width = bits // 8
        total = [0] * length
        terms = [(1, hkdf(seed[own], f"consilium self mask v1\n{transcript}\n{own}"))]
        for other in names:
            if other == own:
                continue
            low, high = sorted([own, other])
            info = f"consilium pairwise mask v2\n{transcript}\n{low}\n{high}"
            ciphertext, secret = to_mask[low, high]
            assert mask_key[high].decapsulate(ciphertext) == secret
            key = hkdf(mask_key[own].agree(mask_key[other].public) + secret, info)
            terms.append((1 if own == low else -1, key))
        for sign, key in terms:
            stream = keystream(key, length * width)
            for i in range(length):
                word = int.from_bytes(stream[i * width : (i + 1) * width], "little")
                total[i] = (total[i] + sign * word) % 2**bits
        return total

    survivors_text = "\n".join(survivors)
    survivors_message = f"consilium sum survivors v1\n{transcript}\n{survivors_text}".encode()
    sites = [
        {
            "site": n,
            "signingSeed": sha(f"{n} signing").hex(),
            "exchangeSecret": sha(f"{n} exchange").hex(),
            "exchangeKey": exchange[n].public.hex(),
            "draws": [drawn.hex() for drawn in draws[n].drawn],
            "maskKey": mask_key[n].public.hex(),
            "sealKey": public_of(seal_private[n]).hex(),
            "keysSignature": keys_signature[n].hex(),
            "selfMaskCommitment": commitment[n].hex(),
            "ciphertexts": ciphertexts[n].hex(),
            "sharesSignature": shares_signature[n].hex(),
            "envelopes": {to: sealed.hex() for to, sealed in envelopes[n].items()},
            "transcriptSignature": signing[n].sign(f"consilium sum masked v1\n{transcript}\n{n}".encode()).hex(),
            "mask": [str(word) for word in mask(n)],
            "survivorsSignature": signing[n].sign(survivors_message).hex() if n in survivors else None,
            "revealed": [
                {
                    "of": owner,
                    "secret": "self-mask" if owner in survivors else "mask-key",
                    "share": (shares[owner][n][:32] if owner in survivors else shares[owner][n][32:]).hex(),
                }
                for owner in names
            ]
            if n in survivors
            else None,
        }
        for n in names
    ]
    return {
        "studyId": study_id,
        "studyHash": study_hash,
        "rosterHash": roster_hash,
        "stage": stage,
        "attempt": attempt,
        "ringBits": bits,
        "length": length,
        "minimumSites": 3,
        "tolerateColluding": 1,
        "threshold": threshold,
        "broadcastsHash": broadcasts,
        "keysHash": keys_hash,
        "transcriptHash": transcript,
        "survivors": survivors,
        "sites": sites,
    }


def cycle(count, seed):
    """Fisher-Yates over SHA-256 in counter mode, words of 32 bits, big-endian."""

    def words():
        counter = 0
        while True:
            block = sha(f"consilium sum cycle v1\n{seed}\n{counter}")
            yield from (int.from_bytes(block[i : i + 4], "big") for i in range(0, 32, 4))
            counter += 1

    source = words()
    order = [f"site-{i:03d}" for i in range(count)]
    for i in range(count - 1, 0, -1):
        bound = i + 1
        limit = 2**32 - 2**32 % bound
        word = next(word for word in source if word < limit)
        j = word % bound
        order[i], order[j] = order[j], order[i]
    return {"seed": seed, "order": order}


print(
    json.dumps(
        {
            "runs": [
                run(4, 3, 32, 5, ["site-0", "site-2", "site-3"]),
                run(5, 4, 64, 3, ["site-0", "site-1", "site-3", "site-4"]),
            ],
            "cycles": [cycle(40, "0" * 64), cycle(200, "f" * 64)],
        },
        indent=2,
    )
)
