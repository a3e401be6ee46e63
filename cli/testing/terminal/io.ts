import { Readable } from "node:stream";
import type { CliIo, TextSink } from "../../src/terminal/io.js";

/** Surroundings for tests: what a command prints is kept, and signals come when the test sends them. */
interface CapturedIo extends CliIo {
  readonly out: () => string;
  readonly err: () => string;
  readonly outBytes: () => Buffer;
  signal(signal: NodeJS.Signals): void;
}

export function capturedIo(
  options: {
    environment?: NodeJS.ProcessEnv;
    workingFolder?: string;
    input?: string;
    inputBytes?: Uint8Array;
    /** What a person types, line by line; without it nobody is there to be asked. */
    answers?: readonly string[];
    terminal?: boolean;
    columns?: number;
    onWrite?: (text: string) => void;
  } = {},
): CapturedIo {
  const listeners = new Set<(signal: NodeJS.Signals) => void>();
  const sink = (kept: string[]): TextSink => ({
    write: (text) => {
      kept.push(text);
      options.onWrite?.(text);
    },
    isTerminal: options.terminal ?? false,
    size: () => ({ columns: options.columns ?? 100, rows: 40 }),
  });
  const out: string[] = [];
  const err: string[] = [];
  const written: Uint8Array[] = [];
  const answers = [...(options.answers ?? [])];
  return {
    stdout: sink(out),
    stderr: sink(err),
    environment: options.environment ?? {},
    workingFolder: options.workingFolder ?? process.cwd(),
    readInput: async () => options.input ?? "",
    inputBytes: Readable.from(options.inputBytes === undefined ? [] : [options.inputBytes]),
    writeBytes: async (bytes) => {
      written.push(bytes);
    },
    ask: async (question) => {
      if (options.answers === undefined) return null;
      out.push(question);
      const answer = answers.shift() ?? "";
      out.push(`${answer}\n`);
      return answer;
    },
    onSignal: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    out: () => out.join(""),
    err: () => err.join(""),
    outBytes: () => Buffer.concat(written),
    signal: (signal) => {
      for (const listener of listeners) listener(signal);
    },
  };
}
