import type { AnySaid, Id, Name } from "../said.js";

/** What is said of a study. */
export interface StudySays {
  /** Remedies where too few sites take part: some refused it, or have not answered. */
  readonly "study.correct-and-clone": Record<never, never>;
  readonly "study.ask-undecided": Record<never, never>;
  /** The version that runs plans the study otherwise than the one that began it. @param at - where first */
  readonly "study.other-plan": { readonly began: Name; readonly software: Name; readonly at: Name };
  /** Its remedy. */
  readonly "study.finish-with": Record<never, never>;
  /** Of a method that has several. @param newest - that the aggregator's software has */
  readonly "study.edition": { readonly method: Name; readonly edition: number; readonly newest: number };
  /** @param sites - the first that do not speak it, with so many `more` */
  readonly "study.edition-unspoken": {
    readonly method: Name;
    readonly edition: number;
    readonly sites: readonly Name[];
    readonly more: number;
  };
  /** The version that runs would have asked for another sum than the one that is there. @param at - a broadcast, stage or draw */
  readonly "study.replay-differs": { readonly stage: Name; readonly at: Name };
  /** A study whose certificate could not be made. `fits`: with how many of its sites it could; 0 with none. */
  readonly "study.too-many-attempts": { readonly stage: Name; readonly max: number };
  readonly "study.statement-too-large": {
    readonly stages: number;
    readonly sites: number;
    readonly bytes: number;
    readonly max: number;
    readonly fits: number;
  };
  /** Its remedy. */
  readonly "study.plan-less": Record<never, never>;
  /** @param left - sites that have joined or may yet */
  readonly "study.unreachable": {
    readonly invited: number;
    readonly minimum: number;
    readonly left: number;
    readonly refused: readonly AnySaid[];
  };
  /** @param why - a code of `core/src/errors.ts` */
  readonly "study.refused-by": { readonly site: Id; readonly why: Name };
  /** At a hospital of whose messages the aggregator has refused one. @param why - a code of `core/src/errors.ts` */
  readonly "study.refused-there": { readonly why: Name };
  /** A warning of the plan as a sentence of its own, before a hospital decides. */
  readonly "study.plan-warns": { readonly warning: AnySaid };
  /** At a hospital whose people have not decided. */
  readonly "study.over-undecided": Record<never, never>;
  /** At a hospital where a further attempt would cost more than the study may there. */
  readonly "study.ceiling-reached": Record<never, never>;
  /** Of a study that makes other columns of a table's: the first names of each. */
  readonly "study.reads": { readonly columns: readonly Name[]; readonly makes: readonly Name[] };
  /** Before anybody approves. ε at the population's δ; rounded against the hospital. */
  readonly "study.budget-short": {
    readonly needs: number;
    readonly left: number;
    readonly delta: number;
    readonly population: Name;
  };
  /** A person cannot let the study cost more: `perStudy.epsilon` does not. */
  readonly "study.ceiling-full": Record<never, never>;
  /** Its remedy. */
  readonly "study.raise-limit": Record<never, never>;
  /** Of a policy, in words. */
  readonly "study.max-unanswered": { readonly max: number };
  /** Reason why the policy asks a person, after so many studies that run without an answer or ended so. */
  readonly "study.unanswered": { readonly studies: number; readonly population: Name; readonly max: number };
  /** Reasons that a site keeps of a study that it is not in, or no longer in. */
  readonly "study.lapsed": Record<never, never>;
  readonly "study.denied-without-reason": Record<never, never>;
  readonly "study.restored": Record<never, never>;
  readonly "study.older-copy": Record<never, never>;
  /** @param ms - from the study's last message to the removal */
  readonly "study.removed": { readonly ms: number };
  /** Of an approval: what is another than what the console or command has shown to the person. */
  readonly "study.shown-study": Record<never, never>;
  readonly "study.shown-plan": Record<never, never>;
  readonly "study.shown-policy": Record<never, never>;
  readonly "study.shown-table": Record<never, never>;
  readonly "study.shown-software": Record<never, never>;
  /** On the page that approves. @param epsilon - of all attempts together, at the population's δ, rounded up */
  readonly "study.attempts": { readonly epsilon: number };
  /** Of the text of a study that was sent. @param hash - the begin of the one that it should have */
  readonly "study.other-hash": { readonly hash: Name };
  readonly "study.not-canonical": Record<never, never>;
  readonly "study.not-json": Record<never, never>;
  readonly "study.newer-key": { readonly key: Name };
}
