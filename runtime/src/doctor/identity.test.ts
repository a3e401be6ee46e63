import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { type TestFederation, testFederation, writeTestIdentity } from "../../testing/identity/federation.js";
import { checkIdentity } from "./identity.js";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
let federation: TestFederation;
let folder: string;
beforeAll(async () => {
  federation = await testFederation("test-federation", Date.now() - 120 * dayMs);
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-identity-"));
});
afterEach(() => rm(folder, { recursive: true }));

/** What is found of a certificate made `ageMs` ago for thirty days. */
async function found(ageMs: number) {
  const leaf = await federation.leaf("site", "st-mary", { now: Date.now() - ageMs, lifetimeMs: 30 * dayMs });
  await writeTestIdentity(folder, leaf, federation.root.certificatePem);
  return checkIdentity(folder, Date.now());
}

it("is content with a certificate in its first half, and gives the identity", async () => {
  const { verdict, identity } = await found(dayMs);
  expect(verdict).toMatchObject({ status: "ok", forIt: null });
  expect(verdict.found).toContain("site st-mary of test-federation");
  expect(identity?.id).toBe("st-mary");
});

it("warns when a renewal is overdue, not when it has just become due", async () => {
  expect((await found(16 * dayMs)).verdict.status).toBe("ok");
  expect((await found(20 * dayMs)).verdict).toMatchObject({
    status: "warn",
    found: expect.stringContaining("should have been renewed"),
  });
});

it("says that one has expired or is not valid yet, and gives the identity all the same", async () => {
  const expired = await found(31 * dayMs);
  expect(expired.verdict).toMatchObject({ status: "fail", found: expect.stringContaining("expired on") });
  expect(expired.verdict.found).toContain("renewed automatically until");
  expect(expired.verdict.remedy).not.toContain("--same-key");
  expect((await found(91 * dayMs)).verdict.remedy).toContain("--same-key");
  expect(expired.identity?.id).toBe("st-mary");
  const early = await found(-hourMs);
  expect(early.verdict).toMatchObject({ status: "fail", found: expect.stringContaining("valid only from") });
  expect(early.identity?.id).toBe("st-mary");
});

it("tells a folder without an identity from a damaged one", async () => {
  expect((await checkIdentity(folder, Date.now())).verdict.remedy).toContain("consilium site enroll");
  await found(dayMs);
  await writeFile(join(folder, "tls-key.pem"), "damaged");
  const damaged = await checkIdentity(folder, Date.now());
  expect(damaged).toMatchObject({ identity: null, verdict: { status: "fail" } });
  expect(damaged.verdict.found).toContain("damaged");
});
