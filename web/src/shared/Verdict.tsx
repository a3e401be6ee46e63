import type { ClaimView } from "@consilium/core/study/planViews";
import { Badge, type Tone } from "./components";
import { served } from "./language";

const tones: Readonly<Record<ClaimView["verdict"], Tone>> = {
  proved: "ok",
  "claimed by the authors, not verified": "warn",
  "no privacy": "bad",
};

/** What is proven of a study's privacy: the same words on every page. Files keep the schema's own. */
export function verdictWords(verdict: ClaimView["verdict"]): string {
  return served(verdict === "proved" ? "proven" : verdict);
}

export function Verdict({ of }: { readonly of: ClaimView["verdict"] }) {
  return <Badge tone={tones[of]}>{verdictWords(of)}</Badge>;
}
