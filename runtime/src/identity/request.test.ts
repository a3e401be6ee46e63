import { generateKeyPairSync, sign } from "node:crypto";
import { parseSiteId } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import { inEnglish } from "@consilium/core/testing/inEnglish";
import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import { ecdsaP256 } from "./cryptoKeys.js";
import { type CertificateRequest, createRequest } from "./request.js";
import { verifyRequest } from "./verifyRequest.js";
import { ed25519Raw, x509 } from "./x509.js";

const id = unwrap(parseSiteId("clinic-1"));
const tlsKey = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
const signingKey = generateKeyPairSync("ed25519").privateKey;
let request: CertificateRequest;
beforeAll(async () => {
  request = await createRequest({ id, tlsKey, signingKey });
});

async function refusal(changed: CertificateRequest, as = id): Promise<string> {
  const result = await verifyRequest(changed, as);
  expect(result.ok ? "ok" : result.error.code).toBe("FIELD_INVALID");
  return result.ok ? "" : inEnglish(result.error).message;
}

it("proves both keys, and yields the TLS key to certify", async () => {
  const key = unwrap(await verifyRequest(request, id));
  expect(key.type).toBe("public");
  expect(request.signingKey).toEqual(ed25519Raw(signingKey));
  expect(request.csrDer.length).toBeLessThan(400);
});

it("refuses a request for another identity", async () => {
  expect(await refusal(request, unwrap(parseSiteId("clinic-2")))).toContain("subject");
});

it("refuses a signing key that its sender does not hold", async () => {
  const stranger = generateKeyPairSync("ed25519").privateKey;
  expect(await refusal({ ...request, signingKey: ed25519Raw(stranger) })).toContain(
    "signature of the signing key",
  );
  // A signature over the bare request, without the domain, is none.
  const bare = Uint8Array.from(sign(null, request.csrDer, signingKey));
  expect(await refusal({ ...request, signature: bare })).toContain("signature of the signing key");
});

it("refuses a TLS key that its sender does not hold", async () => {
  const mine = await createRequest({
    id,
    tlsKey: generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey,
    signingKey,
  });
  // The other key's bytes under this request's signature: the last 70 or so bytes are the signature.
  const spki = Buffer.from(new x509.Pkcs10CertificateRequest(mine.csrDer).publicKey.rawData);
  const own = Buffer.from(new x509.Pkcs10CertificateRequest(request.csrDer).publicKey.rawData);
  const grafted = Buffer.from(request.csrDer);
  spki.copy(grafted, grafted.indexOf(own));
  const domain = Buffer.from("consilium certificate request v1\0");
  const signature = Uint8Array.from(sign(null, Buffer.concat([domain, grafted]), signingKey));
  expect(
    await refusal({ csrDer: Uint8Array.from(grafted), signingKey: request.signingKey, signature }),
  ).toContain("signature of the TLS key");
});

it("refuses lengths that no request has", async () => {
  expect(await refusal({ ...request, csrDer: new Uint8Array(2049) })).toContain("2048");
  expect(await refusal({ ...request, signingKey: new Uint8Array(31) })).toContain("32");
  expect(await refusal({ ...request, signature: new Uint8Array(63) })).toContain("64");
});

it("refuses another curve", async () => {
  const keys = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-384" }, true, [
    "sign",
    "verify",
  ]);
  const csr = await x509.Pkcs10CertificateRequestGenerator.create({
    name: `CN=${id}`,
    keys,
    signingAlgorithm: { ...ecdsaP256, namedCurve: "P-384" },
  });
  expect(await refusal({ ...request, csrDer: new Uint8Array(csr.rawData) })).toContain("P-256");
});

it("refuses any changed byte and random bytes, without throwing", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat({ max: request.csrDer.length - 1 }),
      fc.integer({ min: 1, max: 255 }),
      async (at, flip) => {
        const csrDer = Uint8Array.from(request.csrDer);
        csrDer[at]! ^= flip;
        return !(await verifyRequest({ ...request, csrDer }, id)).ok;
      },
    ),
  );
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 500 }), async (csrDer) => {
      return !(await verifyRequest({ ...request, csrDer }, id)).ok;
    }),
  );
});
