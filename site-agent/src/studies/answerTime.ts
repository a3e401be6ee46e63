import { setTimeout as delay } from "node:timers/promises";
import type { Policy } from "../policy/policy.js";

/** While an answer waits for its time, an end of its study is noticed this often. */
const lookMs = 200;

/**
 * When an answer may leave. How long a pass over a table takes tells how long the table is; an answer that leaves at the
 * next whole multiple of a public interval tells only whether the pass took longer than that.
 * @param now - milliseconds since 1970
 */
export function answerTime(now: number, { answerOn }: Pick<Policy, "answerOn">): number {
  if (answerOn === "ready") return now;
  const intervalMs = answerOn.schedule * 1000;
  return Math.ceil(now / intervalMs) * intervalMs;
}

/** Waits until an answer may leave. @param isOver - whether nobody waits for it any more */
export async function untilAnswerTime(
  policy: Pick<Policy, "answerOn">,
  now: () => number,
  isOver: () => boolean,
): Promise<void> {
  const at = answerTime(now(), policy);
  for (let left = at - now(); left > 0 && !isOver(); left = at - now())
    await delay(Math.min(left, lookMs), undefined, { ref: false });
}
