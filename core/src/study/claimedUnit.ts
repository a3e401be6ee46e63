import type { PrivacyClaim } from "./plan.js";
import type { PlanFacts } from "./planFacts.js";

/** Whom a claim protects, and who counts as a neighbour, in words. */
export type ClaimedUnit = Pick<PrivacyClaim, "unit" | "neighbouringRelation">;

const record = { kind: "record" } as const;

/** Of a plan's unit and what is proven of it. */
export function claimedUnit(verdict: PrivacyClaim["verdict"], of: PlanFacts["unit"] = record): ClaimedUnit {
  switch (verdict) {
    case "no privacy":
      return { unit: "nobody", neighbouringRelation: "none" };
    case "claimed by the authors, not verified":
      return {
        unit: "one record of one site",
        neighbouringRelation: "as the authors: one record changed (not verified)",
      };
    case "proved": {
      const unit =
        of.kind === "record" ? "one record of one site" : patientText(of.maxRows, of.weight !== null);
      return { unit, neighbouringRelation: `add-remove: one data set is the other plus ${unit}` };
    }
  }
}

const patientText = (rows: number, weighs: boolean) =>
  `one patient of one site, with at most ${rows} ${rows === 1 ? "row" : "rows"}${weighs ? " that together weigh as much as one" : ""}`;
