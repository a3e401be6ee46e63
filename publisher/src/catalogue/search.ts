import type { ReleaseFacets, ReleaseQuery } from "@consilium/core/release/views";
import type { Listed } from "./releaseIndex.js";

/** What is listed of a release, with what a search would work out anew each time. */
export interface Searchable extends Listed {
  /** In lower case. */
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly createdAtMs: number;
}

export function searchable(listed: Listed): Searchable {
  const { id, title, description, creator, license, study, createdAt } = listed.summary;
  const parts = [id, title, description, creator, license, study.name, study.analysis, study.method];
  const text = [...parts, study.variant, ...listed.columnNames].join("\n").toLowerCase();
  return { ...listed, text, createdAtMs: Date.parse(createdAt) };
}

export interface Found<R extends Searchable> {
  /** In the order asked for. */
  readonly releases: readonly R[];
  readonly facets: ReleaseFacets;
}

type Filter = (release: Searchable) => boolean;
const facetNames = ["method", "variant", "verdict"] as const;
type FacetName = (typeof facetNames)[number];

/** The releases that a query asks for, and what else there is to filter by. Offset and limit are the caller's. */
export function searchReleases<R extends Searchable>(all: readonly R[], query: ReleaseQuery): Found<R> {
  const matching = all.filter(everyOf(generalFilters(query)));
  const own = Object.fromEntries(
    facetNames.map((name) => [
      name,
      (release: Searchable) => query[name] === undefined || facetOf(release, name) === query[name],
    ]),
  ) as Record<FacetName, Filter>;
  const counts = (name: FacetName) => {
    // Each facet shows what choosing another of its values would give.
    const others = facetNames.filter((other) => other !== name).map((other) => own[other]);
    return countValues(matching.filter(everyOf(others)).map((release) => facetOf(release, name)));
  };
  return {
    releases: matching.filter(everyOf(Object.values(own))).sort(orders[query.order]),
    facets: { method: counts("method"), variant: counts("variant"), verdict: counts("verdict") },
  };
}

function everyOf(filters: readonly Filter[]): Filter {
  return (release) => filters.every((filter) => filter(release));
}

/** Every filter but those of the facets. */
function generalFilters({ q, analysis, epsilonMin, epsilonMax, from, to }: ReleaseQuery): Filter[] {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const filters: Filter[] = [];
  if (words.length > 0) {
    filters.push(({ text }) => words.every((word) => text.includes(word)));
  }
  if (analysis !== undefined) filters.push(({ summary }) => summary.study.analysis === analysis);
  if (epsilonMin !== undefined) filters.push((release) => (epsilonOf(release) ?? -1) >= epsilonMin);
  if (epsilonMax !== undefined) {
    filters.push((release) => (epsilonOf(release) ?? Number.POSITIVE_INFINITY) <= epsilonMax);
  }
  const dayOf = ({ summary }: Searchable) => summary.createdAt.slice(0, 10);
  if (from !== undefined) filters.push((release) => dayOf(release) >= from);
  if (to !== undefined) filters.push((release) => dayOf(release) <= to);
  return filters;
}

const epsilonOf = ({ summary }: Searchable) => summary.epsilon;

function facetOf({ summary }: Searchable, name: FacetName): string {
  return name === "verdict" ? summary.verdict : summary.study[name];
}

/** Most frequent first, then by name. */
function countValues(values: readonly string[]): { value: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
}

const byId = (a: Searchable, b: Searchable) => (a.summary.id < b.summary.id ? -1 : 1);
const { compare: compareTitles } = new Intl.Collator("en");

const orders: Readonly<Record<ReleaseQuery["order"], (a: Searchable, b: Searchable) => number>> = {
  newest: (a, b) => b.createdAtMs - a.createdAtMs || byId(a, b),
  oldest: (a, b) => a.createdAtMs - b.createdAtMs || byId(a, b),
  // Proven ones first: a claim is no smaller cost than a proof.
  epsilon: (a, b) => costOf(a) - costOf(b) || byId(a, b),
  title: (a, b) => compareTitles(a.summary.title, b.summary.title) || byId(a, b),
};

function costOf(release: Searchable): number {
  const isProved = release.summary.verdict === "proved";
  return (isProved ? epsilonOf(release) : null) ?? Number.MAX_VALUE;
}
