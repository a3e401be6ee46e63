import { spokenFormats } from "@consilium/core/limits";
import { type Method, namesOf, newestEdition } from "@consilium/core/method/method";
import type { BehindView } from "@consilium/core/operator/views";

/** A software's formats, and of each method of its registry the newest edition. */
export interface Speaks {
  readonly plan: Span;
  readonly statement: Span;
  readonly editions: Readonly<Record<string, number>>;
}

interface Span {
  readonly lowest: number;
  readonly highest: number;
}

/** Formats and editions of this program. */
export function ownSpeaks(methods: readonly Method[]): Speaks {
  const newest = methods.flatMap((method) =>
    namesOf(method).map((name): [string, number] => [name, newestEdition(method)]),
  );
  return { ...spokenFormats, editions: Object.fromEntries(newest) };
}

/**
 * Newest edition of a method that a site speaks.
 * @param speaks - null from a site that does not say: of this protocol, before it was said
 * @returns infinite where it is not known, such as of a published method, which a hospital may do without
 */
export function editionAt(speaks: Speaks | null, method: string): number {
  if (speaks === null) return 1;
  return Object.hasOwn(speaks.editions, method) ? speaks.editions[method]! : Number.POSITIVE_INFINITY;
}

/** Formats and methods of which a site's software speaks less than this one. */
export function behindOf(speaks: Speaks | null, own: Speaks): BehindView[] {
  const formats = (["plan", "statement"] as const).map((what) => ({
    what,
    speaks: (speaks ?? spokenFormats)[what].highest,
    newest: own[what].highest,
  }));
  const methods = Object.entries(own.editions).map(([what, newest]) => ({
    what,
    speaks: editionAt(speaks, what),
    newest,
  }));
  return [...formats, ...methods].filter((one) => one.speaks < one.newest);
}

/**
 * Edition of a study that names none: the newest that its sites speak, or the oldest that there is.
 * @param editions - that this program has
 * @param spoken - newest edition at each site that it names, or at each enrolled one
 * @param minimumSites - that have to speak it; null: all
 */
export function spokenEdition(
  editions: readonly number[],
  spoken: readonly number[],
  minimumSites: number | null,
): number {
  const newestFirst = [...spoken].sort((a, b) => b - a);
  const common = newestFirst[(minimumSites ?? spoken.length) - 1] ?? 1;
  return Math.max(Math.min(...editions), ...editions.filter((edition) => edition <= common));
}
