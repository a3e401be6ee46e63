/** A figure that a bench holds against a mark. */
export interface Mark {
  readonly what: string;
  readonly found: number;
  readonly mark: string;
  readonly verdict: "met" | "missed";
}

export const atLeast = (what: string, found: number, least: number): Mark => ({
  what,
  found: Number(found.toFixed(2)),
  mark: `at least ${least}`,
  verdict: found >= least ? "met" : "missed",
});

export const atMost = (what: string, found: number, most: number): Mark => ({
  what,
  found: Number(found.toFixed(2)),
  mark: `at most ${most}`,
  verdict: found <= most ? "met" : "missed",
});
