import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { StudyView } from "@consilium/core/operator/views";
import { measureWorth, type Worth } from "./demoYardstick.js";
import { LocalFederation } from "./localFederation.js";

/**
 * The main job on real input: four hospitals, an aggregator and a publisher as processes of their own, with mutual
 * TLS; four studies of the same breast biopsies; each release fetched back and verified as an analyst would.
 */
const usage = `Usage: npm run demo [-- --json] [-- --keep]

Runs a federation of four hospitals on this machine, on the Wisconsin breast cancer table.

  --json   print one JSON object to standard output; progress goes to standard error
  --keep   leave the network up until Ctrl-C, and print its addresses
  --help   this text
`;

const root = fileURLToPath(new URL("..", import.meta.url));
const hospitals = ["hospital-a", "hospital-b", "hospital-c", "hospital-d"];
/** The variant whose privacy is proved comes first, the published ones beside it, the yardstick last. */
const studies = ["wdbc-dp-pca", "wdbc-elfedpca", "wdbc-dpdispca", "wdbc-none"];

interface DemoStudy {
  readonly name: string;
  readonly analysis: string;
  readonly variant: string;
  readonly sites: number;
  /** Rows of the release: synthetic ones of a proved variant, the hospitals' own reduced ones of the others. */
  readonly rows: number;
  readonly synthetic: boolean;
  readonly verdict: string;
  readonly epsilon: number | null;
  readonly delta: number | null;
  readonly energy: number;
  readonly accuracy: number;
  readonly seconds: number;
  readonly release: { readonly id: string; readonly url: string; readonly verified: boolean };
}

interface DemoOutcome {
  readonly study: DemoStudy;
  readonly method: string;
}

const { values: options } = parseArgs({
  options: { json: { type: "boolean" }, keep: { type: "boolean" }, help: { type: "boolean" } },
});
if (options.help) {
  process.stdout.write(usage);
  process.exit(0);
}

const say = (line: string) => process.stderr.write(`${line}\n`);

const home = await mkdtemp(join(tmpdir(), "consilium-demo-"));
let federation: LocalFederation | null = null;

async function end(code: number): Promise<never> {
  await federation?.stop();
  await rm(home, { recursive: true, force: true });
  process.exit(code);
}
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => void end(options.keep ? 0 : 130));

try {
  federation = await startNetwork();
  const outcomes: DemoOutcome[] = [];
  for (const name of studies) outcomes.push(await runStudy(federation, name));
  const ok = outcomes.every(({ study }) => study.release.verified);
  if (options.json)
    process.stdout.write(`${JSON.stringify({ ok, studies: outcomes.map(({ study }) => study) })}\n`);
  else process.stdout.write(summary(outcomes));
  if (options.keep) {
    await printAddresses(federation);
    await new Promise(() => undefined);
  }
  await end(ok ? 0 : 1);
} catch (thrown) {
  say(`\nThe demo failed: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  await end(1);
}

async function startNetwork(): Promise<LocalFederation> {
  say(`A federation in ${home}`);
  const network = await LocalFederation.create(join(home, "federation"), "demo");
  federation = network;
  say("  aggregator and publisher are up; inviting four hospitals");
  await Promise.all(
    hospitals.map(async (id) => {
      const table = join(root, "examples", "data", `${id}.csv`);
      // The table is public, so the hospitals allow a study without privacy: it is the yardstick for the others.
      const policy = { budget: { epsilon: 10, delta: 1e-6 } };
      await network.addSite({ id, tables: { biopsies: table }, allowNoPrivacy: true, policy });
      say(`  ${id} enrolled and online`);
    }),
  );
  await network.waitForSites();
  return network;
}

async function runStudy(network: LocalFederation, name: string): Promise<DemoOutcome> {
  const yaml = await readFile(join(root, "examples", "studies", `${name}.yaml`), "utf8");
  const { id } = await network.startStudy(yaml);
  say(`\nStudy ${id}`);
  const seen = new Set<string>();
  const view = await network.waitForStudy(
    id,
    (now) => {
      for (const step of now.steps) {
        if (step.status !== "done" || seen.has(step.id)) continue;
        seen.add(step.id);
        say(`  ${step.id.padEnd(22)}${(step.seconds ?? 0).toFixed(2).padStart(6)} s`);
      }
      return now.status === "released";
    },
    120_000,
  );
  const folder = join(home, "analyst", id);
  const { http } = await network.publisher.addresses();
  const authority = join(network.home, "authority", "root.pem");
  const got = await network.cli(
    "release",
    "get",
    id,
    "--publisher",
    `http://${http}`,
    "--to",
    folder,
    "--authority",
    authority,
  );
  if (got.code !== 0) say(`  ${got.stderr.trim()}`);
  const verified = got.code === 0;
  if (verified) say("  fetched and verified against the federation's root");
  const worth = await measureWorth(join(root, "examples", "data", "wdbc.csv"), folder);
  const lines = (await readFile(join(folder, "data.csv"), "utf8")).trim().split("\n").length - 1;
  return { study: demoStudy(view, verified, lines, worth), method: view.method };
}

function demoStudy(view: StudyView, verified: boolean, rows: number, worth: Worth): DemoStudy {
  return {
    name: view.name,
    analysis: view.analysis,
    variant: view.variant,
    sites: view.sites,
    rows,
    synthetic: view.variant === "sound",
    verdict: view.claim.verdict,
    epsilon: view.claim.epsilon,
    delta: view.claim.delta,
    energy: Math.round(worth.energy * 1e4) / 1e4,
    accuracy: Math.round(worth.accuracy * 1e4) / 1e4,
    seconds: Math.round(view.seconds * 100) / 100,
    release: { id: view.release?.id ?? "", url: view.release?.url ?? "", verified },
  };
}

function summary(outcomes: readonly DemoOutcome[]): string {
  const percent = (part: number) => `${(100 * part).toFixed(1)} %`;
  const rows = outcomes.map(({ study, method }) => [
    study.name,
    `${method}, ${study.variant}`,
    privacyOf(study),
    `${study.rows} ${study.synthetic ? "synthetic" : "real"}`,
    percent(study.energy),
    percent(study.accuracy),
    study.seconds.toFixed(1),
    study.release.verified ? "verified" : "NOT VERIFIED",
  ]);
  const head = ["study", "method", "privacy", "rows out", "energy", "diagnosis", "seconds", "release"];
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]!.length)));
  const line = (cells: readonly string[]) =>
    `  ${cells.map((cell, i) => cell.padEnd(widths[i]!)).join("  ")}`.trimEnd();
  return [
    "",
    line(head),
    line(widths.map((width) => "─".repeat(width))),
    ...rows.map(line),
    "",
    ...outcomes.map(({ study }) => `  ${study.release.url}`),
    "",
    "  energy: variance that the published components hold, as a part of what the best ones hold without privacy.",
    "  diagnosis: biopsies told right by the nearest class mean of the released rows. Both are measured on the demo's",
    "  whole table, which is public; nobody in a federation has such a view.",
    "  proved: the certificate's ε, added up again by `release verify`. claimed: by the authors, and why not to rely on",
    "  it, its certificate says; those releases hold the hospitals' own rows, reduced.",
    "",
  ].join("\n");
}

function privacyOf({ epsilon, verdict }: DemoStudy): string {
  if (epsilon === null) return "none";
  return `ε ${Number(epsilon.toPrecision(3))}, ${verdict === "proved" ? "proved" : "claimed"}`;
}

async function printAddresses(network: LocalFederation): Promise<void> {
  const aggregator = await network.aggregator.addresses();
  const publisher = await network.publisher.addresses();
  const lines = [
    "The network is up until Ctrl-C.",
    `  operator API    http://${aggregator.http}   (token in ${join(network.aggregator.state, "operator-token")})`,
    `  catalogue       http://${publisher.http}`,
    ...(await Promise.all(
      [...network.sites].map(
        async ([id, member]) => `  ${id.padEnd(14)}  http://${(await member.addresses()).console}/healthz`,
      ),
    )),
    "",
    `  CONSILIUM_HOME=${network.home} node cli/dist/main.js study list`,
    "",
  ];
  (options.json ? process.stderr : process.stdout).write(`${lines.join("\n")}\n`);
}
