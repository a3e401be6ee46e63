import type { ReleaseFacets, ReleaseQuery } from "@consilium/core/release/views";
import type { Entry } from "./catalogue.js";

export interface Found {
  /** In the order asked for. */
  readonly entries: readonly Entry[];
  readonly facets: ReleaseFacets;
}

type Filter = (entry: Entry) => boolean;
const facetNames = ["method", "variant", "verdict"] as const;
type FacetName = (typeof facetNames)[number];

/** The releases that a query asks for, and what else there is to filter by. Offset and limit are the caller's. */
export function searchReleases(all: readonly Entry[], query: ReleaseQuery): Found {
  const matching = all.filter(everyOf(generalFilters(query)));
  const own = Object.fromEntries(
    facetNames.map((name) => [
      name,
      (entry: Entry) => query[name] === undefined || facetOf(entry, name) === query[name],
    ]),
  ) as Record<FacetName, Filter>;
  const counts = (name: FacetName) => {
    // Each facet shows what choosing another of its values would give.
    const others = facetNames.filter((other) => other !== name).map((other) => own[other]);
    return countValues(matching.filter(everyOf(others)).map((entry) => facetOf(entry, name)));
  };
  return {
    entries: matching.filter(everyOf(Object.values(own))).sort(orders[query.order]),
    facets: { method: counts("method"), variant: counts("variant"), verdict: counts("verdict") },
  };
}

function everyOf(filters: readonly Filter[]): Filter {
  return (entry) => filters.every((filter) => filter(entry));
}

/** Every filter but those of the facets. */
function generalFilters({ q, analysis, epsilonMin, epsilonMax, from, to }: ReleaseQuery): Filter[] {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const filters: Filter[] = [];
  if (words.length > 0) {
    filters.push((entry) => {
      const text = searchText(entry);
      return words.every((word) => text.includes(word));
    });
  }
  if (analysis !== undefined) filters.push(({ description }) => description.study.analysis === analysis);
  if (epsilonMin !== undefined) filters.push((entry) => (epsilonOf(entry) ?? -1) >= epsilonMin);
  if (epsilonMax !== undefined) {
    filters.push((entry) => (epsilonOf(entry) ?? Number.POSITIVE_INFINITY) <= epsilonMax);
  }
  const dayOf = ({ description }: Entry) => description.createdAt.slice(0, 10);
  if (from !== undefined) filters.push((entry) => dayOf(entry) >= from);
  if (to !== undefined) filters.push((entry) => dayOf(entry) <= to);
  return filters;
}

const epsilonOf = ({ certificate }: Entry) => certificate.privacy.epsilon;

function facetOf({ description, certificate }: Entry, name: FacetName): string {
  return name === "verdict" ? certificate.privacy.verdict : description.study[name];
}

/** Most frequent first, then by name. */
function countValues(values: readonly string[]): { value: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
}

const byId = (a: Entry, b: Entry) => (a.description.id < b.description.id ? -1 : 1);
const timeOf = ({ description }: Entry) => Date.parse(description.createdAt);

const orders: Readonly<Record<ReleaseQuery["order"], (a: Entry, b: Entry) => number>> = {
  newest: (a, b) => timeOf(b) - timeOf(a) || byId(a, b),
  oldest: (a, b) => timeOf(a) - timeOf(b) || byId(a, b),
  // Proved ones first: a claim is no smaller cost than a proof.
  epsilon: (a, b) => costOf(a) - costOf(b) || byId(a, b),
  title: (a, b) => a.description.title.localeCompare(b.description.title, "en") || byId(a, b),
};

function costOf(entry: Entry): number {
  const isProved = entry.certificate.privacy.verdict === "proved";
  return (isProved ? epsilonOf(entry) : null) ?? Number.MAX_VALUE;
}

function searchText({ description }: Entry): string {
  const { id, title, description: about, creator, license, study, columns } = description;
  const parts = [id, title, about, creator, license, study.name, study.analysis, study.method];
  // Column names too, as far as they are few: nobody looks for one of thousands.
  const names = columns.slice(0, 200).map((column) => column.name);
  return [...parts, study.variant, ...names].join("\n").toLowerCase();
}
