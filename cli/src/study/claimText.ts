import type { PlanView } from "@consilium/core/operator/views";
import { printable } from "../terminal/layout.js";
import type { Style } from "../terminal/style.js";

/** A study's privacy in one line: the numbers never appear without their verdict. */
export function claimText(claim: PlanView["claim"], style: Style): string {
  const numbers =
    claim.epsilon === null || claim.delta === null
      ? ""
      : `epsilon ${roundedUp(claim.epsilon)}, delta ${claim.delta}: `;
  const word = verdictWord(claim.verdict);
  return `${numbers}${claim.verdict === "proved" ? style.good(word) : style.caution(word)}`;
}

/** A verdict as people read it; files, filters and `--json` keep the certificate's own. */
export function verdictWord(verdict: string): string {
  return verdict === "proved" ? "proven" : printable(verdict);
}

/** An ε to six digits, rounded up: a proof for a smaller ε also holds for a larger one. */
export function roundedUp(epsilon: number): number {
  const short = Number(epsilon.toPrecision(6));
  return short >= epsilon ? short : Number((epsilon * (1 + 1e-5)).toPrecision(6));
}

/** Whom ε is about: one unit more or less. */
export function unitText({
  unit,
  neighbouringRelation,
}: Pick<PlanView["claim"], "unit" | "neighbouringRelation">): string {
  const relation = neighbouringRelation.startsWith("add-remove:");
  return relation ? `adding or removing ${unit}` : `${unit} (${neighbouringRelation})`;
}
