/** A hospital from nothing to healthy with two commands; the doctor on both sides, with real processes. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { DoctorView } from "@consilium/core/hospital/doctorView";
import type { SiteView } from "@consilium/core/operator/views";
import { afterAll, beforeAll, expect, it } from "vitest";
import { stringify } from "yaml";
import { LocalFederation, waitUntil } from "../../scripts/localFederation.js";
import { tableText } from "../support/faultFederation.js";
import { siteAgent } from "../support/siteAgent.js";

const program = fileURLToPath(new URL("../../cli/dist/main.js", import.meta.url));
const fiveMinutesMs = 5 * 60_000;
let folder: string;
let local: LocalFederation;
/** What a person at a hospital typed, in order; every one is a shell command of its own. */
const typed: string[][] = [];
const running: { stop(): Promise<void> }[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-two-"));
  local = await LocalFederation.create(join(folder, "operator"), "two");
  await writeFile(join(folder, "patients.csv"), tableText(500, 1));
});
afterAll(async () => {
  for (const process of running) await process.stop();
  await local?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Types a command at a hospital whose home folder is empty at first, and waits for its end. */
async function type(hospital: string, ...args: string[]): Promise<{ code: number; stdout: string }> {
  typed.push(args);
  const child = atHospital(hospital, args);
  let stdout = "";
  child.stdout!.on("data", (part) => {
    stdout += part;
  });
  const [code] = (await once(child, "close")) as [number];
  return { code, stdout };
}

function atHospital(hospital: string, args: readonly string[]) {
  return spawn(process.execPath, [program, ...args], {
    cwd: folder,
    env: { ...process.env, CONSILIUM_HOME: join(folder, hospital), NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "ignore"],
  });
}

/** Types a command that runs on. */
function typeAndLeave(hospital: string, ...args: string[]): void {
  typed.push(args);
  const child = atHospital(hospital, args);
  running.push({
    async stop() {
      const gone = once(child, "exit");
      child.kill();
      await gone;
    },
  });
}

/** Agents on one machine need a port each for their pages; hospitals do not. */
function enrol(hospital: string, token: string) {
  const console = ["--console", "127.0.0.1:0"];
  return type(
    hospital,
    "site",
    "enroll",
    token,
    "--table",
    "patients=patients.csv",
    "--csv-header",
    ...console,
  );
}

async function invite(site: string): Promise<string> {
  const { stdout } = await local.cliOrThrow("invite", site, "--json");
  return (JSON.parse(stdout) as { token: string }).token;
}

/** The doctor's view, without counting as a command that was needed. */
async function doctor(hospital: string, ...args: string[]): Promise<{ code: number; view: DoctorView }> {
  const { code, stdout } = await type(hospital, "doctor", "--timeout", "5s", "--json", ...args);
  typed.pop();
  return { code, view: JSON.parse(stdout) as DoctorView };
}

const ids = (view: DoctorView, status: string) =>
  view.checks.filter((one) => one.status === status).map(({ id }) => id);

it("is enrolled and healthy with two commands, in under five minutes", async () => {
  const token = await invite("st-mary");
  expect(await readdir(folder)).not.toContain("st-mary");
  const before = await doctor("st-mary", token);
  expect([before.code, ids(before.view, "fail")]).toEqual([0, []]);
  // Who is not a member is not told what software the aggregator is.
  expect(before.view.checks.find(({ id }) => id === "version")!.found).toContain(
    "protocol 4 to 4; this site",
  );

  const startedAt = Date.now();
  const enrolled = await enrol("st-mary", token);
  expect(enrolled.code).toBe(0);
  typeAndLeave("st-mary", "serve", "site");
  const healthy = await waitUntil(
    async () => {
      const { code, view } = await doctor("st-mary");
      return code === 0 && view.checks.some(({ id, status }) => id === "agent" && status === "ok")
        ? view
        : null;
    },
    60_000,
    "the doctor to find nothing wrong",
  );
  expect(Date.now() - startedAt).toBeLessThan(fiveMinutesMs);
  expect(typed.map((words) => words.slice(0, 2).join(" "))).toEqual(["site enroll", "serve site"]);
  expect(ids(healthy, "fail")).toEqual([]);
  expect(healthy.checks.find(({ id }) => id === "version")!.found).toMatch(
    /speaks protocol 4 to 4, version \d/,
  );
  expect(ids(healthy, "ok")).toEqual(
    expect.arrayContaining(["tls", "certificate", "clock", "tables:patients"]),
  );
  const [site] = await local.api<SiteView[]>("GET", "/api/sites");
  expect(site).toMatchObject({ id: "st-mary", presence: "online" });
});

it("needs nothing at the first hospital when a second one comes", async () => {
  const before = typed.length;
  const token = await invite("mercy");
  await enrol("mercy", token);
  typeAndLeave("mercy", "serve", "site");
  await waitUntil(
    async () => {
      const sites = await local.api<SiteView[]>("GET", "/api/sites");
      return sites.filter(({ presence }) => presence === "online").length === 2 || null;
    },
    60_000,
    "both sites to be online",
  );
  expect(typed.slice(before).map((words) => words.slice(0, 2).join(" "))).toEqual([
    "site enroll",
    "serve site",
  ]);
  const first = await doctor("st-mary");
  expect([first.code, ids(first.view, "fail")]).toEqual([0, []]);
});

it("asks the running agent the same over its socket", async () => {
  const view = await siteAgent({ state: join(folder, "st-mary", "sites", "st-mary") }).doctor({});
  expect(view).toMatchObject({ subject: "site", name: "st-mary" });
  expect(ids(view, "fail")).toEqual([]);
});

it("names the column that a study lacks", async () => {
  const study = {
    name: "lacking",
    table: "patients",
    analysis: "pca",
    parameters: { components: 1 },
    privacy: { epsilon: 1, delta: 1e-6 },
    participation: { minimumSites: 3, maxRowsPerSite: 1000 },
    features: ["f01", "heart_rate"].map((name) => ({ name, type: "numeric", min: -10, max: 10 })),
  };
  await writeFile(join(folder, "lacking.yaml"), stringify(study));
  const { code, view } = await doctor("st-mary", "--study", "lacking.yaml");
  expect([code, ids(view, "fail")]).toEqual([1, ["tables:patients"]]);
  expect(view.checks.find(({ id }) => id === "tables:patients")!.found).toContain('"heart_rate"');
});

it("finds the operator's own servers well, and says which one is not", async () => {
  const at = async () => {
    const { code, stdout } = await local.cli("doctor", "--operator", "--timeout", "5s", "--json");
    return { code, view: JSON.parse(stdout) as DoctorView };
  };
  const well = await at();
  expect([well.code, ids(well.view, "fail")]).toEqual([0, []]);
  await local.publisher.stop();
  const without = await at();
  expect([without.code, ids(without.view, "fail")]).toEqual([1, ["publisher", "console:publisher"]]);
});

it("tells at the site that the aggregator is away, and that the agent waits for it", async () => {
  await local.aggregator.stop();
  const { code, view } = await waitUntil(
    async () => {
      const found = await doctor("st-mary");
      return ids(found.view, "fail").includes("agent") ? found : null;
    },
    60_000,
    "the agent to say so",
  );
  expect([code, ids(view, "fail")]).toEqual([1, ["tcp", "agent"]]);
  expect(view.checks.find(({ id }) => id === "tcp")!.forIt).toContain(
    "Please allow outgoing TCP connections",
  );
});
