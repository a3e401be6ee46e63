/** A hospital's ledger over studies, a spent budget, and a state folder that was restored from an old backup. */
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { StudyView } from "@consilium/core/operator/views";
import { afterAll, beforeAll, expect, it } from "vitest";
import { writePolicy } from "../../scripts/localFederation.js";
import { FaultFederation, stored } from "../support/faultFederation.js";
import { limitByProgress } from "../support/limitByProgress.js";

limitByProgress();

const sites = ["alpha", "beta", "gamma"];
/** The site whose ledger is looked at. */
const gamma = "gamma";
const budget = { epsilon: 2, delta: 1e-6 };

let federation: FaultFederation;
let fingerprint: string;

beforeAll(async () => {
  federation = await FaultFederation.create({ alpha: 300, beta: 300, gamma: 300 });
  await writePolicy(state(), { budget });
  const status = JSON.parse(
    (await federation.local.cliOrThrow("site", "status", "--state", state(), "--json")).stdout,
  );
  fingerprint = status.signingKeyFingerprint;
});
afterAll(() => federation?.remove());

const state = () => federation.site(gamma).state;
const copyOf = (name: string) => join(federation.home, `copy-${name}`);

function study(name: string, epsilon: number): object {
  const features = Array.from({ length: 16 }, (_, index) => `f${String(index + 1).padStart(2, "0")}`);
  return {
    name,
    table: "records",
    analysis: "pca",
    method: "dp-pca",
    variant: "sound",
    privacy: { epsilon, delta: 1e-6 },
    parameters: { components: 2 },
    participation: { sites, minimumSites: 3, maxRowsPerSite: 1_000, phaseDeadline: "30s" },
    label: { name: "outcome", levels: ["no", "yes"] },
    features: features.map((feature) => ({ name: feature, type: "numeric", min: -10, max: 10 })),
  };
}

const start = (name: string, epsilon: number) => federation.local.startStudy(study(name, epsilon));

/** `consilium ledger …` of gamma, with its exit code. */
async function ledger(verb: string, ...args: string[]) {
  const { code, stdout, stderr } = await federation.local.cli("ledger", verb, ...args, "--json");
  return { code, stderr, json: JSON.parse(stdout === "" ? "null" : stdout.trim().split("\n").at(-1)!) };
}

async function population(): Promise<{ spent: number; reserved: number; remaining: number }> {
  const { json } = await ledger("show", "--state", state());
  return json.populations.find((one: { name: string }) => one.name === "default");
}

/** Where the certificate of a release says that gamma's ledger was. */
async function anchorOf(released: StudyView): Promise<string> {
  const certificate = JSON.parse(await federation.released(released, "certificate.json"));
  const found = JSON.stringify(certificate).match(/"ledgerHead":\{[^}]*\}/g) ?? [];
  const own = certificate.countersignatures.find((one: { site: string }) => one.site === gamma);
  expect(found.length).toBe(sites.length);
  return `${own.ledgerHead.sequence}:${own.ledgerHead.hash}`;
}

/** Gamma's state folder as it was before any study, and nothing else of it. */
async function restoreBefore(): Promise<void> {
  await rm(state(), { recursive: true });
  await mkdir(state());
  await cp(beforeStudies, state(), { recursive: true });
}

async function refusal(view: StudyView): Promise<{ code: string; reason: string }> {
  await federation.ended(view, "failed");
  const { stdout } = await federation.local.cliOrThrow("site", "status", "--state", state(), "--json");
  return JSON.parse(stdout).studies.find((one: { id: string }) => one.id === view.id);
}

let beforeStudies: string;
let afterStudies: string;
let first: StudyView;

it("charges a study, shows what is left, and proves it to others", async () => {
  beforeStudies = copyOf("before");
  await federation.site(gamma).stop();
  await cp(state(), beforeStudies, { recursive: true });
  await federation.site(gamma).start();
  await federation.waitForPresence(sites, "online");

  first = await federation.ended(await start("first", 1), "released");
  const { spent, reserved, remaining } = await population();
  expect(spent).toBeGreaterThan(0.99);
  expect(spent).toBeLessThanOrEqual(1);
  expect(reserved).toBe(0);
  expect(remaining).toBeLessThanOrEqual(budget.epsilon - spent);
  expect(remaining).toBeGreaterThan(budget.epsilon - spent - 1e-6);

  const file = join(federation.home, "ledger.jsonl");
  expect((await ledger("export", "--state", state(), "--to", file)).code).toBe(0);
  const anchor = await anchorOf(first);
  const known = ["--key", fingerprint, "--anchor", anchor];
  const verified = await ledger("verify", "--file", file, ...known);
  expect(verified.code).toBe(0);
  expect(verified.json.anchors.map((one: { state: string }) => one.state)).toEqual(["held", "held"]);
  expect((await ledger("verify", "--state", state(), ...known)).code).toBe(0);

  const lines = (await readFile(file, "utf8")).split("\n");
  await writeFile(file, lines.toSpliced(-3, 1).join("\n"));
  const cut = await ledger("verify", "--file", file, "--key", fingerprint);
  expect([cut.code, cut.json.error.code]).toEqual([4, "LEDGER_BROKEN"]);
  expect((await ledger("verify", "--file", join(federation.home, "none"), ...known)).code).toBe(1);
  expect((await ledger("verify", "--file", file)).code).toBe(2);

  const log = (await ledger("egress", "--state", state(), "--study", first.id)).json;
  const vectors = log.filter((one: { what: string }) => one.what === "masked vector");
  const costs = vectors.map((one: { charge: { epsilon: number } }) => one.charge.epsilon);
  expect(costs.length).toBeGreaterThan(0);
  expect(costs.every((epsilon: number) => epsilon > 0 && epsilon <= 1)).toBe(true);
  const free = log.filter((one: { what: string }) => one.what !== "masked vector");
  expect(free.every((one: { charge: unknown }) => one.charge === null)).toBe(true);
});

it("refuses a study that the budget does not allow, with what remains, and charges nothing for it", async () => {
  const before = await population();
  const refused = await refusal(await start("too-much", 1.9));
  expect(refused.code).toBe("BUDGET_EXHAUSTED");
  expect(refused.reason).toMatch(/of 2/);
  expect(await population()).toEqual(before);
});

it("finds any change of the stored ledger, naming the entry, without an agent", async () => {
  await federation.site(gamma).stop();
  afterStudies = copyOf("after");
  await cp(state(), afterStudies, { recursive: true });
  const whole = await ledger("verify", "--state", state());
  expect([whole.code, whole.stderr]).toEqual([0, expect.stringContaining("No agent is running")]);
  expect((await ledger("show", "--state", state())).json.populations[0].spent).toBeGreaterThan(0.99);
  expect((await ledger("egress", "--state", state())).json.length).toBeGreaterThan(0);

  const tampered = copyOf("tampered");
  await cp(state(), tampered, { recursive: true });
  const member = { ...federation.site(gamma), state: tampered } as ReturnType<FaultFederation["site"]>;
  const [{ sequence }] = stored(
    member,
    "UPDATE ledger SET entry = replace(entry, '\"attempt\":1', '\"attempt\":2') WHERE entry LIKE '%\"commit\"%' RETURNING sequence",
  ) as [{ sequence: number }];
  const changed = await ledger("verify", "--state", tampered);
  expect([changed.code, changed.json.error.code]).toEqual([4, "LEDGER_BROKEN"]);
  expect(changed.json.error.message).toContain(`entry ${sequence}`);
  await rm(tampered, { recursive: true });

  // The old database beside the new anchor.
  const mixed = copyOf("mixed");
  await cp(beforeStudies, mixed, { recursive: true });
  await cp(join(afterStudies, "ledger-anchor.json"), join(mixed, "ledger-anchor.json"));
  const old = await ledger("verify", "--state", mixed);
  expect(old.code).toBe(4);
  expect(old.json.anchors).toMatchObject([{ from: "ledger-anchor.json", state: "missing" }]);
});

it("spends nothing after an old backup was restored, until what is missing is charged", async () => {
  const spentBefore = JSON.parse(
    (await federation.local.cliOrThrow("ledger", "show", "--state", state(), "--json")).stdout,
  ).populations[0].spent as number;
  await restoreBefore();
  // Nothing at the hospital knows any more; the certificate does, and the aggregator.
  expect((await ledger("verify", "--state", state())).code).toBe(0);
  const anchor = await anchorOf(first);
  expect((await ledger("verify", "--state", state(), "--anchor", anchor)).code).toBe(4);

  await federation.site(gamma).start();
  await federation.waitForPresence(sites, "online");
  const behind = await federation.until("gamma to learn that it is behind", async () => {
    const { json } = await ledger("show", "--state", state());
    return json.behind;
  });
  // The aggregator's head proves that entries are missing, and shows nothing of what they spent.
  expect(behind).toMatchObject({ isKnown: false, lost: [] });
  expect((await ledger("verify", "--state", state())).code).toBe(4);

  const refused = await refusal(await start("while-behind", 0.1));
  expect(refused.code).toBe("LEDGER_BEHIND");

  // It outlives a restart.
  await federation.site(gamma).stop("SIGKILL");
  await federation.site(gamma).start();
  await federation.until("gamma to know it again", async () => {
    const { json } = await ledger("show", "--state", state());
    return json.behind;
  });
  expect((await ledger("reconcile", "--state", state())).code).toBe(2);
  const undeclared = await ledger("reconcile", "--state", state(), "--yes");
  expect(undeclared.json.error.code).toBe("LEDGER_BEHIND");

  // With the newest anchor beside it, the same copy knows to the last digit what it has lost.
  await federation.site(gamma).stop();
  await cp(join(afterStudies, "ledger-anchor.json"), join(state(), "ledger-anchor.json"));
  await federation.site(gamma).start();
  const known = await federation.until("gamma to learn what it has lost", async () => {
    const { json } = await ledger("show", "--state", state());
    return json.behind?.isKnown === true ? json.behind : null;
  });
  expect(known.lost).toMatchObject([{ population: "default", unit: "row", unbounded: 0 }]);
  expect(known.lost[0].epsilon).toBeGreaterThanOrEqual(spentBefore);
  const charged = await ledger("reconcile", "--state", state(), "--yes");
  expect(charged.code).toBe(0);
  expect(charged.json.entries).toHaveLength(1);
  const { spent } = await population();
  expect(spent).toBeGreaterThanOrEqual(spentBefore);
  expect(spent).toBeLessThan(spentBefore * 1.01);

  const verified = await ledger("verify", "--state", state(), "--anchor", anchor);
  expect(verified.code).toBe(0);
  expect(verified.json.anchors.map((one: { state: string }) => one.state)).toContain("reconciled");
  expect((await ledger("reconcile", "--state", state(), "--yes")).json.entries).toEqual([]);

  await federation.waitForPresence(sites, "online");
  await federation.ended(await start("afterwards", 0.3), "released");
  expect((await population()).spent).toBeGreaterThan(spent);
  expect((await refusal(await start("too-much-again", 1.9))).code).toBe("BUDGET_EXHAUSTED");
  expect((await ledger("verify", "--state", state())).code).toBe(0);
});

it("continues by a person's word where no anchor is left, and charges every population for it", async () => {
  await federation.site(gamma).stop();
  await restoreBefore();
  await federation.site(gamma).start();
  await federation.until("gamma to learn that it is behind", async () => {
    const { json } = await ledger("show", "--state", state());
    return json.behind;
  });
  // A population's whole limit is never too little: the copy that was lost has kept to it.
  const charged = await ledger("reconcile", "--state", state(), "--yes", "--charge", String(budget.epsilon));
  expect(charged.code).toBe(0);
  const { spent, remaining } = await population();
  expect(spent).toBeGreaterThanOrEqual(budget.epsilon);
  expect(remaining).toBe(0);
  await federation.waitForPresence(sites, "online");
  expect((await refusal(await start("nothing-left", 0.1))).code).toBe("BUDGET_EXHAUSTED");
  expect((await ledger("verify", "--state", state())).code).toBe(0);
});

it("shows the aggregator neither a population's name nor what it has spent", () => {
  const [shown] = stored(federation.aggregator, "SELECT head FROM ledger_heads WHERE site = ?", gamma);
  const head = JSON.parse(String(shown?.head)) as object;
  expect(Object.keys(head).sort()).toEqual(["federation", "hash", "sequence", "site", "totals"]);
});
