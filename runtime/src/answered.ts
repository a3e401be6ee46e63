import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { toConsiliumError } from "@consilium/core/errors";
import { fault } from "./fault.js";

/**
 * The whole of a process that looks at a state folder and ends: it writes one JSON object to standard output, `{"answer": …}` or
 * `{"error": {code, message, remedy}}`.
 */
export async function printAnswer(answer: () => Promise<unknown>): Promise<void> {
  process.stdout.write(`${JSON.stringify(await answered(answer))}\n`);
}

/** The folder of `--state`, which is the process's one option. @throws ConsiliumError USAGE */
export function givenState(): string {
  const { values } = parseArgs({ options: { state: { type: "string" } } });
  if (values.state === undefined) throw fault("USAGE", "state.not-given", {});
  return resolve(values.state);
}

async function answered(answer: () => Promise<unknown>): Promise<object> {
  try {
    return { answer: await answer() };
  } catch (thrown) {
    const { code, message, remedy } = toConsiliumError(thrown);
    return { error: { code, message, remedy } };
  }
}
