/** A publisher with thousands of releases: what it takes to start, and to show them. */
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Sha256 } from "@consilium/core/ids";
import { certificateFile, type ReleaseFile, signatureFile } from "@consilium/core/release/certificate";
import { renderRelease } from "@consilium/publisher/formats/render";
import {
  certifierFor,
  sampleContent,
  type TestSigner,
  testSigner,
} from "@consilium/publisher/testing/release";
import { privateKeyToPem } from "@consilium/runtime/identity/x509";
import { type TestFederation, testFederation } from "@consilium/runtime/testing/identity/federation";
import { Member } from "../../scripts/localFederation.js";
import { peakMemoryMiB, processorMs } from "./processFigures.js";
import { median } from "./report.js";

/** In every file of the release that the others are made of, where they have a number of their own. */
const placeholder = "0000000000";
const placeholderDay = "2024-01-01";
const numbered = (n: number) => String(n).padStart(placeholder.length, "0");
const dayOf = (n: number) => new Date(Date.parse(placeholderDay) + n * 3_600_000).toISOString().slice(0, 10);
export const releaseId = (n: number) => `release-${numbered(n)}`;

const template = sampleContent({
  id: `release-${placeholder}`,
  title: `Released components ${placeholder}`,
  createdAt: `${placeholderDay}T03:04:05Z`,
  columns: [],
  rows: 0,
});

async function writePublisher(state: string, federation: TestFederation): Promise<void> {
  const leaf = await federation.leaf("publisher", "publisher");
  await mkdir(join(state, "identity"), { recursive: true });
  const write = (name: string, text: string) => writeFile(join(state, "identity", name), text);
  await write("tls-key.pem", leaf.tlsKeyPem);
  await write("signing-key.pem", privateKeyToPem(leaf.signingKey));
  await write("chain.pem", leaf.chainPem);
  await write("root.pem", federation.root.certificatePem);
  await writeFile(join(state, "config.yaml"), 'listen: { grpc: "127.0.0.1:0", http: "127.0.0.1:0" }\n');
}

/** Files of one release, rendered as a deposit's are. */
async function renderTemplate(folder: string): Promise<ReadonlyMap<string, string>> {
  const [dataPath, scratch, out] = ["data", "scratch", "release"].map((name) => join(folder, name));
  await writeFile(dataPath!, "");
  const paths = { dataPath: dataPath!, scratch: scratch!, folder: out! };
  await renderRelease({ content: template, ...paths, baseUrl: "http://127.0.0.1/releases/any/" });
  const names = await readdir(out!);
  const texts = await Promise.all(names.map((name) => readFile(join(out!, name), "utf8")));
  return new Map(names.map((name, i) => [name, texts[i]!]));
}

/** Each signed and countersigned by itself; rendered once, for that is not what is measured. */
async function writeReleases(state: string, count: number, signer: TestSigner): Promise<void> {
  const files = await renderTemplate(await mkdtemp(join(dirname(state), "template-")));
  for (let n = 1; n <= count; n++) {
    const folder = join(state, "releases", releaseId(n));
    await mkdir(folder, { recursive: true });
    const written: ReleaseFile[] = [];
    for (const [name, text] of files) {
      const bytes = Buffer.from(
        text.replaceAll(placeholder, numbered(n)).replaceAll(placeholderDay, dayOf(n)),
      );
      await writeFile(join(folder, name), bytes);
      const sha256 = createHash("sha256").update(bytes).digest("hex") as Sha256;
      written.push({ name, bytes: bytes.length, sha256 });
    }
    const content = { ...template, id: releaseId(n) };
    const certified = certifierFor(
      { ...content, study: { ...content.study, id: content.id } },
      signer,
    )(written);
    await writeFile(join(folder, certificateFile), certified.bytes);
    await writeFile(join(folder, signatureFile), certified.jws);
  }
}

/** By the clock, and of the processor, which says more on a busy machine. */
export interface Start {
  readonly ms: number;
  readonly cpuMs: number;
}

export const medianStart = (starts: readonly Start[]): Start => ({
  ms: median(starts.map(({ ms }) => ms)),
  cpuMs: median(starts.map(({ cpuMs }) => cpuMs)),
});

export const startWords = ({ ms, cpuMs }: Start): string =>
  `${ms.toFixed(0)} ms, ${cpuMs.toFixed(0)} ms of the processor`;

export async function timedStart(member: Member): Promise<Start> {
  await member.stop();
  const from = performance.now();
  await member.start(600_000);
  const ms = performance.now() - from;
  return { ms, cpuMs: await processorMs(member.pid!) };
}

export interface ReleasesMeasured {
  /** Without a release. */
  readonly empty: Start;
  /** The first start, which verifies every release. */
  readonly verifyingMs: number;
  readonly started: Start;
  readonly peakMiB: number;
  /** Medians, by what was asked for. */
  readonly askedMs: ReadonlyMap<string, number>;
}

/** @throws Error where an answer is not what was asked for */
export async function measureReleases(count: number, repeats: number): Promise<ReleasesMeasured> {
  const home = await mkdtemp(join(tmpdir(), "consilium-releases-"));
  const state = join(home, "publisher");
  const federation = await testFederation();
  await writePublisher(state, federation);
  const publisher = new Member("publisher", state, { ...process.env });
  try {
    await timedStart(publisher);
    const empty = await timedStart(publisher);
    await publisher.stop();
    await writeReleases(state, count, await testSigner(federation));
    const verifyingMs = (await timedStart(publisher)).ms;
    const starts: Start[] = [];
    for (let i = 0; i < repeats; i++) starts.push(await timedStart(publisher));
    const peakMiB = await peakMemoryMiB(publisher.pid!);
    const { http } = JSON.parse(await readFile(join(state, "addresses.json"), "utf8")) as { http: string };
    const middle = Math.ceil(count / 2);
    const questions: readonly (readonly [name: string, path: string, holds: string])[] = [
      ["list of releases", "/api/releases", `"total":${count}`],
      ["search for a word that all have", "/api/releases?q=components%20sample", `"total":${count}`],
      ["search for one release", `/api/releases?q=${numbered(middle)}`, `"total":1`],
      ["list by title, last page", `/api/releases?order=title&offset=${count - 1}`, releaseId(count)],
      ["feed", "/feed.atom", releaseId(count)],
      ["page of one release", `/releases/${releaseId(middle)}/`, `Released components ${numbered(middle)}`],
      ["one release as JSON", `/api/releases/${releaseId(middle)}`, releaseId(middle)],
    ];
    const askedMs = new Map<string, number>();
    for (const [name, path, holds] of questions) {
      const times: number[] = [];
      for (let i = 0; i < repeats; i++) {
        const from = performance.now();
        const text = await (
          await fetch(`http://${http}${path}`, { headers: { accept: "text/html" } })
        ).text();
        times.push(performance.now() - from);
        if (!text.includes(holds)) throw new Error(`${path} does not have ${holds}: ${text.slice(0, 300)}`);
      }
      askedMs.set(name, median(times));
    }
    return { empty, verifyingMs, started: medianStart(starts), peakMiB, askedMs };
  } finally {
    await publisher.stop();
    await rm(home, { recursive: true, force: true, maxRetries: 10 });
  }
}
