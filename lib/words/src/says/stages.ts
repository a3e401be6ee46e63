import type { AnySaid, Name, None } from "../said.js";

/** What the stages of several methods' plans send, who learns it, and the noise in it. */
export interface StageSays {
  "sent.summed": { what: AnySaid };
  /** Each row counts 1 over the number of its patient's. */
  "sent.weighed": { what: AnySaid };
  /** What noise puts a count within at 95 %, from the most precise table to the least. */
  "sent.precise": { what: AnySaid; min: number; max: number };
  /** @param bounded - 1: columns have bounds, otherwise 0 */
  "sent.flow": { units: AnySaid; bounded: number };
  /** @param ranges - of the model's score; 0 where the class predicted is counted */
  "sent.evaluation": { heldOut: number; ranges: number };
  "sent.bins": { features: number; label: Name };
  "sent.leaves": { leaves: number; label: Name };
  /** @param features - of all features `of` */
  "sent.derivatives": { level: number; features: number; of: number };
  /** @param hessians - 1: with second derivatives, otherwise 0 */
  "sent.intervals": { features: number; hessians: number };
  /** @param noise - 1: in the sum, otherwise 0 */
  "learns.sum": { noise: number };
  "learns.shuffled": None;
  "noise.none": None;
  /** @param deviation - standard deviation of the sum of the fewest sites, in people's units */
  "noise.gaussian": { deviation: number };
}
