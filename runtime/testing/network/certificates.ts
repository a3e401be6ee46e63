/** Certificates of a foreign authority, for the tests of what stands on the way. Not part of any process. */
import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { isIP } from "node:net";
import { ecdsaP256, newSerial, toCryptoKeys } from "../../src/identity/cryptoKeys.js";
import { derToPem, privateKeyToPem, x509 } from "../../src/identity/x509.js";

export interface ForeignAuthority {
  readonly caPem: string;
  /** A key and a certificate for a host, as a gateway that opens TLS makes them up. */
  leaf(host: string, purpose?: "serverAuth" | "clientAuth"): Promise<{ key: string; cert: string }>;
}

export async function foreignAuthority(name = "Hospital Web Gateway CA"): Promise<ForeignAuthority> {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const keys = await toCryptoKeys(privateKey);
  const validity = {
    notBefore: new Date(Date.now() - 3_600_000),
    notAfter: new Date(Date.now() + 86_400_000),
  };
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: newSerial(),
    name: `CN=${name}, O=St. Mary IT`,
    ...validity,
    signingAlgorithm: ecdsaP256,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
    ],
  });
  const caPem = derToPem(new Uint8Array(ca.rawData));
  return {
    caPem,
    async leaf(host, purpose = "serverAuth") {
      const own = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
      const certificate = await x509.X509CertificateGenerator.create({
        serialNumber: newSerial(),
        subject: `CN=${host}`,
        issuer: ca.subjectName,
        ...validity,
        signingAlgorithm: ecdsaP256,
        publicKey: createPublicKey(own).export({ format: "der", type: "spki" }),
        signingKey: keys.privateKey,
        extensions: [
          new x509.SubjectAlternativeNameExtension([{ type: isIP(host) === 0 ? "dns" : "ip", value: host }]),
          new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage[purpose]]),
        ],
      });
      return { key: privateKeyToPem(own), cert: derToPem(new Uint8Array(certificate.rawData)) + caPem };
    },
  };
}
