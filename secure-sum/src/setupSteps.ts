/** What the sites of a roster post before the first sum: public, and so a part of the plan. */
export type SetupStep = "deal" | "commit" | "reveal";

export function setupSteps(needs: {
  readonly masks: "pairwise" | "dealer";
  readonly sharedSeed: boolean;
}): readonly SetupStep[] {
  const first: readonly SetupStep[] =
    needs.masks === "dealer" ? ["deal"] : needs.sharedSeed ? ["commit"] : [];
  return needs.sharedSeed ? [...first, "reveal"] : first;
}
