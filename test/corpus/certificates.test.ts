/** Certificates outlive versions: each that was ever made verifies, and none does with one byte changed. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { replanned } from "@consilium/core/release/replanned";
import { unwrap } from "@consilium/core/result";
import { allMethods } from "@consilium/methods-paper/all";
import {
  type Certificate,
  certificateFile,
  parseCertificate,
  signatureFile,
} from "@consilium/release/v2/schema";
import { statementOfCertificate } from "@consilium/release/v2/statement";
import { verifyCertificate } from "@consilium/release/v2/verify";
import { identifySigner, identifySite } from "@consilium/runtime/release/verifyFolder";
import { expect, it } from "vitest";
import { place } from "../../tools/corpus/place.js";
import { forms, stateNames } from "../../tools/corpus/studies.js";

const rootPem = readFileSync(join(place.certificates, "root.pem"), "utf8");
const names = readdirSync(place.certificates).filter((name) => name !== "root.pem");
const read = (name: string, file: string) => readFileSync(join(place.certificates, name, file));

const verified = (name: string, changed: Partial<Record<"certificate" | "signature", Uint8Array>> = {}) =>
  verifyCertificate({
    certificate: read(name, certificateFile),
    signature: read(name, signatureFile),
    identify: identifySigner(rootPem),
    identifySite: identifySite(rootPem),
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

/** Forms that a later version sums otherwise: each with the first fact of its plan that differs. */
const plannedOtherwise: Readonly<Record<string, string>> = {
  describe: "privacy.accounting.events.0.event.groups.0.entries",
  "own-rho": "privacy.accounting.events.0.event.groups.0.entries",
  regression: "privacy.disclosures.0.stage",
  survival: "privacy.accounting.epsilon",
};

it.each(names)(
  "%s is planned again by this version, with the same facts unless it is known to differ",
  (name) => {
    const found = unwrap(parseCertificate(read(name, certificateFile)));
    const path = plannedOtherwise[name];
    expect(replanned(statementOfCertificate(found), found.study.text, allMethods)).toMatchObject(
      path === undefined ? { kind: "same" } : { kind: "otherwise", path },
    );
  },
);

it("are there of every form", () => {
  expect([...names].sort()).toEqual([...forms, ...stateNames].sort());
  expect([forms.length, stateNames.length]).toEqual([23, 10]);
  for (const form of forms) expect(certificate(form).study.method).toBe(form);
});

const certificate = (name: string) => JSON.parse(read(name, certificateFile).toString("utf8")) as Certificate;

/** Whether a certificate says what it is there for. */
const says: Readonly<Record<string, (of: Certificate) => boolean>> = {
  "given-up": ({ sites }) => sites.attempts.some(({ survivors }) => survivors === null),
  dropped: ({ sites }) => sites.attempts.some(({ dropped }) => dropped?.length === 1),
  skipped: ({ privacy }) => (privacy.accounting.skipped?.length ?? 0) > 0,
  "patients-weighted": ({ privacy }) => privacy.unit.includes("together weigh as much as one"),
  "patients-unweighted": ({ privacy }) => privacy.unit.includes("patient") && !privacy.unit.includes("weigh"),
  "own-rho": ({ privacy: { epsilon, accounting } }) =>
    epsilon === accounting.lossDistribution?.epsilon && epsilon! < accounting.epsilon!,
  "forty-sites": ({ sites }) => sites.roster.length === 40,
  unsigned: ({ missing, countersignatures }) => missing.length === 1 && countersignatures.length === 4,
  none: ({ privacy }) => privacy.verdict === "no privacy",
  dealer: ({ study, sites }) => study.method === "elfed-pca" && sites.threshold === sites.roster.length,
};

it.each(Object.entries(says))("%s says so", (name, holds) => {
  expect(existsSync(join(place.certificates, name))).toBe(true);
  expect(holds(certificate(name))).toBe(true);
});

it("of a state say what no ordinary one does", () => {
  expect(Object.keys(says).sort()).toEqual([...stateNames].sort());
  for (const [name, holds] of Object.entries(says))
    if (name !== "dealer") expect(holds(certificate("counts")), name).toBe(false);
});
