import type { UtilityNetwork } from "./network.js";

/** One figure of what a method is worth, at one ε. */
export interface UtilityCell {
  readonly method: string;
  readonly variant: "paper" | "sound" | "none" | "baseline";
  readonly data: string;
  /** Null without privacy. */
  readonly epsilon: number | null;
  /** What the figure is, as `accuracy` or `AUC`. */
  readonly metric: string;
  /** Whether the figure is an error: the less of it the better. */
  readonly isError?: true | undefined;
  /** What an independent central program measured; null where there is no such figure. */
  readonly target: number | null;
  /** The same program's mean over more seeds, where the first one was of few. */
  readonly again?: number | undefined;
  /** The same program's on those folds that the network runs for the first five seeds. */
  readonly onFolds?: number | undefined;
  /** What the method's authors print, where they do: to be read beside ours, no target. */
  readonly published?: number | undefined;
  /** The hospitals of the network; left out: `utilitySites`. */
  readonly sites?: readonly string[] | undefined;
  /**
   * One run.
   * @param network - hospitals that are processes of their own; null: all in this process, with the same vectors, noise and
   *   conversation
   */
  readonly run: (seed: number, network: UtilityNetwork | null) => Promise<number>;
}
