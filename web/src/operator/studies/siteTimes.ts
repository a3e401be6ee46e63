import type { StepView, StudyTimesView } from "@consilium/core/operator/views";
import { type StepGroup, stepGroups } from "./stageFamilies";

/** How long the study waited for one site, in seconds. */
export interface SiteTime {
  readonly site: string;
  /** From the study's start until it joined: people may take days, and it is not part of the total. Null where it did not join. */
  readonly join: number | null;
  /** By group, in the order of `groups`; null where the site answered none of its steps. */
  readonly cells: readonly (number | null)[];
  readonly total: number;
  /** Of the total, while every other site had answered; a tie adds nothing. */
  readonly alone: number;
  /** In how many steps it answered last. */
  readonly lastIn: number;
  /** Of a site that took no part: how it said so, and how long that took. */
  readonly refused: { readonly seconds: number; readonly code: string } | null;
}

/** Who was last, and by how much after the second to last. */
export interface Last {
  readonly site: string;
  readonly seconds: number;
  /** Null where no other one answered. */
  readonly behind: number | null;
}

export interface SiteTimes {
  /** Groups of steps that sites answer, without joining. */
  readonly groups: readonly StepGroup[];
  /** The one that was waited for alone the longest comes first, those that took no part last. */
  readonly sites: readonly SiteTime[];
  /** Of all steps that sites answered, without joining: until the last answer of each. */
  readonly waited: number;
  /** Of the sites that have decided, by a person or a rule. */
  readonly decided: Last | null;
  /** Some may still decide: who is last is not known. */
  readonly isDeciding: boolean;
}

const joinId = "join";

/** In seconds; less is shown as 0.0 s: at such a tie nobody was waited for alone. */
export const leastShown = 0.05;

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
  const decisions = { ...Object.fromEntries(times.refused.map((one) => [one.site, one.seconds])), ...joined };
  const names = [...new Set([...[decisions, ...asked].flatMap(Object.keys)])].sort();
  const lasts = asked.flatMap((answers) => lastOf(answers) ?? []);
  const sites = names.map((site): SiteTime => {
    const own = lasts.flatMap((one) => (one.site === site ? (one.behind ?? 0) : []));
    const apart = own.filter((behind) => behind >= leastShown);
    return {
      site,
      join: joined[site] ?? null,
      cells: groups.map((group) => sumOf(stepsOf(group).map((step) => answersOf(step)[site]))),
      total: sumOf(asked.map((answers) => answers[site])) ?? 0,
      alone: sumOf(apart) ?? 0,
      lastIn: apart.length,
      refused: (site in joined ? null : refused.get(site)) ?? null,
    };
  });
  return {
    groups,
    sites: sites.sort(
      (a, b) =>
        Number(a.refused !== null) - Number(b.refused !== null) ||
        b.alone - a.alone ||
        b.total - a.total ||
        (b.join ?? 0) - (a.join ?? 0),
    ),
    waited: sumOf(asked.map((answers) => Math.max(0, ...Object.values(answers)))) ?? 0,
    decided: lastOf(decisions),
    isDeciding: steps.some(({ kind, status }) => kind === "join" && status === "open"),
  };
}

/** Null where nobody has answered. */
function lastOf(answers: Readonly<Record<string, number>>): Last | null {
  const [last, second] = Object.entries(answers).sort(([, a], [, b]) => b - a);
  if (last === undefined) return null;
  const [site, seconds] = last;
  return { site, seconds, behind: second === undefined ? null : seconds - second[1] };
}

function sumOf(seconds: readonly (number | undefined)[]): number | null {
  const known = seconds.filter((one) => one !== undefined);
  return known.length === 0 ? null : known.reduce((sum, one) => sum + one, 0);
}
