import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { StudyView } from "@consilium/core/operator/views";
import {
  editConfig,
  LocalFederation,
  Member,
  waitUntil,
  writePolicy,
} from "../../scripts/localFederation.js";
import type { Config } from "./tables.js";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const tap = ["--import", here("./frameTap.mjs")];
const programs = {
  /** The site agent as it is. */
  agent: [...tap, here("../../site-agent/dist/main.js")],
  /** As it was before it hid its tables. */
  weakened: [...tap, "--import", "tsx", here("./weakenedSite.ts")],
} as const;

export const observed = "hospital-a";
const others = ["hospital-b", "hospital-c"];
export const sites = [observed, ...others];

interface TappedLine {
  readonly at: number;
  readonly call: string;
  readonly study: string | null;
  readonly message: unknown;
}

/**
 * A federation of real processes, of which everything that one hospital gives to gRPC is written down as it leaves the
 * process (frameTap.mjs).
 */
export class ObservedHospital {
  readonly federation: LocalFederation;
  readonly #frames: string;
  readonly #tapped: TappedLine[] = [];
  #parsedBytes = 0;

  private constructor(federation: LocalFederation, frames: string) {
    this.federation = federation;
    this.#frames = frames;
  }

  /**
   * @param folder - an empty one
   * @param options.tables - the observed hospital's
   * @param options.elsewhere - the table that the others have under a name: of the same columns, or no study of it starts
   * @param options.policy - keys of the observed hospital's policy.yaml
   */
  static async start(
    folder: string,
    options: {
      readonly tables: Readonly<Record<string, Config>>;
      readonly elsewhere: (name: string) => Config;
      readonly policy?: Readonly<Record<string, unknown>>;
    },
  ): Promise<ObservedHospital> {
    const { tables, elsewhere, policy = {} } = options;
    const frames = join(folder, "frames.jsonl");
    await writeFile(frames, "");
    const federation = await LocalFederation.create(join(folder, "home"), "harbour");
    const hospital = new ObservedHospital(federation, frames);
    for (const id of sites) {
      const member = await federation.addSite({ id, tables: {} });
      await member.stop();
      await editConfig(member.state, (config) => {
        config.tables =
          id === observed
            ? tables
            : Object.fromEntries(Object.keys(tables).map((name) => [name, elsewhere(name)]));
      });
      if (id === observed) await writePolicy(member.state, policy);
      else await member.start();
    }
    await hospital.restart("agent");
    return hospital;
  }

  /** The hospital with another program, on the same state. @param weakened - what `weakenedSite.ts` is weak in */
  async restart(program: keyof typeof programs, weakened = ""): Promise<void> {
    const { federation } = this;
    const before = federation.site(observed);
    await before.stop();
    const environment = { ...federation.environment, FRAME_TAP: this.#frames, WEAKENED: weakened };
    const agent = new Member("site-agent", before.state, environment, programs[program]);
    federation.sites.set(observed, agent);
    await agent.start();
    await federation.waitForSites();
  }

  /**
   * Starts a study and waits for its end at the aggregator, and, of one that is released, for the observed hospital's receipt of it: its last message.
   * @returns its id
   */
  async run(study: Readonly<Record<string, unknown>>): Promise<string> {
    const { id } = await this.federation.startStudy(study);
    const over = ({ endedAt }: StudyView) => endedAt !== null;
    // A study that is compared before its end has fewer messages than another: it ends by its own deadlines.
    const { status } = await this.federation.waitForStudy(id, over, 1_800_000);
    // The end of one that may be resumed is not acknowledged.
    if (status !== "released") return id;
    const isReceipt = ({ text }: { text: string }) => text.includes('"frame":"endReceipt"');
    const receipt = async () => (await this.timesFor(id)).find(isReceipt) ?? null;
    await waitUntil(receipt, 600_000, "the receipt of a study's end");
    return id;
  }

  /** Several studies at once, for much of one is waiting. @returns their ids in the order of the studies */
  async runAll(studies: readonly Readonly<Record<string, unknown>>[]): Promise<string[]> {
    const ids: string[] = [];
    const queue = [...studies.entries()];
    const worker = async () => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift())
        ids[next[0]] = await this.run(next[1]);
    };
    await Promise.all(Array.from({ length: 6 }, worker));
    return ids;
  }

  /** When messages left for a study, milliseconds since 1970, with their call and text. */
  async timesFor(study: string): Promise<{ readonly at: number; readonly text: string }[]> {
    return (await this.#lines())
      .filter((line) => line.study === study)
      .map(({ at, call, message }) => ({ at, text: `${call} ${JSON.stringify(message)}` }));
  }

  /** Everything that was written down. */
  frames(): Promise<string> {
    return readFile(this.#frames, "utf8");
  }

  /**
   * The data sent for a study, in order; of a message that was sent again, because it was asked for again, the first.
   */
  async leftFor(study: string): Promise<string[]> {
    return [...new Set((await this.timesFor(study)).map(({ text }) => text))];
  }

  /** Each line is parsed once: the file grows with every study, and is asked for after each. */
  async #lines(): Promise<readonly TappedLine[]> {
    const bytes = await readFile(this.#frames);
    // A concurrent call may have read further.
    const end = Math.max(this.#parsedBytes, bytes.lastIndexOf("\n") + 1);
    const fresh = bytes.toString("utf8", this.#parsedBytes, end).split("\n");
    this.#parsedBytes = end;
    for (const line of fresh) if (line !== "") this.#tapped.push(JSON.parse(line) as TappedLine);
    return this.#tapped;
  }

  remove(): Promise<void> {
    return this.federation.remove();
  }
}

/** Whether a line that was tapped is a masked vector: small ones travel on the control stream. */
export function isVector(line: string): boolean {
  return line.startsWith("sendVector") || line.includes('"frame":"vector"');
}
