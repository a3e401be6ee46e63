/**
 * A hospital's place in the federation: nobody takes it unasked, anyone who takes it is seen, and the hospital comes back
 * with its own key and its own ledger.
 */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { InvitationListEntry } from "@consilium/core/operator/consoleViews";
import type { InvitationView, SiteView } from "@consilium/core/operator/views";
import { afterAll, beforeAll, expect, it } from "vitest";
import { LocalFederation, waitUntil } from "../../scripts/localFederation.js";
import { writeTables } from "./tables.js";

const site = "st-mary";
let folder: string;
let federation: LocalFederation;
let state: string;
let ownKey: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-identities-"));
  federation = await LocalFederation.create(join(folder, "home"), "harbour");
  const { good } = await writeTables(join(folder, "tables"));
  ({ state } = await federation.addSite({ id: site, tables: { visits: good } }));
  await federation.waitForSites();
  ownKey = (await view()).signingKeyFingerprint!;
});
afterAll(async () => {
  await federation?.stop();
  await rm(folder, { recursive: true, force: true });
});

const view = async () =>
  (await federation.api<SiteView[]>("GET", "/api/sites")).find(({ id }) => id === site)!;
const json = async <T>(...args: string[]) =>
  JSON.parse((await federation.cliOrThrow(...args, "--json")).stdout) as T;
const codeOf = async (...args: string[]) => {
  const { code, stdout } = await federation.cli(...args, "--json");
  return code === 0 ? "ok" : (JSON.parse(stdout) as { error: { code: string } }).error.code;
};
const enroll = (token: string, into: string) => codeOf("site", "enroll", token, "--state", into);
const kinds = async () => {
  const { events } = await federation.api<{ events: { kind: string; site: string; detail: string }[] }>(
    "GET",
    `/api/audit?site=${site}&limit=200`,
  );
  return events.map(({ kind }) => kind).reverse();
};
/** What a hospital must not lose: its key, its ledger, its sealed store and its rules. */
const kept = async () => {
  const names = ["identity/signing-key.pem", "state.db", "state-key", "policy.yaml", "config.yaml"];
  const files = await Promise.all(names.map((name) => readFile(join(state, name))));
  return files.map((bytes) => createHash("sha256").update(bytes).digest("hex"));
};

it("refuses a second invitation of an enrolled site, and lets it be seen and withdrawn where it is wanted", async () => {
  expect(await codeOf("invite", site)).toBe("SITE_ENROLLED");
  const first = await json<InvitationView>("invite", site, "--replace");
  expect(first.replacesKey).toBe(ownKey);
  const listed = await json<InvitationListEntry[]>("invitation", "list");
  expect(listed).toMatchObject([{ site, state: "open", replacesKey: ownKey }]);
  expect(await codeOf("invite", site, "--same-key")).toBe("INVITATION_OPEN");
  expect(await codeOf("invitation", "withdraw", site)).toBe("ok");
  expect(await json("invitation", "list")).toEqual([]);
  expect(await enroll(first.token, join(folder, "thief"))).toBe("TOKEN_WITHDRAWN");
  // Nothing is left of it, so that the hospital's own folder is the only one.
  expect(existsSync(join(folder, "thief"))).toBe(false);
  expect((await view()).signingKeyFingerprint).toBe(ownKey);
});

it("shows everybody concerned that a key was replaced", async () => {
  const { token } = await json<InvitationView>("invite", site, "--replace");
  expect(await enroll(token, join(folder, "thief"))).toBe("ok");
  const now = await view();
  expect(now).toMatchObject({ presence: "gone", keyReplaced: { signingKeyFingerprint: ownKey } });
  const status = await waitUntil(
    async () => {
      const answer = await json<{ lastFault: { code: string } | null }>("site", "status", "--state", state);
      return answer.lastFault?.code === "IDENTITY_REPLACED" ? answer : null;
    },
    60_000,
    "the hospital to be told",
  );
  expect(status.lastFault).toMatchObject({ remedy: expect.stringContaining("--replace") });
  const doctor = await federation.cli("doctor", "--state", state, "--json");
  const { checks } = JSON.parse(doctor.stdout) as { checks: { id: string; status: string; found: string }[] };
  expect(checks.find(({ id }) => id === "certificate")).toMatchObject({
    status: "fail",
    found: expect.stringContaining("IDENTITY_REPLACED"),
  });
  expect(await kinds()).toEqual([
    "invited",
    "enrolled",
    "invited",
    "invitation withdrawn",
    "enrolment refused",
    "invited",
    "key replaced",
    "displaced key refused",
  ]);
});

it("lets the hospital come back into its own folder, with its own key and ledger", async () => {
  const { token } = await json<InvitationView>("invite", site, "--replace");
  expect(await enroll(token, state)).toBe("STATE_LOCKED");
  const agent = federation.site(site);
  await agent.stop();
  const before = await kept();
  expect(await enroll(token, state)).toBe("ok");
  expect(await kept()).toEqual(before);
  await agent.start();
  await federation.waitForSites();
  expect((await view()).signingKeyFingerprint).toBe(ownKey);
  // Nor does the other one come in again, with a certificate that is good for weeks or a token that it has used.
  expect((await json<{ connected: boolean }>("site", "status", "--state", state)).connected).toBe(true);
});

it("certifies the same key again without letting any other in", async () => {
  await federation.site(site).stop();
  const { token, replacesKey } = await json<InvitationView>("invite", site, "--same-key");
  expect(replacesKey).toBeNull();
  expect(await enroll(token, join(folder, "thief"))).toBe("SITE_ENROLLED");
  expect(await enroll(token, state)).toBe("ok");
  await federation.site(site).start();
  await federation.waitForSites();
  expect((await kinds()).slice(-4)).toEqual([
    "key replaced",
    "invited",
    "enrolment refused",
    "enrolled again",
  ]);
});

it("says at the hospital when the list of expelled sites was confirmed last", async () => {
  const { stdout } = await federation.cliOrThrow("site", "status", "--state", state);
  expect(stdout).toMatch(/expelled {5}list 1 of expelled sites, confirmed 20/);
  expect(await codeOf("expelled", "renew")).toBe("ok");
  await waitUntil(
    async () => {
      const { expelledList } = await json<{ expelledList: { number: number; fault: unknown } }>(
        "site",
        "status",
        "--state",
        state,
      );
      return expelledList.number === 2 && expelledList.fault === null ? true : null;
    },
    60_000,
    "the list that was signed again",
  );
});
