import type { ReleasePrivacy } from "@consilium/core/release/content";
import { epsilonText } from "@consilium/core/release/wording";

/** What a release's privacy is, line by line as [what, text], for the README and the page. */
export function privacyRows(privacy: ReleasePrivacy): readonly (readonly [string, string])[] {
  const { verdict, unit, neighbouringRelation, proof, countersigned } = privacy;
  const rows: (readonly [string, string])[] = [
    ["Verdict", verdict],
    ["Epsilon", epsilonRow(privacy)],
  ];
  if (verdict !== "no privacy") rows.push(["Protects", `${unit} (${neighbouringRelation})`]);
  if (proof !== null) rows.push(["Proof", proof]);
  rows.push(["Countersigned", `by ${countersigned.by} of ${countersigned.of} sites`]);
  return rows;
}

function epsilonRow({ verdict, epsilon, delta }: ReleasePrivacy): string {
  if (epsilon === null) return "no bound";
  if (verdict !== "proved") return `the authors claim ${epsilon} at delta ${delta}; no bound is proven`;
  return (
    `at most ${epsilonText(epsilon)} (${epsilon}) at delta ${delta}, recomputed by "consilium release verify" from ` +
    "all recorded steps"
  );
}
