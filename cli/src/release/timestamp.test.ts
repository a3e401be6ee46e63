import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Certificate, SignedData, TimeStampResp } from "pkijs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkTimestamp } from "./timestamp.js";

const folder = mkdtempSync(join(tmpdir(), "timestamp-"));
const at = (name: string) => join(folder, name);
/** A command without spaces in its arguments. */
const openssl = (command: string) =>
  execFileSync("openssl", command.split(" "), { cwd: folder, stdio: "pipe" });

/** What `openssl ts` answers by; `usage` is the extended key usage of who signs. */
const settings = `
[tsa]
default_tsa = mine
[mine]
serial = ${at("serial")}
default_policy = 1.2.3.4
digests = sha1, sha256, sha384, sha512
accuracy = secs:1
signer_digest = sha256
ess_cert_id_alg = sha256
[root]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign
[time]
keyUsage = critical, digitalSignature
extendedKeyUsage = critical, timeStamping
[mail]
keyUsage = critical, digitalSignature
extendedKeyUsage = critical, emailProtection
[both]
keyUsage = critical, digitalSignature
extendedKeyUsage = critical, timeStamping, emailProtection
[lax]
keyUsage = critical, digitalSignature
extendedKeyUsage = timeStamping
`;

const keys = { rsa: "rsa:2048", ec: "ec -pkeyopt ec_paramgen_curve:P-256" };

function authority(name: string): void {
  openssl(
    `req -x509 -nodes -newkey ${keys.ec} -keyout ${name}.key -out ${name}.pem -subj /O=Example/CN=${name} -days 30 -config settings -extensions root`,
  );
}

function signer(name: string, by: string, kind: keyof typeof keys = "ec"): void {
  openssl(
    `req -new -nodes -newkey ${keys[kind]} -keyout ${name}.key -out ${name}.csr -subj /O=Example/CN=${name} -config settings`,
  );
  certified(name, { by, usage: "time", to: name });
}

function certified(name: string, { by, usage, to }: Record<"by" | "usage" | "to", string>): void {
  openssl(
    `x509 -req -in ${name}.csr -CA ${by}.pem -CAkey ${by}.key -set_serial 7 -out ${to}.pem -days 20 -extfile settings -extensions ${usage}`,
  );
}

/** An answer about a file, by a signer whose chain is sent along. */
function stamped(by: string, { file = "signature", hash = "sha256", signed = "sha256" } = {}): Uint8Array {
  openssl(`ts -query -data ${file} -${hash} -cert -out query`);
  openssl(
    `ts -reply -config settings -section mine -queryfile query -signer ${by}.pem -inkey ${by}.key -${signed} -out reply`,
  );
  return readFileSync(at("reply"));
}

const check = (response: Uint8Array, given: { file?: string; authority?: string } = {}) =>
  checkTimestamp({
    file: "certificate.tsr",
    response,
    stamped: readFileSync(at(given.file ?? "signature")),
    authority: readFileSync(at(given.authority ?? "root.pem"), "utf8"),
  });

beforeAll(() => {
  writeFileSync(at("settings"), `[req]\ndistinguished_name = dn\n[dn]\n${settings}`);
  writeFileSync(at("serial"), "01\n");
  writeFileSync(at("signature"), "eyJhbGciOiJFZERTQSJ9..c2lnbmVk");
  writeFileSync(at("other"), "eyJhbGciOiJFZERTQSJ9..b3RoZXI");
  authority("root");
  authority("stranger");
  signer("clock", "root", "rsa");
  signer("curve", "root");
  signer("honest", "root");
  signer("foreign", "stranger");
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("a timestamp", () => {
  it.each([
    ["clock", "sha256"],
    ["clock", "sha512"],
    ["curve", "sha384"],
  ])("of an authority that is trusted holds: %s, %s", async (by, hash) => {
    const found = await check(stamped(by, { hash }));
    expect(found.by).toBe(`O=Example,CN=${by}`);
    expect(Math.abs(Date.parse(found.at) - Date.now())).toBeLessThan(600_000);
  });

  it("is of the bytes that it was asked for", async () => {
    await expect(check(stamped("clock", { file: "other" }))).rejects.toThrow(
      "certificate.tsr: not of this file",
    );
  });

  it("is refused from an authority that nobody named, and with a hash that is broken", async () => {
    await expect(check(stamped("foreign"))).rejects.toThrow("not signed by an authority under");
    expect((await check(stamped("foreign"), { authority: "stranger.pem" })).by).toContain("foreign");
    await expect(check(stamped("clock", { hash: "sha1" }))).rejects.toThrow("its hash is not SHA-256");
  });

  it.each(["clock", "curve"])("is refused where what %s signs is a hash that is broken", async (by) => {
    await expect(check(stamped(by, { signed: "sha512" }))).resolves.toBeDefined();
    await expect(check(stamped(by, { signed: "sha1" }))).rejects.toThrow("its signature is not of SHA-256");
  });

  it.each(["mail", "both", "lax"])(
    "is refused from a certificate that is not for timestamps alone: %s",
    async (usage) => {
      // What `openssl ts` does not sign by, a program that lies does. A certificate is there before what it signs.
      certified("honest", { by: "root", usage, to: "lying" });
      const response = stamped("honest");
      await expect(check(withCertificate(response, "honest.pem"))).resolves.toBeDefined();
      await expect(check(withCertificate(response, "lying.pem"))).rejects.toThrow("not one for timestamps");
    },
  );

  it("is refused with any byte of it flipped that an authority signed", async () => {
    const response = stamped("clock");
    const statement = Buffer.from(response).indexOf(Buffer.from("060b2a864886f70d0109100104", "hex"));
    const certificate = Buffer.from(response).indexOf(openssl("x509 -in clock.pem -outform DER"));
    expect(certificate).toBeGreaterThan(statement);
    // Tag and length of the certificates are four bytes that nothing signs.
    for (let index = statement; index < certificate - 4; index += 3) {
      const flipped = Uint8Array.from(response, (byte, place) => (place === index ? byte ^ 4 : byte));
      await expect(check(flipped), `byte ${index}`).rejects.toThrow("certificate.tsr: ");
    }
    const signature = Uint8Array.from(response, (byte, place) =>
      place === response.length - 20 ? byte ^ 1 : byte,
    );
    await expect(check(signature)).rejects.toThrow("certificate.tsr: ");
  });

  it("is refused where an authority granted none, or signed something else", async () => {
    await expect(check(new Uint8Array([0x30, 0x03, 0x02, 0x01, 0x02]))).rejects.toThrow(
      "not an answer with a timestamp",
    );
    await expect(check(Buffer.from("no timestamp"))).rejects.toThrow("not an answer with a timestamp");
    openssl(
      "cms -sign -in signature -binary -nodetach -signer clock.pem -inkey clock.key -outform DER -out message",
    );
    const message = readFileSync(at("message"));
    // A TimeStampResp whose token is that message.
    const granted = Buffer.from([0x30, 0x03, 0x02, 0x01, 0x00]);
    const length = granted.length + message.length;
    const response = Buffer.concat([Buffer.from([0x30, 0x82, length >> 8, length & 255]), granted, message]);
    await expect(check(response)).rejects.toThrow("not an answer with a timestamp");
  });

  it("names an authority's file that is no certificate", async () => {
    const response = stamped("clock");
    await expect(check(response, { authority: "signature" })).rejects.toThrow("is not a PEM certificate");
  });
});

/** An answer with one certificate for those that it has. */
function withCertificate(response: Uint8Array, name: string): Uint8Array {
  const answer = TimeStampResp.fromBER(response);
  const signed = new SignedData({ schema: answer.timeStampToken!.content });
  signed.certificates = [Certificate.fromBER(openssl(`x509 -in ${name} -outform DER`))];
  answer.timeStampToken!.content = signed.toSchema(true);
  return new Uint8Array(answer.toSchema().toBER());
}
