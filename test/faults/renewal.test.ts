/** Sites' certificates live for seconds here: they renew themselves without a restart, a gap or a failed study. */
import { rename } from "node:fs/promises";
import type { AuditView } from "@consilium/core/access/views";
import type { SiteView, StudyView } from "@consilium/core/operator/views";
import { afterAll, beforeAll, expect, it } from "vitest";
import { editConfig } from "../../scripts/localFederation.js";
import { FaultFederation } from "../support/faultFederation.js";
import { limitByProgress } from "../support/limitByProgress.js";

limitByProgress();

const lifetimeMs = 24_000;
const sites = ["first", "second", "third"];
let federation: FaultFederation;

beforeAll(async () => {
  federation = await FaultFederation.create({ first: 5_000, second: 5_000, third: 5_000 }, async (local) => {
    await local.aggregator.stop();
    await editConfig(local.aggregator.state, (config) => {
      config.siteCertificateLifetime = `${lifetimeMs}ms`;
    });
    await local.aggregator.start();
  });
});
afterAll(() => federation?.remove());

/** When each site's certificate expires, as the operator sees it; milliseconds since 1970. */
async function expiries(): Promise<Record<string, number>> {
  const views = await federation.local.api<SiteView[]>("GET", "/api/sites");
  for (const view of views) expect(view.presence, view.id).toBe("online");
  return Object.fromEntries(views.map((view) => [view.id, Date.parse(view.certificateExpiresAt!)]));
}

async function renewals(site: string): Promise<number> {
  return (await federation.site(site).log()).split('"msg":"the certificate was renewed"').length - 1;
}

it("sites renew at half life, stay online, and studies meanwhile end well", async () => {
  const pids = sites.map((site) => federation.site(site).pid);
  const first = await expiries();
  const until = Math.max(...Object.values(first)) + lifetimeMs;
  let studies = 0;
  while (Date.now() < until) {
    const study = await federation.start({
      name: `during-${++studies}`,
      privacy: { epsilon: 1, delta: 1e-5 },
    });
    await federation.ended(study, "released");
    // Online whenever it is looked at.
    await expiries();
  }
  const last = await expiries();
  for (const site of sites) {
    expect(last[site]! - first[site]!).toBeGreaterThanOrEqual(lifetimeMs);
    const count = await renewals(site);
    expect(count, site).toBeGreaterThanOrEqual(2);
    // At half life, not in a hurry.
    expect(count, site).toBeLessThanOrEqual(2 + Math.ceil((4 * lifetimeMs) / lifetimeMs));
    expect(await federation.complaints(site)).toBe(`${site}:\n`);
  }
  expect(sites.map((site) => federation.site(site).pid)).toEqual(pids);
  expect(studies).toBeGreaterThanOrEqual(2);
});

it("a study that outlives the certificates it began with continues", async () => {
  const study = await federation.start({ name: "outlives" });
  await federation.event(study, "received", { site: "first", detail: "moments" });
  const path = federation.tablePath("first");
  await rename(path, `${path}.away`);
  const failed = await federation.ended(study, "failed");
  expect(failed.failure?.code).toBe("SITE_FAILED");
  const begun = Math.max(...Object.values(await expiries()));
  await federation.until("those certificates to expire", async () => Date.now() > begun || null);
  await rename(`${path}.away`, path);
  await federation.local.api<StudyView>("POST", `/api/studies/${study.id}/resume`);
  await federation.verify(await federation.ended(study, "released"));
});

it("a hospital that was closed until its certificate had expired comes back without anybody's help", async () => {
  const site = federation.site("third");
  await site.stop();
  const expired = Date.parse(
    (await federation.local.api<SiteView[]>("GET", "/api/sites")).find(({ id }) => id === "third")!
      .certificateExpiresAt!,
  );
  await federation.until("its certificate to expire", async () => Date.now() > expired + 2_000 || null);
  await site.start();
  await federation.until("it to be online", async () => {
    const views = await federation.local.api<SiteView[]>("GET", "/api/sites");
    return views.find(({ id }) => id === "third")?.presence === "online" || null;
  });
  const { events } = await federation.local.api<AuditView>("GET", "/api/audit?site=third&limit=200");
  expect(events.map(({ kind }) => kind)).toContain("certificate renewed late");
  const study = await federation.start({ name: "back" });
  await federation.verify(await federation.ended(study, "released"));
});
