/** An instance that is heard again after so many others is not known any more. */
const knownMost = 8;

/** Instances of a site's agents, as their streams told them. */
export interface Instances {
  /** Newest first. */
  readonly known: readonly string[];
  /** When one came back after another, last, in milliseconds since 1970; null: never. */
  readonly alternatedAt: number | null;
}

/**
 * An agent that restarts has an instance of its own from then on, so that one which comes back after another is a second agent
 * with the same identity: each ends the other's stream.
 * @param instance - of a stream that begins
 */
export function withInstance(before: Instances | undefined, instance: string, now: number): Instances {
  const { known, alternatedAt } = before ?? { known: [], alternatedAt: null };
  const others = known.filter((one) => one !== instance);
  const isBack = known.indexOf(instance) > 0;
  return {
    known: [instance, ...others].slice(0, knownMost),
    alternatedAt: isBack ? now : alternatedAt,
  };
}
