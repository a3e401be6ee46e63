import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("./flower_secagg.py", import.meta.url));

type Ask = (line: string) => Promise<Record<string, unknown>>;

/** Rounds of Flower's SecAgg+, in processes that stand while a bench runs and wait meanwhile. flower_secagg.py says what they are. */
export class FlowerSecagg {
  readonly version: string;
  readonly #ask: Ask;
  readonly #end: () => Promise<void>;

  private constructor(version: string, ask: Ask, end: () => Promise<void>) {
    this.version = version;
    this.#ask = ask;
    this.#end = end;
  }

  /** @returns null where `CONSILIUM_FLOWER_PYTHON`, or `CONSILIUM_PYTHON`, has no flwr */
  static async start(sites: number): Promise<FlowerSecagg | null> {
    const python = process.env.CONSILIUM_FLOWER_PYTHON || process.env.CONSILIUM_PYTHON || "python3";
    if (!(await hasFlower(python))) return null;
    const child = spawn(python, [program, String(sites)], { stdio: ["pipe", "pipe", "inherit"] });
    child.stdin.on("error", () => {});
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    const answer = async () => {
      const { value, done } = await lines.next();
      if (done) throw new Error("Flower ended");
      return JSON.parse(value) as Record<string, unknown>;
    };
    const { flwr } = await answer();
    const ask = (line: string) => {
      child.stdin.write(`${line}\n`);
      return answer();
    };
    const end = async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, "exit");
      child.stdin.end();
      await gone;
    };
    return new FlowerSecagg(String(flwr), ask, end);
  }

  /** @returns seconds from the first message to the sum */
  async round(length: number, threshold: number): Promise<number> {
    const { seconds } = await this.#ask(`${length} ${threshold}`);
    await this.#ask("pause");
    return seconds as number;
  }

  /** Its processes stand still until the next round, which must come within seconds: they would miss each other's heartbeats. */
  async rest(): Promise<void> {
    await this.#ask("rest");
  }

  close(): Promise<void> {
    return this.#end();
  }
}

async function hasFlower(python: string): Promise<boolean> {
  const child = spawn(python, ["-c", "import flwr"], { stdio: "ignore" });
  return new Promise((resolve) => {
    child.once("error", () => resolve(false));
    child.once("exit", (code) => resolve(code === 0));
  });
}
