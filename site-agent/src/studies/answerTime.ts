import { setTimeout as delay } from "node:timers/promises";
import type { Policy } from "../policy/policy.js";

/** While an answer waits for its time, an end of its study is noticed this often. */
const lookMs = 200;

/**
 * When an answer may leave. How long a pass over a table takes tells how long the table is. With a schedule an answer
 * leaves at a whole multiple of the interval, the first one that is a whole interval after the request came: a public
 * time, whatever the pass took up to then. A pass that takes longer shows that it did.
 * @param askedAt - when the request came, milliseconds since 1970
 * @param now - when the answer is ready
 */
export function answerTime(askedAt: number, now: number, { answerOn }: Pick<Policy, "answerOn">): number {
  if (answerOn === "ready") return now;
  const intervalMs = answerOn.schedule * 1000;
  return Math.ceil(Math.max(askedAt + intervalMs, now) / intervalMs) * intervalMs;
}

/** Waits until an answer may leave. @param isOver - whether nobody waits for it any more */
export async function untilAnswerTime(
  askedAt: number,
  policy: Pick<Policy, "answerOn">,
  now: () => number,
  isOver: () => boolean,
): Promise<void> {
  const at = answerTime(askedAt, now(), policy);
  for (let left = at - now(); left > 0 && !isOver(); left = at - now())
    await delay(Math.min(left, lookMs), undefined, { ref: false });
}
