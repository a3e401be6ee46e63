import { createCipheriv, createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { commonStudy, type StageSpec, stages, supportOf, tableOf } from "./stages.js";

/**
 * One version of the program, as it was built: answers stages as often as its parent asks, over the process's messages.
 * It imports nothing of this clone, and finds what it calls by name, for files move between versions.
 *
 * Usage: version <folder of a clone> <rows> <file of the table>
 */

/** Where the records come from: arrays in memory, or a file that is read as a site does for a stage of any study with noise. */
export type Source = "memory" | "file";

export interface StageRequest {
  readonly stage: number;
  readonly source: Source;
}

/** What the parent is told of a run. */
export interface StageRun {
  readonly seconds: number;
  /** Seconds of the processor, over all threads: what remains steady where other programs run beside the bench. */
  readonly processor: number;
  /** Of the vector, so that two versions can be compared. */
  readonly digest: string;
}

type Anything = (...inputs: unknown[]) => unknown;
type Broadcasts = Map<string, unknown>;

/** Of versions that keep them among the tests' support, which is not built; of others among what is built. */
const inSupport = { parseStudy: "studies.ts", siteVector: "families.ts" } as const;
const inBuild = ["parseStudy", "analysisOf"];

const wanted = [
  "openKernels",
  "anyRows",
  "tableConfigSchema",
  ...new Set(stages.map(({ conversation }) => conversation)),
];

/** What a clone's packages export under these names; of two that do, what a site runs. */
async function exportsOf(root: string): Promise<Map<string, Anything>> {
  const found = new Map<string, string>();
  const support = supportOf(root);
  const names = [...wanted, ...(support === null ? inBuild : [])];
  for (const folder of readdirSync(root)) {
    const built = join(root, folder, "dist");
    if (folder === "node_modules" || folder === "aggregator" || !existsSync(built)) continue;
    for (const file of readdirSync(built, { recursive: true, encoding: "utf8" })) {
      if (!file.endsWith(".js")) continue;
      const path = join(built, file);
      for (const [, name] of readFileSync(path, "utf8").matchAll(
        /^export (?:async )?(?:function\*?|const) (\w+)/gm,
      ))
        if (names.includes(name!)) found.set(name!, path);
    }
  }
  if (support !== null)
    for (const [name, file] of Object.entries(inSupport)) found.set(name, join(support, file));
  const missing = names.filter((name) => !found.has(name));
  if (missing.length > 0)
    throw new RangeError(`${root} has no ${missing.join(", ")}: build it, or name them anew`);
  const loaded = [...found].map(async ([name, path]): Promise<[string, Anything]> => {
    const all = (await import(pathToFileURL(path).href)) as Record<string, Anything>;
    return [name, all[name]!];
  });
  return new Map(await Promise.all(loaded));
}

interface Prepared {
  readonly study: unknown;
  readonly id: string;
  readonly broadcasts: Broadcasts;
}

/** Of a result that may be an error. */
function unwrapped<T>(result: unknown): T {
  const { ok, value, error } = result as { ok: boolean; value: T; error: unknown };
  if (!ok) throw error;
  return value;
}

class Version {
  readonly #rows: number;
  readonly #table: ReturnType<typeof tableOf>;
  readonly #functions: Map<string, Anything>;
  readonly #kernels: unknown;
  readonly #prepared = new Map<StageSpec, Prepared>();
  readonly #config: object;

  private constructor(rows: number, path: string, functions: Map<string, Anything>, kernels: unknown) {
    this.#rows = rows;
    const schema = functions.get("tableConfigSchema") as unknown as { parse: (config: object) => object };
    this.#config = schema.parse({ name: "t", path });
    this.#table = tableOf(rows);
    this.#functions = functions;
    this.#kernels = kernels;
  }

  static async open(root: string, rows: number, path: string): Promise<Version> {
    const functions = await exportsOf(root);
    return new Version(rows, path, functions, await functions.get("openKernels")!());
  }

  /** A site's vector of a stage. */
  async run(spec: StageSpec, source: Source): Promise<StageRun> {
    const { study, id, broadcasts } = this.#prepared.get(spec) ?? (await this.#prepare(spec));
    const start = performance.now();
    const used = process.cpuUsage();
    const blocks =
      source === "memory"
        ? streamed(this.#table)
        : (this.#call("anyRows", this.#config, study, () => undefined) as AsyncIterable<unknown>);
    const vector = await this.#vector(study, id, broadcasts, blocks);
    const seconds = (performance.now() - start) / 1000;
    const { user, system } = process.cpuUsage(used);
    const processor = (user + system) / 1e6;
    return {
      seconds,
      processor,
      digest: createHash("sha256").update(new Uint8Array(vector.buffer)).digest("hex"),
    };
  }

  #call(name: string, ...inputs: unknown[]): unknown {
    return this.#functions.get(name)!(...inputs);
  }

  /** Runs the method's conversation over few rows up to the stage, so that it has been told what it needs. */
  async #prepare(spec: StageSpec): Promise<Prepared> {
    const study = unwrapped(this.#call("parseStudy", { ...commonStudy(this.#rows), ...spec.study }));
    const few = tableOf(5000);
    const broadcasts: Broadcasts = new Map();
    let calls = 0;
    let reached: string | null = null;
    const sum = async (stage: string | { readonly id: string }, broadcast: unknown) => {
      const id = typeof stage === "string" ? stage : stage.id;
      broadcasts.set(id, broadcast);
      calls++;
      if (calls < spec.call) return this.#vector(study, id, broadcasts, streamed(few));
      reached = id;
      throw new Error("the stage has been reached");
    };
    const conversation = {
      sites: 1,
      survivors: 1,
      kernels: this.#kernels,
      sum,
      draw: (_name: string, make: () => string) => make(),
    };
    const converse = this.#functions.get(spec.conversation)!;
    try {
      // Either of both forms: some take the study and the conversation, others one object of all.
      if (converse.length >= 2) await converse(study, conversation);
      else await converse({ study, conversation, kernels: this.#kernels, sum, seed: "gate" });
    } catch (thrown) {
      if (reached === null) throw thrown;
    }
    if (reached === null) throw new RangeError(`${spec.name} has ${calls} sums, not ${spec.call}`);
    const prepared = { study, id: reached, broadcasts };
    this.#prepared.set(spec, prepared);
    return prepared;
  }

  #vector(
    study: unknown,
    id: string,
    broadcasts: Broadcasts,
    blocks: AsyncIterable<unknown>,
  ): Promise<BigUint64Array> {
    const input = {
      study,
      site: "a",
      sites: 3,
      broadcasts,
      blocks,
      kernels: this.#kernels,
      random: repeating(`lots of ${id}`),
      checks: repeating(`checks of ${id}`),
      sharedSeed: null,
    };
    if (this.#functions.has("siteVector"))
      return this.#call("siteVector", study, id, input) as Promise<BigUint64Array>;
    const analysis = this.#call("analysisOf", study) as {
      vector: (id: string, input: object) => Promise<BigUint64Array>;
    };
    return analysis.vector(id, input);
  }
}

async function* streamed<T>(blocks: readonly T[]): AsyncGenerator<T> {
  yield* blocks;
}

/** The same bytes every time, at about the price of the operating system's. */
function repeating(seed: string): { bytes(count: number): Uint8Array } {
  const key = createHash("sha256").update(seed).digest();
  const cipher = createCipheriv("aes-256-ctr", key, Buffer.alloc(16));
  return { bytes: (count) => new Uint8Array(cipher.update(Buffer.alloc(count))) };
}

const [root, rows, path] = process.argv.slice(2);
const version = await Version.open(root!, Number(rows), path!);
process.on("message", async ({ stage, source }: StageRequest) => {
  try {
    process.send!(await version.run(stages[stage]!, source));
  } catch (thrown) {
    process.send!({ error: thrown instanceof Error ? thrown.stack : String(thrown) });
  }
});
process.on("disconnect", () => process.exit());
process.send!("ready");
