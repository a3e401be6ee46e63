import type { PlanSays } from "@consilium/words/says/plans";
import type { SiteId } from "../ids.js";
import { nameOf } from "../said.js";
import { cohortOf } from "./recoding.js";
import type { Study } from "./study.js";
import type { Expression, Term } from "./where/expression.js";

/**
 * Hospitals that a study tells apart: a level, a recoded text or a condition that is a hospital's id makes a figure that this
 * hospital alone can fill, whatever its noise protects. What names a hospital in other words, no program can know.
 */

type Grouping = { readonly participation: Pick<Study["participation"], "tolerateColluding"> };
type Telling = Grouping & Pick<Study, "features" | "label" | "columns" | "where" | "omop">;
export type Apart = PlanSays["plan.per-hospital"];

/** Least number of hospitals that a figure is of: with fewer, those who collude could subtract their own from another's. */
export const leastTogether = ({ participation }: Grouping): number =>
  Math.max(3, participation.tolerateColluding + 2);

/** A name as it is compared: composed (NFC), without blanks around it and characters that do not show, capitals folded. */
export function foldedName(text: string): string {
  const shown = text.normalize("NFC").replace(/\p{Default_Ignorable_Code_Point}/gu, "");
  // ß is ss and ı, İ are i: capitals first, then small letters, and the dot that İ leaves.
  const small = shown.trim().toUpperCase().toLowerCase().replaceAll("i\u0307", "i");
  return small.normalize("NFC").replace(/\s+/g, " ");
}

/**
 * The first of a study's groups of sites of which there are too few, by the parameter that every method calls `siteGroups`.
 * @param sites - who is invited, takes part, or is left
 * @returns null where each has enough, or there are no groups
 */
export function fewOfGroup(
  study: Grouping & Pick<Study, "parameters">,
  sites: readonly SiteId[],
): PlanSays["plan.group-few"] | null {
  type Groups = readonly { readonly name: string; readonly sites: readonly SiteId[] }[];
  const { siteGroups = [] } = study.parameters as { readonly siteGroups?: Groups };
  const least = leastTogether(study);
  const there = siteGroups.map((group) => group.sites.filter((site) => sites.includes(site)).length);
  const few = there.findIndex((count) => count < least);
  return few === -1 ? null : { group: nameOf(siteGroups[few]!.name), sites: there[few]!, least };
}

/** Names of each kind that a sentence has at most. */
const maxShown = 3;

/** All hospitals that a study tells apart; `at` are columns, or `where`. */
export type AllApart = Omit<Apart, "more">;

/**
 * The hospitals of which fewer than `leastTogether` are told apart from the others, by all that names one of them together.
 * @param hospitals - ids and other names of hospitals
 * @param areAll - false where there may be others: then what stands beside a name is taken for one
 * @returns null where there are none
 */
export function allApart(study: Telling, hospitals: readonly string[], areAll = true): AllApart | null {
  const known = new Map(hospitals.map((name) => [foldedName(name), name]));
  const named = togetherOf(study).filter(({ names }) => [...names].some((name) => known.has(name)));
  const classes = new Map<string, string[]>();
  for (const name of areAll ? known.keys() : new Set(named.flatMap(({ names }) => [...names]))) {
    const like = named.flatMap(({ names }, at) => (names.has(name) ? [at] : [])).join();
    classes.set(like, [...(classes.get(like) ?? []), name]);
  }
  const least = leastTogether(study);
  const few = [...classes.values()].filter((one) => one.length < least).flat();
  if (named.length === 0 || few.length === 0) return null;
  const own = named.filter(({ names }) => few.some((name) => names.has(name)));
  const at = new Set((own.length === 0 ? named : own).map((one) => one.at));
  return { hospitals: few.map((name) => nameOf(known.get(name) ?? name)), at: [...at].map(nameOf), least };
}

/** The same for a sentence, which has the first names of each kind. */
export function toldApart(...asked: Parameters<typeof allApart>): Apart | null {
  const apart = allApart(...asked);
  return apart && shownApart(apart);
}

export const shownApart = ({ hospitals, at, least }: AllApart): Apart => ({
  hospitals: hospitals.slice(0, maxShown),
  more: Math.max(0, hospitals.length - maxShown),
  at: at.slice(0, maxShown),
  least,
});

/** The names that a level, or a comparison of `where`, holds together, and the column or `where`. */
function togetherOf(study: Telling): { readonly names: ReadonlySet<string>; readonly at: string }[] {
  const columns = new Map(
    [...study.features, ...(study.label === undefined ? [] : [study.label])].map((one) => [one.name, one]),
  );
  /** The level, and what becomes it. */
  const names = (column: string, levels: readonly string[]) => {
    const made = columns.get(column);
    const map = made === undefined || !("map" in made) || Array.isArray(made.map) ? {} : (made.map ?? {});
    const read = Object.entries(map).flatMap(([text, level]) => (levels.includes(level) ? [text] : []));
    return new Set([...levels, ...read].map(foldedName));
  };
  const where = cohortOf(study);
  return [
    ...[...columns.values()].flatMap((one) =>
      "levels" in one ? one.levels.map((level) => ({ names: names(one.name, [level]), at: one.name })) : [],
    ),
    ...comparedIn(where?.expression).map(([column, values]) => ({
      names: names(column, values),
      at: "where",
    })),
  ];
}

/** Each comparison of a condition with text: its column, and the texts. A number or date that a column is compared with names nobody. */
function comparedIn(one: Expression | undefined): (readonly [column: string, values: readonly string[]])[] {
  if (one === undefined || one.op === "missing") return [];
  if ("of" in one) return [one.of].flat().flatMap(comparedIn);
  const terms: readonly Term[] =
    one.op === "in" ? one.values : one.op === "compare" ? [one.right] : [one.least, one.most];
  const values = terms.flatMap(({ kind, value }) => (kind === "text" ? [value] : []));
  return values.length === 0 ? [] : [[one.left.value, values]];
}
