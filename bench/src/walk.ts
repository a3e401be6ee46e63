/**
 * The whole story as three people live it, in Chromium over real processes, on a made-up table of 40 columns at four hospitals:
 * an operator from the set-up link to the first study, a hospital from its token to its decision, an analyst from the
 * catalogue to odds ratios in pandas and a figure of them. Each time is the machine's, as measured, and a person's, as assumed.
 */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Browser } from "playwright-core";
import { LocalFederation } from "../../scripts/localFederation.js";
import { launch, noBrowser, setUpLink } from "../../test/browser/browser.js";
import { compare, printReport } from "./report.js";
import { Terminal } from "./walk/hospital.js";
import { assumed, Person, type Times } from "./walk/person.js";
import {
  analyses,
  areOnline,
  composes,
  decides,
  enrols,
  invites,
  isReleased,
  makesAccount,
} from "./walk/story.js";
import { writeTable } from "./walk/table.js";

/** Minutes that each person may take. */
const marks = { operator: 10, hospital: 5, analyst: 3 } as const;

const hospitals = ["st-mary", "st-john", "north-clinic", "south-clinic"];
/** What the study looks at; their bounds and levels are proposed. */
const columns = [
  "age",
  "sex",
  "diabetes",
  "heart_failure",
  "systolic_pressure",
  "creatinine",
  "haemoglobin",
  "smoking",
];

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { json: { type: "boolean", default: false }, rows: { type: "string", default: "100000" } },
  });
  const rows = Number(values.rows);
  if (!Number.isInteger(rows) || rows < 1_000)
    throw new RangeError("--rows is not a whole number of at least 1000");
  if (noBrowser !== null) throw new Error(noBrowser);
  const home = await mkdtemp(join(tmpdir(), "consilium-walk-"));
  const terminal = new Terminal(join(home, "at-st-mary"));
  const browser = await launch();
  let federation: LocalFederation | null = null;
  try {
    await mkdir(join(home, "tables"));
    for (const site of hospitals) await writeTable(tableOf(home, site), rows, site);
    federation = await LocalFederation.create(join(home, "federation"), "north-sea");
    const walked = await walk(browser, federation, terminal, home, rows);
    const row = (who: keyof typeof marks, times: Times) =>
      compare(nameOf[who], minutes(times.machineMs + times.humanMs), marks[who], 1, "lower");
    printReport(
      {
        bench: "walk",
        unit: `minutes, machine and person; ${rows} rows of 40 columns at each of ${hospitals.length} hospitals`,
        reference: "reference: the mark",
        better: "lower",
        rows: [
          row("operator", walked.operator),
          row("hospital", walked.hospital),
          row("analyst", walked.analyst),
        ],
        notes: [
          ...(["operator", "hospital", "analyst"] as const).map((who) => `${who}: ${split(walked[who])}`),
          `a person: ${assumed.keyMs} ms a key, ${assumed.clickMs / 1000} s a click, ${assumed.pageMs / 1000} s a new page, ${assumed.wordMs} ms a word that is read`,
          `between them, with nobody at a screen: ${(walked.studyMs / 1000).toFixed(0)} s for the study`,
          walked.printed.trim(),
        ],
      },
      { json: values.json, repeats: 1 },
    );
  } finally {
    await browser.close();
    await terminal.close();
    await federation?.stop();
    await rm(home, { recursive: true, force: true });
  }
}

const nameOf = {
  operator: "operator: set-up link to first study",
  hospital: "hospital: token to decision",
  analyst: "analyst: catalogue to a figure in pandas",
} as const;

const tableOf = (home: string, site: string) => join(home, "tables", `${site}.csv`);
const minutes = (ms: number) => ms / 60_000;

function split({ machineMs, humanMs, keys, clicks, pages, words }: Times): string {
  const seconds = (ms: number) => `${(ms / 1000).toFixed(0)} s`;
  return `machine ${seconds(machineMs)}, person ${seconds(humanMs)} (${keys} keys, ${clicks} clicks, ${pages} pages, ${words} words)`;
}

async function arrives(browser: Browser): Promise<Person> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: "en-US" });
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  return new Person(await context.newPage());
}

interface Walked extends Readonly<Record<keyof typeof marks, Times>> {
  readonly studyMs: number;
  readonly printed: string;
}

async function walk(
  browser: Browser,
  federation: LocalFederation,
  terminal: Terminal,
  home: string,
  rows: number,
): Promise<Walked> {
  const [operator, hospital, analyst] = [
    await arrives(browser),
    await arrives(browser),
    await arrives(browser),
  ];
  operator.starts();
  await makesAccount(operator, await setUpLink(federation.aggregator.state), "olga");
  await operator.sees(operator.page.getByRole("heading", { name: "Federation", exact: true }));
  const invited = await invites(operator, hospitals);
  operator.waits();

  const [own, ...others] = invited;
  hospital.starts();
  await enrols(hospital, terminal, own!, tableOf(home, own!.site));
  hospital.waits();
  for (const { site, token } of others)
    await federation.addInvited(token, {
      id: site,
      tables: { patients: tableOf(home, site) },
      units: { patients: "patient:patient_id:4" },
    });
  await areOnline(federation, hospitals);

  operator.starts();
  const study = await composes(operator, columns, rows);
  operator.waits();

  await hospital.page.getByRole("link", { name: /^Studies \(1\)/ }).waitFor();
  hospital.starts();
  await decides(hospital, study);
  hospital.waits();
  const since = performance.now();
  await isReleased(federation, study);
  const studyMs = performance.now() - since;

  analyst.starts();
  const printed = await analyses(analyst, federation, home, process.env.CONSILIUM_PYTHON ?? "python3");
  analyst.waits();
  return { operator: operator.times, hospital: hospital.times, analyst: analyst.times, studyMs, printed };
}
