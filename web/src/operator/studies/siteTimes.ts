import type { StepView, StudyTimesView } from "@consilium/core/operator/views";
import { type StepGroup, stepGroups } from "./stageFamilies";

/** How long the study waited for one site, in seconds. */
export interface SiteTime {
  readonly site: string;
  /** People may take days: not part of the total. Null where it did not join. */
  readonly join: number | null;
  /** By group, in the order of `groups`; null where the site answered none of its steps. */
  readonly cells: readonly (number | null)[];
  readonly total: number;
  /** Of the total, while every other site had answered. */
  readonly alone: number;
  /** Of a site that took no part: how it said so, and how long that took. */
  readonly refused: { readonly seconds: number; readonly code: string } | null;
}

export interface SiteTimes {
  /** Groups of steps that sites answer, without joining. */
  readonly groups: readonly StepGroup[];
  /** The slowest first, those that took no part last. */
  readonly sites: readonly SiteTime[];
  /** Of all steps that sites answered, without joining: until the last answer of each. */
  readonly waited: number;
}

const joinId = "join";

/** What each site took, from the steps' answers. */
export function siteTimesOf(steps: readonly StepView[], times: StudyTimesView): SiteTimes {
  const byStep = new Map(times.steps.map(({ id, seconds }) => [id, seconds]));
  const answersOf = ({ id }: StepView) => byStep.get(id) ?? {};
  const stepsOf = ({ parts }: StepGroup) => parts.flatMap((part) => part.steps);
  const groups = stepGroups(steps).filter(
    (group) => group.id !== joinId && stepsOf(group).some((step) => Object.keys(answersOf(step)).length > 0),
  );
  const asked = groups.flatMap(stepsOf).map(answersOf);
  const joined = byStep.get(joinId) ?? {};
  const refused = new Map(times.refused.map(({ site, ...refusal }) => [site, refusal]));
  const names = [...new Set([...[joined, ...asked].flatMap(Object.keys), ...refused.keys()])].sort();
  const sites = names.map((site) => ({
    site,
    join: joined[site] ?? null,
    cells: groups.map((group) => sumOf(stepsOf(group).map((step) => answersOf(step)[site]))),
    total: sumOf(asked.map((answers) => answers[site])) ?? 0,
    alone: sumOf(asked.map((answers) => aloneIn(answers, site))) ?? 0,
    refused: (site in joined ? null : refused.get(site)) ?? null,
  }));
  return {
    groups,
    sites: sites.sort(
      (a, b) =>
        Number(a.refused !== null) - Number(b.refused !== null) ||
        b.total - a.total ||
        (b.join ?? 0) - (a.join ?? 0),
    ),
    waited: sumOf(asked.map((answers) => Math.max(0, ...Object.values(answers)))) ?? 0,
  };
}

/** From the last of the others' answers to this site's. */
function aloneIn(answers: Readonly<Record<string, number>>, site: string): number {
  const others = Object.entries(answers).filter(([other]) => other !== site);
  const own = answers[site];
  if (own === undefined || others.length === 0) return 0;
  return Math.max(0, own - Math.max(...others.map(([, seconds]) => seconds)));
}

function sumOf(seconds: readonly (number | undefined)[]): number | null {
  const known = seconds.filter((one) => one !== undefined);
  return known.length === 0 ? null : known.reduce((sum, one) => sum + one, 0);
}
