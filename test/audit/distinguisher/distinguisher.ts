import { rhoOf } from "@consilium/gate/cost";
import { osRandom } from "@consilium/runtime/random";
import type { Effort, Finding } from "../runAudit.js";
import { drawsFor, type MeasuredRho, measureRho, rhoAtLeast } from "./measure.js";
import { type FoundPair, searchPair } from "./pairs.js";
import { type SearchedStage, searchedStages } from "./stages.js";
import { fullBlocks, type SearchedStudy, searchedStudies } from "./studies.js";
import { firstRowsOfBlock } from "./twin.js";
import type { Fold } from "./vectors.js";

/**
 * The standing distinguisher. Of each stage of each proven study it searches the two neighbouring tables whose sums are farthest
 * apart, adds the noise that the plan counts on, and measures ρ by the best linear test. Tables are the same for the same seed; the
 * noise is the operating system's.
 */
interface DistinguisherEffort {
  /** Pairs tried at random of a stage, and again as many from the best on. */
  readonly budget: number;
  /** The standard error of ρ that is drawn for, over ρ; and of a control's. */
  readonly relative: number;
  readonly ofControl: number;
  /** Entries of noise drawn for a measurement, at most. */
  readonly entries: number;
}

const efforts: Readonly<Record<Effort["name"], DistinguisherEffort>> = {
  gate: { budget: 60, relative: 0.06, ofControl: 0.05, entries: 3_000_000 },
  default: { budget: 150, relative: 0.05, ofControl: 0.04, entries: 4_000_000 },
  full: { budget: 600, relative: 0.025, ofControl: 0.025, entries: 15_000_000 },
};

type Line = Omit<Finding, "seconds">;

/** Stages that are asked the same and have the same noise, with the pair of that one where they are farthest apart. */
interface Group {
  readonly method: string;
  readonly stages: readonly SearchedStage[];
  readonly pair: FoundPair;
  readonly tried: number;
}

const rhoCharged = ({ stages: [stage] }: Pick<Group, "stages">) => rhoOf(stage!.charged);
const kindOf = ({ stages: [stage] }: Group) => stage!.proposals[0]!.query.kind;
const sharesOf = ({ stages: [stage] }: Group) => stage!.noise.event.noiseShares;

/** A line for each kind of stage of each study; then, for each kind of query, one with a share of noise too few; and the weakened twin. */
export async function* distinguisherLines(options: {
  readonly effort: Effort["name"];
  readonly seed: string;
  /** Left out: all. */
  readonly studies?: readonly SearchedStudy[];
  /** Left out: the gate's. */
  readonly fold?: Fold;
}): AsyncGenerator<Line> {
  const { seed, studies = searchedStudies(), fold } = options;
  const effort = efforts[options.effort];
  const widest = new Map<string, Group>();
  for (const study of studies)
    for await (const group of groupsOf(study, effort, seed, fold)) {
      yield soundLine(group, effort);
      const kind = kindOf(group);
      const before = widest.get(kind);
      if (before === undefined || visibility(group, effort) > visibility(before, effort))
        widest.set(kind, group);
    }
  for (const [kind, group] of widest) yield fewerSharesLine(kind, group, effort);
  const twin = fullBlocks();
  let largest: Group | null = null;
  for await (const group of groupsOf(twin, effort, seed, firstRowsOfBlock))
    if (kindOf(group) === "blocks" && group.pair.ratio > (largest?.pair.ratio ?? -1)) largest = group;
  yield controlLine(largest!, "a full block keeps the first rows of all parts", sharesOf(largest!), effort);
}

/**
 * The ratio counts first: only a pair that moves the sum by what is charged shows a share that is missing. Then how well it shows with the
 * draws that are afforded, fewer of a pair that differs in many entries.
 */
function visibility(group: Group, { ofControl, entries }: DistinguisherEffort): number {
  const rho = rhoCharged(group);
  const draws = drawsFor(group.pair, rho, { relative: ofControl, entries, shares: sharesOf(group) });
  return Math.min(1, group.pair.ratio) ** 8 * rho * draws;
}

async function* groupsOf(
  { name, study, tables }: SearchedStudy,
  { budget }: DistinguisherEffort,
  seed: string,
  fold?: Fold,
): AsyncGenerator<Group> {
  const own = `${seed} ${name}`;
  const alike = new Map<string, SearchedStage[]>();
  for (const stage of await searchedStages({ name, study, tables }, own)) {
    const { query, scale } = stage.proposals[0]!;
    const key = JSON.stringify([query, scale, stage.noise.event]);
    alike.set(key, [...(alike.get(key) ?? []), stage]);
  }
  for (const stages of alike.values()) {
    let best: FoundPair | null = null;
    let tried = 0;
    for (const stage of stages) {
      const options = { budget, seed: `${own} ${stage.id}`, ...(fold === undefined ? {} : { fold }) };
      const pair = await searchPair(stage, options);
      tried += pair.tried;
      if (best === null || pair.ratio > best.ratio) best = pair;
    }
    yield { method: name, stages, pair: best!, tried };
  }
}

/** How often honest noise of a pair at its bound is twice beyond what is charged, each time by three standard errors. */
export const twiceBeyond = 1.8e-6;

/** Measures ρ; where it is beyond what is charged, once more with four times the draws, and that counts. */
function measured(
  { stages, pair }: Group,
  charged: number,
  shares: number,
  effort: DistinguisherEffort,
  relative: number,
): MeasuredRho {
  const { noise } = stages[0]!;
  const draws = drawsFor(pair, charged, { relative, entries: effort.entries, shares });
  const first = measureRho(pair, noise, { shares, draws, random: osRandom });
  if (rhoAtLeast(first) <= charged) return first;
  return measureRho(pair, noise, { shares, draws: 4 * draws, random: osRandom });
}

function soundLine(group: Group, effort: DistinguisherEffort): Line {
  const charged = rhoCharged(group);
  const found = measured(group, charged, sharesOf(group), effort, effort.relative);
  const isWithin = group.pair.ratio <= 1 && rhoAtLeast(found) <= charged;
  const [first, ...more] = group.stages;
  return {
    ...common(group, found),
    variant: "sound",
    subject: more.length === 0 ? first!.id : `${first!.id} and ${more.length} more`,
    verdict: isWithin ? "proved: holds" : `proved: VIOLATED (measured ${measuredText(group, found)})`,
    asExpected: isWithin,
  };
}

const fewerSharesLine = (kind: string, group: Group, effort: DistinguisherEffort): Line =>
  controlLine(group, `${kind}: a share of noise too few`, sharesOf(group) - 1, effort);

function controlLine(group: Group, subject: string, shares: number, effort: DistinguisherEffort): Line {
  const charged = rhoCharged(group);
  const found = measured(group, charged, shares, effort, effort.ofControl);
  const isCaught = rhoAtLeast(found) > charged;
  return {
    ...common(group, found),
    variant: "control",
    subject,
    verdict: isCaught ? "caught, as it must be" : "MISSED: the audit is too weak",
    asExpected: isCaught,
  };
}

function common(group: Group, found: MeasuredRho) {
  const { method, pair, tried } = group;
  return {
    method,
    check: "distinguisher" as const,
    what: `${tried} pairs tried, ${found.draws} sums of each table`,
    claimed: `ρ = ${figure(rhoCharged(group))}`,
    measured: measuredText(group, found),
    falsePositiveRate: twiceBeyond,
    distinguisher: { ...found, charged: rhoCharged(group), stepOverCharged: pair.ratio },
  };
}

const measuredText = ({ pair }: Group, { rho, standardError }: MeasuredRho) =>
  `${pair.ratio.toFixed(3)} of Δ², ρ ${figure(rho)} ± ${figure(standardError)}`;

const figure = (value: number) => value.toPrecision(3);
