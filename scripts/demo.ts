import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { StudyView } from "@consilium/core/operator/views";
import { counted } from "@consilium/core/words";
import { measureWorth, type ReleasedFact, releasedFacts } from "./demoWorth.js";
import { LocalFederation } from "./localFederation.js";

/**
 * The main job on real input: four hospitals, an aggregator and a publisher as processes of their own, with mutual TLS;
 * how many biopsies there are to study, a table one and odds ratios, then five analyses, each in its proven and its published variant, on the
 * same breast biopsies; survival curves of a made-up trial, and rows to publish of it; each release fetched back and verified as an analyst
 * would.
 */
const usage = `Usage: npm run demo [-- --json] [-- --keep] [-- --only <part of a study's name>]

Runs a federation of four hospitals on this machine, on the Wisconsin breast cancer table and a
made-up trial.

  --json   print one JSON object to standard output; progress goes to standard error
  --keep   leave the network up until Ctrl-C, and print its addresses and links to sign in with
  --only   run the studies whose name has this in it, as wdbc-dp-pca
  --help   this text
`;

/** Whom the catalogue names for questions about the federation; nobody reads it. */
const contact = "operator@demo-federation.example";
const root = fileURLToPath(new URL("..", import.meta.url));
const hospitals = ["hospital-a", "hospital-b", "hospital-c", "hospital-d"];
/** What a network asks first; then every analysis in the variant whose privacy is proven, and as it was published where it was. */
const allStudies = [
  "wdbc-counts",
  "wdbc-describe",
  "wdbc-regression",
  "wdbc-dp-pca",
  "wdbc-elfedpca",
  "wdbc-felp-a",
  "wdbc-felp",
  "wdbc-dp-histboost",
  "wdbc-cart-dps-adaboost",
  "wdbc-dp-ka",
  "wdbc-xgb-ka",
  "wdbc-dp-pcc",
  "wdbc-pearson-tree",
  "trial-survival",
  "trial-synthetic",
];
/** Studies of the trial's table; all others are of the biopsies'. */
const isOfTrial = (name: string) => name.startsWith("trial-");

interface DemoStudy {
  readonly name: string;
  readonly analysis: string;
  readonly method: string;
  readonly variant: string;
  readonly sites: number;
  readonly verdict: string;
  readonly epsilon: number | null;
  readonly delta: number | null;
  /** What the release is worth: of biopsies, the part whose diagnosis it tells right (`demoWorth.ts`); null where it predicts nothing. */
  readonly accuracy: number | null;
  /** The same of the same study without privacy. */
  readonly accuracyWithoutPrivacy: number | null;
  /** What a release says that predicts nothing, each beside the whole table's own number. */
  readonly facts: readonly ReleasedFact[];
  readonly seconds: number;
  readonly release: { readonly id: string; readonly url: string; readonly verified: boolean };
}

/** Of each study so many steps are told one by one. */
const stepsShown = 8;

const { values: options } = parseArgs({
  options: {
    json: { type: "boolean" },
    keep: { type: "boolean" },
    only: { type: "string", default: "" },
    help: { type: "boolean" },
  },
});
const studies = allStudies.filter((name) => name.includes(options.only));
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
  const startedAt = performance.now();
  const outcomes: DemoStudy[] = [];
  for (const name of studies) outcomes.push(await runBoth(federation, name));
  say(
    `\n${studies.length} studies, each without privacy too: ${Math.round((performance.now() - startedAt) / 1000)} s`,
  );
  const ok = outcomes.every(({ release }) => release.verified);
  if (options.json) process.stdout.write(`${JSON.stringify({ ok, studies: outcomes })}\n`);
  else process.stdout.write(summary(outcomes));
  if (options.keep) {
    for (const id of federation.sites.keys()) await federation.startConsole(id);
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
  const network = await LocalFederation.create(join(home, "federation"), "demo", ["--contact", contact]);
  federation = network;
  say("  aggregator and publisher are up; inviting four hospitals");
  await Promise.all(
    hospitals.map(async (id) => {
      const tables = {
        biopsies: join(root, "examples", "data", `${id}.csv`),
        trial: join(root, "examples", "data", "trial", `${id}.csv`),
      };
      // The tables are public, so the hospitals allow a study without privacy: it is the yardstick for the others.
      const budget = { epsilon: 12, delta: 1e-6 };
      // Patients of the trial are others than those with a biopsy, and have a budget of their own.
      const policy = { budget, populations: { trial: { tables: ["trial"], epsilon: 6, delta: 1e-6 } } };
      await network.addSite({ id, tables, allowNoPrivacy: true, policy });
      say(`  ${id} enrolled and online`);
    }),
  );
  await network.waitForSites();
  return network;
}

/** A study, and at the same time the same one without privacy: what the noise costs. */
async function runBoth(network: LocalFederation, name: string): Promise<DemoStudy> {
  const yaml = await readFile(join(root, "examples", "studies", `${name}.yaml`), "utf8");
  const without = yaml
    .replace(/^privacy:.*$/m, "privacy: none")
    .replace(`name: ${name}`, `name: ${name}-none`)
    .replace(/^( +title: .*) private /m, "$1 ")
    .replace(/^( +title: .*?)( \([^)]*private\))?$/m, "$1 (without privacy, for comparison)");
  const [own, none] = await Promise.all([
    runStudy(network, yaml, true),
    /^privacy: none$/m.test(yaml) ? null : runStudy(network, without, false),
  ]);
  const { view } = own;
  return {
    name: view.name,
    analysis: view.analysis,
    method: view.method,
    variant: view.variant,
    sites: view.sites,
    verdict: view.claim.verdict,
    epsilon: view.claim.epsilon,
    delta: view.claim.delta,
    accuracy: rounded(own.accuracy, 4),
    accuracyWithoutPrivacy: rounded((none ?? own).accuracy, 4),
    facts: own.facts,
    seconds: rounded(view.seconds, 2),
    release: {
      id: view.release?.id ?? "",
      url: view.release?.url ?? "",
      verified: own.verified && (none ?? own).verified,
    },
  };
}

interface Run {
  readonly view: StudyView;
  readonly verified: boolean;
  readonly accuracy: number | null;
  readonly facts: readonly ReleasedFact[];
}

/** @param isShown - whether its steps are told */
async function runStudy(network: LocalFederation, yaml: string, isShown: boolean): Promise<Run> {
  const { id } = await network.startStudy(yaml);
  if (isShown) say(`\nStudy ${id}`);
  const tell = isShown ? stepTeller() : () => undefined;
  const view = await network.waitForStudy(
    id,
    (now) => {
      tell(now);
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
  const verified = got.code === 0;
  if (!verified) say(`  ${got.stderr.trim()}`);
  else if (isShown) say("  fetched and verified against the federation's root");
  const data = join(root, "examples", "data");
  const tables = isOfTrial(view.name)
    ? hospitals.map((id) => join(data, "trial", `${id}.csv`))
    : [join(data, "wdbc.csv")];
  return {
    view,
    verified,
    accuracy: await measureWorth(tables, folder),
    facts: await releasedFacts(tables, folder),
  };
}

/** Tells of each step that is done; of many, the first ones and how many more. */
function stepTeller(): (view: StudyView) => void {
  const seen = new Set<string>();
  let untold = 0;
  return (now) => {
    for (const step of now.steps) {
      if (step.status !== "done" || seen.has(step.id)) continue;
      seen.add(step.id);
      if (seen.size <= stepsShown)
        say(`  ${step.id.padEnd(22)}${(step.seconds ?? 0).toFixed(2).padStart(6)} s`);
      else untold++;
    }
    if (now.status === "released" && untold > 0) say(`  and ${counted(untold, "more step")}`);
  };
}

function rounded<T extends number | null>(value: T, digits: number): T {
  if (value === null) return value;
  return (Math.round(value * 10 ** digits) / 10 ** digits) as T;
}

function summary(outcomes: readonly DemoStudy[]): string {
  const percent = (part: number | null) => (part === null ? "" : `${(100 * part).toFixed(1)} %`);
  const rows = outcomes.map((study) => [
    study.name,
    `${study.method}, ${study.variant}`,
    privacyOf(study),
    percent(study.accuracy),
    percent(study.accuracyWithoutPrivacy),
    study.seconds.toFixed(1),
    study.release.verified ? "verified" : "NOT VERIFIED",
  ]);
  const head = ["study", "method", "privacy", "right", "without privacy", "seconds", "release"];
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]!.length)));
  const line = (cells: readonly string[]) =>
    `  ${cells.map((cell, i) => cell.padEnd(widths[i]!)).join("  ")}`.trimEnd();
  return [
    "",
    line(head),
    line(widths.map((width) => "─".repeat(width))),
    ...rows.map(line),
    "",
    ...outcomes.flatMap(({ name, facts }) =>
      facts.map((fact) => `  ${name.padEnd(widths[0]!)}  ${factText(fact)}`),
    ),
    "",
    ...(options.keep
      ? outcomes.map(({ release }) => `  ${release.url}`)
      : [
          "  The network ends with the demo: `npm run demo -- --keep` leaves it up, with the pages of these releases.",
        ]),
    "",
    "  right: biopsies classified correctly in the whole table. PCA: by the nearest class mean of the released rows; selected",
    "  features: by the nearest class mean in their columns; regression and trees: by the model. 62.7 % are benign. What predicts",
    "  nothing has its first numbers below, beside those of the whole table. The tables are public; nobody in a federation has",
    "  such a view.",
    "  without privacy: the same study with no noise anywhere.",
    "  proven: the certificate's ε, recomputed by `release verify`. claimed: by the authors, and why not to rely on",
    "  it, its certificate says. K-anonymous: as published, and no privacy in the sense of the others.",
    "",
  ].join("\n");
}

function factText({ what, value, interval, truth }: ReleasedFact): string {
  const short = (x: number) => String(Number(x.toPrecision(4)));
  const between = interval === null ? "" : ` (95 %: ${short(interval.low)} to ${short(interval.high)})`;
  return `${what}: ${short(value)}${between}; in the whole table ${short(truth)}`;
}

function privacyOf({ analysis, epsilon, verdict }: DemoStudy): string {
  if (epsilon === null) return analysis === "k-anonymous-selection" ? "K-anonymous" : "none";
  return `ε ${Number(epsilon.toPrecision(3))}, ${verdict === "proved" ? "proven" : "claimed"}`;
}

/** One account for each console, to be signed in to by its link. */
async function printAddresses(network: LocalFederation): Promise<void> {
  const linkFor = async (...args: string[]): Promise<string> => {
    const { stdout } = await network.cliOrThrow("account", "add", "demo", ...args);
    return /http\S+/.exec(stdout)![0];
  };
  const publisher = await network.publisher.addresses();
  const hospitals: string[] = [];
  for (const id of network.consoles.keys())
    hospitals.push(`  ${id.padEnd(17)} ${await linkFor("--role", "administrator", "--site", id)}`);
  const lines = [
    "The network is up until Ctrl-C. Each link sets the password of an account named demo, once.",
    "",
    `  operator console  ${await linkFor("--role", "operator")}`,
    ...hospitals,
    `  catalogue         http://${publisher.http}`,
    "",
    `  CONSILIUM_HOME=${network.home} node cli/dist/main.js study list`,
    "",
  ];
  (options.json ? process.stderr : process.stdout).write(`${lines.join("\n")}
`);
}
