import { epsilonText } from "@consilium/core/release/wording";
import {
  provedPlan,
  testCertificate,
  testRun,
  testSites,
  testStudy,
} from "@consilium/core/testing/release/statement";
import { readCertificate } from "@consilium/release/testing/readShown";
import { expect, it } from "vitest";
import { plainStyle } from "../terminal/style.js";
import { retiredIn, retiredText, verifiedText } from "./verifiedText.js";

const plan = provedPlan();
const document = testStudy({ method: "dp-pca", variant: "sound", privacy: { epsilon: 2, delta: 1e-5 } });
const sites = testSites(["a", "b", "c", "d", "e"]);
const all = sites.map((one) => one.site);
const [first, second] = plan.stages.map((stage) => stage.id) as [never, never];
const attempts = [
  { stage: first, attempt: 1, survivors: null },
  { stage: first, attempt: 2, survivors: all.slice(0, 4) },
  { stage: second, attempt: 1, survivors: all },
];

it("prints the verdict first, then the study, then every check", () => {
  const certificate = readCertificate(testCertificate({ ...testRun({ sites, plan, document }), attempts }));
  const { epsilon, rho } = certificate.privacy;
  const text = verifiedText(
    {
      certificate,
      signer: {
        federation: "test-federation",
        role: "aggregator",
        id: "aggregator",
        signingKey: new Uint8Array(32),
      },
      statement: {
        epsilon,
        rho,
        lossEpsilon: 0.91532,
        attemptsGivenUp: 1,
        countersigned: { by: 5, of: 5, needed: 4 },
      },
    },
    plainStyle,
  );
  const lines = text.split("\n");
  expect(lines[0]).toMatch(/^Verified: privacy is proven, epsilon 1\.\d+, delta 0\.00001$/);
  expect(lines[1]).toBe("  unit        adding or removing one record of one site");
  expect(text).toContain("first, attempt 1: abandoned, and charged; first, attempt 2: e");
  expect(text).toMatch(/noise +first: standard deviation at least 6000 grid units, from any 2 of the sites'/);
  expect(text).toMatch(
    new RegExp(`ok epsilon +${epsilonText(epsilon!)} at delta 0\\.00001, recomputed from 3 attempts`),
  );
  expect(text.replace(/\s+/g, " ")).toContain(
    "; 0.9154 by the exact loss distribution of its noise, also recomputed",
  );
  expect(text).toMatch(/ok sites +5 of 5 countersigned .* 4 required/);
  expect(text).toMatch(/ok survivors +at least 4 of 5 sites in every stage/);
});

it("names the hospitals whose own figures a release shows, by the study's text and the roster", () => {
  const certificate = readCertificate(testCertificate({ ...testRun({ sites, plan, document }), attempts }));
  const textOf = (change: object) => {
    const study = { ...(JSON.parse(certificate.study.text) as { variant: string }), ...change };
    const { variant } = study;
    const text = JSON.stringify(study);
    const verified = { certificate: { ...certificate, study: { ...certificate.study, variant, text } } };
    const statement = { epsilon: 1, rho: 1, lossEpsilon: null, attemptsGivenUp: 0 };
    const countersigned = { by: 5, of: 5, needed: 4 };
    const signer = {
      federation: "f",
      role: "aggregator",
      id: "aggregator",
      signingKey: new Uint8Array(32),
    } as const;
    return verifiedText(
      { ...verified, signer, statement: { ...statement, countersigned } },
      plainStyle,
    ).replace(/\s+/g, " ");
  };
  const features = [{ name: "ward", type: "categorical", levels: ["B", "others"] }];
  expect(textOf({ variant: "sound", features })).toContain(
    "shows ward tells b apart from the other hospitals",
  );
  for (const change of [{ features }, { variant: "sound" }, { variant: "sound", features: 7 }])
    expect(textOf({ variant: "paper", ...change })).not.toContain("apart from the other hospitals");
});

it("says what is retired since, of a format that has a plan", () => {
  const certificate = readCertificate(testCertificate({ ...testRun({ sites, plan, document }), attempts }));
  const entry = { method: "dp-pca", edition: 1, why: "its noise was too small" };
  expect(retiredIn(certificate)).toBeNull();
  expect(retiredIn(certificate, [entry])).toBe(entry);
  expect(retiredIn(certificate, [{ ...entry, edition: 2 }])).toBeNull();
  expect(retiredText(entry, plainStyle)).toBe("  retired     dp-pca, edition 1: its noise was too small");
});
