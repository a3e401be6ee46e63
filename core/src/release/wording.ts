import { counted } from "../words.js";
import type { ReleasePrivacy } from "./content.js";

/** An ε to read: at most four significant digits, rounded up. Exact ones stand in the certificate. */
export function epsilonText(epsilon: number): string {
  if (epsilon === 0) return "0";
  const nearest = Number(epsilon.toPrecision(4));
  if (nearest >= epsilon) return String(nearest);
  const unit = Number(`1e${Math.floor(Math.log10(epsilon)) - 3}`);
  return String(Number((nearest + unit).toPrecision(4)));
}

/** The privacy of a release in a sentence or two, for people who decide whether to use it. */
export function privacySentence(privacy: ReleasePrivacy): string {
  const { verdict, epsilon, delta, unit, neighbouringRelation, reasons } = privacy;
  switch (verdict) {
    case "no privacy":
      return "No privacy: no noise was added anywhere. The study was run on data that may be public.";
    case "claimed by the authors, not verified":
      return `Claimed by the authors, not verified: epsilon ${epsilon}, delta ${delta}. ${reasons.join(" ")}`;
    case "proved":
      return (
        `Proven: epsilon ${epsilonText(epsilon!)}, delta ${delta}. It protects ${unit} ` +
        `(${neighbouringRelation}).`
      );
  }
}

interface Held {
  readonly rows: number;
  readonly columns: number;
  readonly study: { readonly analysis: string };
}

/** What a release holds, in a list. @param release - the numbers of its rows and of their columns, and what was studied */
export function holdingsText({ rows, columns, study }: Held): string {
  if (columns === 0) return study.analysis === "describe" ? "tables of results, no rows" : "a model, no rows";
  return `${rows.toLocaleString("en-GB")} ${rows === 1 ? "row" : "rows"}, ${counted(columns, "column")}`;
}
