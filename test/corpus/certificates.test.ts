/** Certificates outlive versions: each that was ever made verifies, and none does with one byte changed. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { unwrap } from "@consilium/core/result";
import { certificateFile, type ShownCertificate, signatureFile } from "@consilium/release/certificate";
import { readShown, verifyCertificate } from "@consilium/release/verify";
import { checksUnder } from "@consilium/runtime/release/verifyFolder";
import { describe, expect, it } from "vitest";
import { corpus } from "../../tools/corpus/place.js";
import { forms, stateNames } from "../../tools/corpus/studies.js";

describe.each(["2", "3"])("of format %s", (format) => {
  const folder = join(corpus, "certificates", format);
  const checks = checksUnder(readFileSync(join(folder, "root.pem"), "utf8"));
  const names = readdirSync(folder).filter((name) => name !== "root.pem");
  const read = (name: string, file: string) => readFileSync(join(folder, name, file));

  const verified = (name: string, changed: Partial<Record<"certificate" | "signature", Uint8Array>> = {}) =>
    verifyCertificate({
      certificate: read(name, certificateFile),
      signature: read(name, signatureFile),
      ...checks,
      ...changed,
    });

  it.each(names)("%s verifies, and not with a byte changed", (name) => {
    const found = verified(name);
    expect(found.ok ? "ok" : found.error.message).toBe("ok");
    for (const [part, file] of [
      ["certificate", certificateFile],
      ["signature", signatureFile],
    ] as const) {
      const bytes = read(name, file);
      // A few all over the file: `publisher/everyByte.test.ts` changes each of a release's.
      for (let at = 7; at < bytes.length; at += Math.ceil(bytes.length / 5)) {
        const changed = Buffer.from(bytes);
        changed[at]! ^= 1;
        expect(verified(name, { [part]: changed }).ok, `${file}, byte ${at}`).toBe(false);
      }
    }
  });

  it("are there of every form", () => {
    expect([...names].sort()).toEqual([...forms, ...stateNames].sort());
    expect([forms.length, stateNames.length]).toEqual([23, 10]);
    for (const form of forms) expect(certificate(form).study.method).toBe(form);
  });

  const certificate = (name: string) => unwrap(readShown(read(name, certificateFile)));

  /** Whether a certificate says what it is there for. */
  const says: Readonly<Record<string, (of: ShownCertificate) => boolean>> = {
    "given-up": ({ sites }) => sites.attempts.some(({ survivors }) => survivors === null),
    dropped: ({ sites }) => sites.attempts.some(({ dropped }) => dropped?.length === 1),
    skipped: ({ privacy }) => privacy.skipped > 0,
    "patients-weighted": ({ privacy: { unit } }) => unit.kind === "patient" && unit.weight !== null,
    "patients-unweighted": ({ privacy: { unit } }) => unit.kind === "patient" && unit.weight === null,
    "own-rho": ({ study, privacy: { epsilon, exact } }) => epsilon === exact && study.text.includes('"rho":'),
    "forty-sites": ({ sites }) => sites.roster.length === 40,
    unsigned: ({ missing, countersignatures }) => missing.length === 1 && countersignatures.length === 4,
    none: ({ privacy }) => privacy.verdict === "no privacy",
    dealer: ({ study, sites }) => study.method === "elfed-pca" && sites.threshold === sites.roster.length,
  };

  it.each(Object.entries(says))("%s says so", (name, holds) => {
    expect(existsSync(join(folder, name))).toBe(true);
    expect(holds(certificate(name))).toBe(true);
  });

  it("of a state say what no ordinary one does", () => {
    expect(Object.keys(says).sort()).toEqual([...stateNames].sort());
    for (const [name, holds] of Object.entries(says))
      if (name !== "dealer") expect(holds(certificate("counts")), name).toBe(false);
  });
});
