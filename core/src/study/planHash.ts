import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { canonicalJson } from "../canonicalJson.js";
import type { Sha256 } from "../ids.js";
import { eventAsStated } from "../privacy/statedEvent.js";
import type { Plan } from "./plan.js";

/**
 * The hash of a study's plan before it has a roster, which comes with the invitation: two programs that read one study alike have
 * the same. The format is that of software without `terms`.
 */
export function planHash(plan: Plan): Sha256 {
  const stages = plan.stages.map((stage) => {
    const { event, ...disclosure } = stage.disclosure;
    const stated = { ...stage, disclosure: { ...disclosure, event: eventAsStated(event) } };
    if (stated.kind !== "sum") return stated;
    const { terms: _, ...sum } = stated;
    return sum;
  });
  return sha256("consilium plan v2\n", canonicalJson({ ...plan, stages }));
}

/**
 * The hash of a plan on its roster, by which the study runs: queries, grid, noise, ring and events, which are what is charged. Its
 * sentences are in it as long as the statement at the end has them: who has others could not countersign.
 */
export function runningPlanHash(plan: Plan): Sha256 {
  return sha256("consilium running plan v1\n", canonicalJson(plan));
}
