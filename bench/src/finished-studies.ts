/** What an aggregator that has led thousands of studies takes to start, and to list them. */
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
import { compare, median, printReport, wholeNumbers } from "./report.js";

const usage = `Usage: npm run bench -- finished-studies [--studies 10000] [--repeats 5] [--json]

Writes so many released studies into an aggregator's store, starts it as a process, and asks for them over its API: all of
them, first and again, and one. To start may take 2 s, to list 100 ms. What a process needs to start without any study is
told beside it.

  --studies  how many
  --repeats  of each question; the median counts
  --json     one JSON object in place of the table`;

const startMostMs = 2_000;
const listMostMs = 100;
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
      repeats: { type: "string", default: "5" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return;
  }
  const count = wholeNumbers(values.studies, 1, usage)[0]!;
  const repeats = wholeNumbers(values.repeats, 1, usage)[0]!;
  const home = await mkdtemp(join(tmpdir(), "consilium-finished-"));
  const federation = await LocalFederation.create(join(home, "federation"), "finished");
  try {
    const { aggregator } = federation;
    const restart = async () => {
      await aggregator.stop();
      return timed(() => aggregator.start());
    };
    const emptyMs = await restart();
    await aggregator.stop();
    writeStudies(aggregator.state, count);
    const startMs: number[] = [];
    const firstMs: number[] = [];
    for (let i = 0; i < repeats; i++) {
      startMs.push(await restart());
      firstMs.push(await timed(() => federation.api("GET", "/api/studies")));
    }
    const ask = async (path: string) => {
      const times: number[] = [];
      for (let i = 0; i < repeats; i++) times.push(await timed(() => federation.api("GET", path)));
      return median(times);
    };
    const found = await federation.api<unknown[]>("GET", "/api/studies");
    if (found.length !== count) throw new Error(`${found.length} of ${count} studies are listed`);
    const one = `/api/studies/finished-${String(count - 1).padStart(10, "0")}`;
    const row = (name: string, ms: number, most: number) => compare(name, ms, most, 1, "lower");
    printReport(
      {
        bench: "finished-studies",
        unit: "ms",
        reference: `reference: ${startMostMs} ms to start, ${listMostMs} ms to list`,
        better: "lower",
        statistic: "median",
        rows: [
          row(`start with ${count} finished studies`, median(startMs), startMostMs),
          row("list all, first", median(firstMs), listMostMs),
          row("list all, again", await ask("/api/studies"), listMostMs),
          row("one study", await ask(one), listMostMs),
        ],
        notes: [`start without any: ${emptyMs.toFixed(0)} ms`],
      },
      { json: values.json, repeats },
    );
  } finally {
    await federation.remove();
    await rm(home, { recursive: true, force: true });
  }
}
