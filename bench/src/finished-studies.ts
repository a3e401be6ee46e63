/** What an aggregator that has led thousands of studies, and their publisher, take to start, and to list them. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { StudyRecords } from "@consilium/aggregator/rounds/records";
import { migrations } from "@consilium/aggregator/store/schema";
import type { SiteId, StudyId } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import { studyDocument } from "@consilium/core/study/study";
import { softwareVersion } from "@consilium/core/version";
import { parseStudy } from "@consilium/methods/testing/studies";
import { openStore } from "@consilium/runtime/store/store";
import { LocalFederation } from "../../scripts/localFederation.js";
import { measureReleases, medianStart, type Start, startWords, timedStart } from "./finishedReleases.js";
import { type BenchRow, compare, median, printReport, wholeNumbers } from "./report.js";

const usage = `Usage: npm run bench -- finished-studies [--studies 10000] [--releases 10000] [--repeats 5] [--json]

Writes so many released studies into an aggregator's store, starts it as a process, and asks over its API for a page of them,
for what a search leaves, and for one. Then the same of a publisher with so many releases, each signed and countersigned: its
list, searches, feed, and one release's page. To start may take 2 s, an answer 100 ms. What the processes need to start
without any is told beside it, and how long a publisher needs that has not seen the releases before: it verifies each.

  --studies   how many; 0 leaves the aggregator out
  --releases  how many; 0 leaves the publisher out
  --repeats   of each question; the median counts
  --json      one JSON object in place of the table`;

const startMostMs = 2_000;
const askedMostMs = 100;
const sites = 5;

function writeStudies(state: string, count: number): void {
  const store = openStore(join(state, "state.db"), migrations);
  const records = new StudyRecords(store);
  const names = Array.from({ length: sites }, (_, i) => `site-${i}` as SiteId);
  const { text, hash } = studyDocument(
    unwrap(
      parseStudy({
        name: "finished",
        table: "records",
        analysis: "pca",
        parameters: { components: 2 },
        privacy: { epsilon: 1, delta: 1e-5 },
        participation: { minimumSites: 3, maxRowsPerSite: 10_000 },
        features: Array.from({ length: 20 }, (_, i) => ({ name: `c${i}`, type: "numeric", min: 0, max: 1 })),
      }),
    ),
  );
  store.transaction(() => {
    for (let i = 0; i < count; i++) {
      const id = `finished-${String(i).padStart(10, "0")}` as StudyId;
      const createdAt = 1_700_000_000_000 + i * 60_000;
      records.create({
        id,
        name: "finished",
        text,
        hash,
        software: softwareVersion,
        createdAt,
        sites: names,
      });
      records.fixRoster(id, names);
      records.setRelease(id, `http://127.0.0.1/releases/${id}`);
      records.end(id, { status: "released", at: createdAt + 30_000 });
    }
  });
  store.close();
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      studies: { type: "string", default: "10000" },
      releases: { type: "string", default: "10000" },
      repeats: { type: "string", default: "5" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return;
  }
  const studies = wholeNumbers(values.studies, 0, usage)[0]!;
  const releases = wholeNumbers(values.releases, 0, usage)[0]!;
  const repeats = wholeNumbers(values.repeats, 1, usage)[0]!;
  const measured = [
    ...(studies === 0 ? [] : [await measureStudies(studies, repeats)]),
    ...(releases === 0 ? [] : [await reportedReleases(releases, repeats)]),
  ];
  printReport(
    {
      bench: "finished-studies",
      unit: "ms",
      reference: `reference: ${startMostMs} ms to start, ${askedMostMs} ms for an answer`,
      better: "lower",
      statistic: "median",
      rows: measured.flatMap(({ rows }) => rows),
      notes: measured.flatMap(({ notes }) => notes),
    },
    { json: values.json, repeats },
  );
}

interface Measured {
  readonly rows: readonly BenchRow[];
  readonly notes: readonly string[];
}

const row = (name: string, ms: number, most: number) => compare(name, ms, most, 1, "lower");

async function reportedReleases(count: number, repeats: number): Promise<Measured> {
  const { empty, verifyingMs, started, peakMiB, askedMs } = await measureReleases(count, repeats);
  return {
    rows: [
      row(`publisher: start with ${count} releases`, started.ms, startMostMs),
      ...[...askedMs].map(([name, ms]) => row(`publisher: ${name}`, ms, askedMostMs)),
    ],
    notes: [
      `publisher: start without any ${startWords(empty)}; with ${count} ${startWords(started)}, at most ${peakMiB.toFixed(0)} MiB; ` +
        `the first start, which verifies all, ${(verifyingMs / 1000).toFixed(0)} s`,
    ],
  };
}

async function measureStudies(count: number, repeats: number): Promise<Measured> {
  const home = await mkdtemp(join(tmpdir(), "consilium-finished-"));
  const federation = await LocalFederation.create(join(home, "federation"), "finished");
  try {
    const { aggregator } = federation;
    const empty = await timedStart(aggregator);
    await aggregator.stop();
    writeStudies(aggregator.state, count);
    const starts: Start[] = [];
    const firstMs: number[] = [];
    for (let i = 0; i < repeats; i++) {
      starts.push(await timedStart(aggregator));
      firstMs.push(await timed(() => federation.api("GET", "/api/studies")));
    }
    const ask = async (path: string) => {
      const times: number[] = [];
      for (let i = 0; i < repeats; i++) times.push(await timed(() => federation.api("GET", path)));
      return median(times);
    };
    const idOf = (n: number) => `finished-${String(n).padStart(10, "0")}`;
    const expectOf = async (path: string, due: number) => {
      const found = await federation.api<unknown[]>("GET", path);
      if (found.length !== due) throw new Error(`${path} lists ${found.length} studies and not ${due}`);
    };
    const middle = idOf(Math.floor(count / 2));
    const [page, search] = ["/api/studies?limit=100", `/api/studies?q=${middle}%20dp-pca&status=released`];
    const later = `/api/studies?limit=100&order=longest&after=${middle}`;
    await expectOf(page, Math.min(100, count));
    await expectOf(search, 1);
    const started = medianStart(starts);
    return {
      rows: [
        row(`aggregator: start with ${count} finished studies`, started.ms, startMostMs),
        row("aggregator: list, first", median(firstMs), askedMostMs),
        row("aggregator: list, again", await ask(page), askedMostMs),
        row("aggregator: page in the middle, longest first", await ask(later), askedMostMs),
        row("aggregator: search", await ask(search), askedMostMs),
        row("aggregator: one study", await ask(`/api/studies/${idOf(count - 1)}`), askedMostMs),
      ],
      notes: [`aggregator: start without any ${startWords(empty)}; with ${count} ${startWords(started)}`],
    };
  } finally {
    await federation.remove();
    await rm(home, { recursive: true, force: true });
  }
}
