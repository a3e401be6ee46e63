/** A release that holds its sums is computed from them anew, byte for byte; from other sums, never. */
import { readFileSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { plainKernels } from "@consilium/core/linalg/plain";
import { readSaid } from "@consilium/core/readSaid";
import { unwrap } from "@consilium/core/result";
import { softwareVersion } from "@consilium/core/version";
import { allMethods } from "@consilium/methods-paper/all";
import type { ShownCertificate } from "@consilium/release/certificate";
import { type Replayed, replayRelease } from "@consilium/runtime/release/replay";
import { verifyReleaseFolder } from "@consilium/runtime/release/verifyFolder";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { sayEnglish } from "@consilium/words/english";
import { sayGerman } from "@consilium/words/german";
import { expect, it } from "vitest";
import { inFolder, type Recorded, unpacked } from "../../tools/corpus/conversation.js";
import { recordingFiles } from "../../tools/corpus/place.js";
import { makeSigners, releaseOfRecording } from "../../tools/corpus/publicSums.js";
import { recordedNames } from "../../tools/corpus/studies.js";

const signers = await makeSigners();
const rootPem = signers.federation.root.certificatePem;
const read = (name: string): Recorded => unpacked(readFileSync(recordingFiles(name).conversation));
const isProven = (name: string) => {
  const { variant, privacy } = JSON.parse(read(name).text) as { variant: string; privacy: unknown };
  return variant === "sound" && privacy !== "none";
};
const proven = recordedNames.filter(isProven);

interface Made {
  readonly folder: string;
  readonly certificate: ShownCertificate;
  replay(given?: { certificate?: ShownCertificate; software?: string }): Promise<Replayed>;
}

/** A recording's release, verified. */
const released = <T>(name: string, work: (made: Made) => Promise<T>): Promise<T> =>
  inFolder(async (outer) => {
    const folder = await releaseOfRecording(read(name), signers, outer);
    const { certificate } = unwrap(await verifyReleaseFolder(folder, { rootPem }));
    const scratch = join(outer, "replayed");
    await mkdir(scratch);
    const own = { folder, certificate, methods: allMethods, kernels: plainKernels(), scratch };
    return work({
      folder,
      certificate,
      replay: (given) => replayRelease({ ...own, software: softwareVersion, ...given }),
    });
  });

const filesOf = ({ certificate }: Pick<Made, "certificate">) =>
  certificate.files.map(({ name }) => name).filter((name) => name.startsWith("sums/"));
const stageOf = (file: string) => /^sums\/(.*)-\d+\.bin$/.exec(file)![1]!;

/** A file of another content, which the certificate lists as it is then. */
async function changed(
  made: Made,
  name: string,
  change: (bytes: Buffer) => Buffer,
): Promise<ShownCertificate> {
  const bytes = change(await readFile(join(made.folder, name)));
  await writeFile(join(made.folder, name), bytes);
  const files = made.certificate.files.map((file) =>
    file.name === name ? { name, bytes: bytes.length, sha256: sha256(bytes) } : file,
  );
  return { ...made.certificate, files };
}

/** Every entry of a sum is another number. */
const otherSum = (bytes: Buffer) => {
  const other = Buffer.from(bytes);
  for (let at = 1; at < other.length; at += 4) other[at]! ^= 1;
  return other;
};

it.each(proven)("%s follows from its sums to the byte, and not from another one", (name) =>
  released(name, async (made) => {
    const files = filesOf(made);
    const told = await made.replay();
    expect(told).toMatchObject({ kind: "same", sums: files.length, software: softwareVersion });
    const { unheld } = told as Exclude<Replayed, { kind: "otherwise" }>;
    expect(unheld.at(-1)).toBe(stageOf(files.at(-1)!));

    for (const at of new Set([0, files.length - 1])) {
      const file = files[at]!;
      const original = await readFile(join(made.folder, file));
      const certificate = await changed(made, file, otherSum);
      // The verifier first: what is signed lists another file.
      expect(await verifyReleaseFolder(made.folder, { rootPem })).toMatchObject({
        ok: false,
        error: { code: "RELEASE_CORRUPT", message: expect.stringContaining(file) },
      });
      const found = await made.replay({ certificate });
      expect(found.kind).toBe("otherwise");
      const said = readSaid((found as Extract<Replayed, { kind: "otherwise" }>).difference)!;
      const isHeld = !unheld.includes(stageOf(file) as never);
      // What was broadcast may depend on a sum too coarsely to show that it is another: then the result does, and the stage stays unnamed.
      if (said.code === "release.broadcast-otherwise") expect(isHeld).toBe(true);
      if (said.code !== "release.result-otherwise" || !isHeld)
        expect(JSON.stringify(said.params)).toContain(stageOf(file));
      for (const say of [sayEnglish, sayGerman]) expect(say(said), said.code).toMatch(/\w/);
      await writeFile(join(made.folder, file), original);
    }
  }),
);

it("names the stage whose sum is another, of a study of one stage and of one that is told", async () => {
  const difference = async (name: string, at: number) =>
    released(name, async (made) => {
      const found = await made.replay({ certificate: await changed(made, filesOf(made).at(at)!, otherSum) });
      return readSaid((found as Extract<Replayed, { kind: "otherwise" }>).difference)!;
    });
  const told = await difference("wdbc-dp-pcc", 0);
  expect(told).toMatchObject({ code: "release.broadcast-otherwise" });
  // The evaluation comes last, and nothing is told after it.
  expect(told.params.stages).toEqual(["level-1", "level-2", "leaves"]);
  const only = await difference("wdbc-counts", 0);
  expect(only).toMatchObject({ code: "release.result-otherwise" });
  expect(only.params.stages).toContain("counts");
});

it("draws what was drawn then", () =>
  released("wdbc-dp-pca", async (made) => {
    const certificate = await changed(made, "draws.json", (bytes) => {
      const draws = JSON.parse(bytes.toString()) as { draws: { value: string }[] };
      const [first] = draws.draws;
      first!.value = first!.value.replace(/^./, (digit) => (digit === "0" ? "1" : "0"));
      return Buffer.from(JSON.stringify(draws));
    });
    expect(await made.replay({ certificate })).toMatchObject({ kind: "otherwise" });
  }));

it("compares numbers to 1e-12 where another version computed it, rows of data.csv too", () =>
  released("wdbc-dp-pca", async (made) => {
    const software = "0.2.0";
    expect(await made.replay({ software })).toMatchObject({ kind: "same" });
    const scaled = (factor: number) =>
      changed(made, "result.json", (bytes) => {
        const result = JSON.parse(bytes.toString()) as { model: { mean?: number[] }; notes: string[] };
        result.notes = [];
        result.model = multiplied(result.model, factor) as never;
        return Buffer.from(JSON.stringify(result));
      });
    expect(await made.replay({ software, certificate: await scaled(1 + 1e-14) })).toMatchObject({
      kind: "numbers",
    });
    expect(await made.replay({ certificate: await scaled(1) })).toMatchObject({ kind: "otherwise" });
    const found = await made.replay({ software, certificate: await scaled(1 + 1e-9) });
    expect(JSON.stringify(found)).toMatch(/release\.result-otherwise.*model\./);
  }));

/** Numbers that are no whole ones. */
function multiplied(value: unknown, factor: number): unknown {
  if (typeof value === "number") return Number.isInteger(value) ? value : value * factor;
  if (Array.isArray(value)) return value.map((one) => multiplied(one, factor));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, multiplied(one, factor)]));
}

it("has no sums of a study without noise, or of a published method", async () => {
  const open = recordedNames.filter((name) => !isProven(name));
  expect(open.length).toBeGreaterThan(5);
  for (const name of open) {
    const { text, hash } = read(name);
    const study = JSON.parse(text) as { release: object };
    const asking = JSON.stringify({ ...study, release: { ...study.release, sums: true } });
    const found = allMethods.read(asking, sha256(asking));
    expect(found.ok, name).toBe(false);
    expect(allMethods.read(text, hash).ok).toBe(true);
  }
});
