/**
 * A hospital with a table whose header cannot be sent, and one whose people take their time: both stay online, and everybody
 * who looks sees what is the matter.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DoctorView } from "@consilium/core/hospital/doctorView";
import type { SiteTableView } from "@consilium/core/operator/tableViews";
import type { SiteView } from "@consilium/core/operator/views";
import { afterAll, beforeAll, expect, it } from "vitest";
import { LocalFederation, waitUntil } from "../../scripts/localFederation.js";
import { goodTable, studyOf } from "../end-to-end/tables.js";

const odd = "hospital-odd";
const slow = "hospital-slow";
let folder: string;
let federation: LocalFederation;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-greeting-"));
  const visits = join(folder, "visits.csv");
  await writeFile(visits, goodTable);
  // UTF-16 without the mark that tells it, for which the configuration has no encoding.
  const wards = join(folder, "wards.csv");
  await writeFile(wards, Buffer.from(goodTable, "utf16le"));
  federation = await LocalFederation.create(join(folder, "home"), "harbour");
  await federation.addSite({ id: odd, tables: { visits, wards } });
  await federation.addSite({ id: slow, tables: { visits }, approval: "person" });
  await federation.addSite({ id: "hospital-third", tables: { visits } });
  await federation.waitForSites();
});

afterAll(async () => {
  await federation?.stop();
  await rm(folder, { recursive: true, force: true });
});

const presences = async () =>
  Object.fromEntries(
    (await federation.api<SiteView[]>("GET", "/api/sites")).map(({ id, presence }) => [id, presence]),
  );

it("leaves out the one table whose names cannot be sent, and says so to the hospital", async () => {
  expect((await presences())[odd]).toBe("online");
  const tables = await federation.api<SiteTableView[]>("GET", `/api/sites/${odd}/tables`);
  expect(tables.map(({ name }) => name)).toEqual(["visits"]);

  const { state } = federation.site(odd);
  const { stdout: shown } = await federation.cliOrThrow("site", "status", "--state", state);
  expect(shown).toMatch(/left out.*\[TABLE_LEFT_OUT\] table wards: the name of column 1/s);
  expect(shown).not.toContain("\0");
  const { stdout } = await federation.cli("doctor", "--state", state, "--json");
  const check = (JSON.parse(stdout) as DoctorView).checks.find(({ id }) => id === "tables:wards");
  expect(check).toMatchObject({ status: "fail", found: expect.stringContaining("\\u0000") });
  const log = await federation.site(odd).log();
  expect(log).toContain('"code":"TABLE_LEFT_OUT"');
  expect(log).not.toContain("not connected to the aggregator");
});

it("keeps every hospital online while people have eight days, and then thirty", async () => {
  const change = { minimumSites: 3, maxRowsPerSite: 100, joinDeadline: "8d", phaseDeadline: "1m" };
  const { id } = await federation.startStudy(studyOf("eight-days", { participation: change }));
  const waits = async () => {
    const { siteStates, deadlineAt } = await federation.study(id);
    return siteStates.find(({ site }) => site === slow)?.state === "awaiting approval" ? deadlineAt : null;
  };
  const until = await waitUntil(waits, 120_000, "the person to be asked");
  expect(Date.parse(until) - Date.now()).toBeGreaterThan(7.5 * 86_400_000);
  const later = new Date(Date.now() + 29 * 86_400_000).toISOString();
  await federation.api("POST", `/api/studies/${id}/extend`, JSON.stringify({ until: later }));
  const { state } = federation.site(slow);
  await waitUntil(
    async () => {
      const { stdout } = await federation.cliOrThrow("site", "show", id, "--state", state, "--json");
      return stdout.includes(later.slice(0, 10)) || null;
    },
    60_000,
    "the later deadline at the hospital",
  );
  expect(await presences()).toEqual({ [odd]: "online", [slow]: "online", "hospital-third": "online" });
  for (const site of federation.sites.values())
    expect(await site.log()).not.toContain("not connected to the aggregator");

  // One refusal of three is one too many: it ends, and the hospital is asked no more.
  await federation.cliOrThrow("site", "refuse", id, "--yes", "--reason", "no time", "--state", state);
  const ended = await waitUntil(
    async () => {
      const view = await federation.study(id);
      return view.endedAt === null ? null : view;
    },
    120_000,
    "the study's end",
  );
  expect(ended.failure).toMatchObject({
    code: "ROSTER_TOO_SMALL",
    message: expect.stringContaining("hospital-slow (REFUSED_BY_SITE)"),
  });
});
