#!/usr/bin/env node
import { once } from "node:events";
import { createInterface } from "node:readline";
import { runCli } from "./run.js";
import type { CliIo, TextSink } from "./terminal/io.js";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

function sink(stream: NodeJS.WriteStream): TextSink {
  return {
    write: (text) => {
      stream.write(text);
    },
    isTerminal: stream.isTTY === true,
    size: () => ({ columns: stream.columns ?? 100, rows: stream.rows ?? 40 }),
  };
}

const io: CliIo = {
  stdout: sink(process.stdout),
  stderr: sink(process.stderr),
  environment: process.env,
  workingFolder: process.cwd(),
  readInput: async () => {
    const chunks: Buffer[] = [];
    for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString("utf8");
  },
  inputBytes: { [Symbol.asyncIterator]: () => process.stdin[Symbol.asyncIterator]() },
  writeBytes: async (bytes) => {
    if (!process.stdout.write(bytes)) await once(process.stdout, "drain");
  },
  ask: async (question) => {
    if (process.stdin.isTTY !== true) return null;
    const lines = createInterface({ input: process.stdin, output: process.stderr });
    try {
      return await new Promise((resolve) => {
        // End of input (Ctrl-D) counts as no answer.
        lines.once("close", () => resolve(""));
        lines.once("SIGINT", () => {
          process.kill(process.pid, "SIGINT");
          lines.close();
        });
        lines.question(question, resolve);
      });
    } finally {
      lines.close();
    }
  },
  onSignal: (listener) => {
    for (const signal of signals) process.on(signal, listener);
    return () => {
      for (const signal of signals) process.off(signal, listener);
    };
  },
};

// A reader such as `head` may close the pipe early: not an error.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    throw error;
  });
}

// Setting the code instead of exiting lets what was written reach a pipe.
process.exitCode = await runCli(process.argv.slice(2), io);
