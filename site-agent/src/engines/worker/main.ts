import { run } from "./run.js";

/** The fold worker: a job and rows on standard input, one answer on standard output. `scripts/foldWorker.mjs` makes one file of it. */
await run();
