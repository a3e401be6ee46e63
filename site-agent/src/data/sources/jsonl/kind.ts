import type { FormatKind } from "../sourceKind.js";

export const jsonl: FormatKind = {
  title: "JSON lines",
  endings: [".jsonl.gz", ".ndjson.gz", ".jsonl", ".ndjson"],
};
