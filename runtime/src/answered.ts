import { toConsiliumError } from "@consilium/core/errors";

/**
 * The whole of a process that looks at a state folder and ends: it writes one JSON object to standard output, `{"answer": …}` or
 * `{"error": {code, message, remedy}}`.
 */
export async function printAnswer(answer: () => Promise<unknown>): Promise<void> {
  process.stdout.write(`${JSON.stringify(await answered(answer))}\n`);
}

async function answered(answer: () => Promise<unknown>): Promise<object> {
  try {
    return { answer: await answer() };
  } catch (thrown) {
    const { code, message, remedy } = toConsiliumError(thrown);
    return { error: { code, message, remedy } };
  }
}
