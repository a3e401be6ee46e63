import type {
  Attack,
  AuditedAccounting,
  AuditedMethod,
  PaperMethod,
  SoundMethod,
  StoppedMethod,
  SumMechanism,
} from "./auditedMethod.js";
import { epsilonAlpha, measureEpsilon, sampleAdaptive, sampleFixed, worstPair } from "./epsilon.js";
import { independentEpsilon } from "./independentLoss.js";
import { examineNoise, noiseHolds } from "./noise.js";
import { scaledNoise, transcriptOf } from "./noisySum.js";
import { exhaustNeighbours, holds, type SensitivityFinding } from "./sensitivity.js";
import { falsePositiveRate, seededRandom } from "./statistics.js";

/** How much is computed: `gate` is what every test run can wait for. */
export interface Effort {
  readonly name: "gate" | "default" | "full";
  /** Runs per table, over the number of stages. */
  readonly runs: number;
  /** Runs of one with several stages in which each computes its vectors anew: dear. */
  readonly adaptiveRuns: number;
  /** The part of its noise with which a method must be caught by experiment: fewer runs see less. */
  readonly controlStdDev: number;
  /** Draws of noise per share. */
  readonly draws: number;
  /** Records in a table tried, at most, whatever the method would like. */
  readonly tableRecords: number;
  /** Outputs of earlier stages tried. */
  readonly transcripts: number;
  /** Times an attack's own number of runs. */
  readonly attackRuns: number;
  /** Random plans that accountants are compared on. */
  readonly plans: number;
}

export const efforts: Readonly<Record<Effort["name"], Effort>> = {
  gate: {
    name: "gate",
    runs: 100_000,
    adaptiveRuns: 0,
    controlStdDev: 0.35,
    draws: 20_000,
    tableRecords: 2,
    transcripts: 2,
    attackRuns: 0.25,
    plans: 8,
  },
  default: {
    name: "default",
    runs: 1_000_000,
    adaptiveRuns: 0,
    controlStdDev: 0.4,
    draws: 200_000,
    tableRecords: 4,
    transcripts: 3,
    attackRuns: 1,
    plans: 30,
  },
  full: {
    name: "full",
    runs: 2_000_000,
    adaptiveRuns: 20_000,
    controlStdDev: 0.45,
    draws: 1_000_000,
    tableRecords: 4,
    transcripts: 8,
    attackRuns: 10,
    plans: 300,
  },
};

/** One line of the audit. */
export interface Finding {
  readonly method: string;
  readonly variant: Exclude<AuditedMethod["kind"], "stopped"> | "control";
  readonly check: "sensitivity" | "noise" | "epsilon" | "stopping" | "distinguisher" | "what leaves";
  /** The stage, attack or experiment; then how it was looked at. */
  readonly subject: string;
  readonly what: string;
  readonly claimed: string;
  readonly measured: string;
  readonly verdict: string;
  /** Whether it is as it has to be: sound methods hold, claims known to be wrong and controls are caught. */
  readonly asExpected: boolean;
  /** How often this line accuses sound code. */
  readonly falsePositiveRate: number;
  /** Exact integers, in squared units of the grid. */
  readonly sensitivity?: {
    readonly stated: string;
    readonly largest: string;
    readonly largestReplaced: string;
  };
  readonly epsilon?: {
    readonly claimed: number;
    readonly delta: number;
    readonly atLeast: number;
    readonly runs: number;
  };
  readonly distinguisher?: {
    readonly rho: number;
    readonly standardError: number;
    /** Sums of each table. */
    readonly draws: number;
    readonly charged: number;
    /** The squared step of the pair over the charged one. */
    readonly stepOverCharged: number;
  };
  readonly seconds: number;
}

/** A conversation of several stages is run less often, so its control has less noise still. */
const severalStages = 0.8;

type Line = Omit<Finding, "seconds">;
export type AuditLines = Iterable<Line> | AsyncIterable<Line>;

/**
 * Audits methods one after the other.
 * @param beside - further parts, after the methods
 * @param seed - the same findings for the same seed
 * @param now - a clock in milliseconds
 * @param report - called with each line as it is found
 */
export async function runAudit(options: {
  readonly methods: readonly AuditedMethod[];
  readonly beside?: readonly (() => AuditLines)[];
  readonly effort: Effort;
  readonly seed: string;
  readonly now: () => number;
  readonly report?: (finding: Finding) => void;
}): Promise<Finding[]> {
  const { methods, beside = [], effort, seed, now, report } = options;
  const findings: Finding[] = [];
  let before = now();
  const parts = [
    ...methods.map((method) => () => linesOf(method, effort, `${seed} ${method.name}`)),
    ...beside,
  ];
  for (const lines of parts) {
    for await (const line of lines()) {
      const after = now();
      const finding = { ...line, seconds: (after - before) / 1000 };
      before = after;
      findings.push(finding);
      report?.(finding);
    }
  }
  return findings;
}

async function* linesOf(method: AuditedMethod, effort: Effort, seed: string): AsyncGenerator<Line> {
  switch (method.kind) {
    case "sound":
      yield* soundLines(method, effort, seed);
      return;
    case "stopped":
      yield* stoppedLines(method);
      return;
    case "paper":
      for (const attack of method.attacks) yield await attackLine(method, attack, effort, seed);
      return;
    case "mutation":
      yield* mutationLines(method.name, method.mechanism, effort, seed);
      return;
    case "accounting":
      yield* accountingLines(method, effort, seed);
  }
}

async function* soundLines(method: SoundMethod, effort: Effort, seed: string): AsyncGenerator<Line> {
  const mechanism = within(method.mechanism, effort);
  const common = { method: method.name, variant: "sound" as const };
  const findings = await exhaustNeighbours(mechanism, { transcripts: effort.transcripts, seed });
  for (const finding of findings) {
    yield {
      ...common,
      check: "sensitivity",
      subject: finding.stage,
      what: `${finding.pairs} pairs of neighbours`,
      ...sensitivityFigures(finding),
      ...soundVerdict(holds(finding), ratioText(finding.largest, finding.stated)),
      falsePositiveRate: 0,
    };
  }
  for (const stage of mechanism.stages) yield* noiseLines(method.name, stage.id, stage.noise, effort, seed);

  yield* epsilonLines(method, mechanism, effort, seed);
}

/** Lower bounds on ε: every stage after fixed sums, in many runs; and as it is really run, in as many as one can wait for. */
async function* epsilonLines(
  method: SoundMethod,
  mechanism: SumMechanism,
  effort: Effort,
  seed: string,
): AsyncGenerator<Line> {
  const { epsilon, delta } = method.claim;
  const stages = mechanism.stages.length - 1;
  const background = mechanism.background ?? [];
  const random = seededRandom(`${seed} epsilon transcript`);
  const published = await transcriptOf(mechanism, { table: background, stages, random });
  const pair = await worstPair(mechanism, published);
  const line = async (adaptive: boolean, stdDevFactor: number): Promise<Line> => {
    const runs = adaptive
      ? effort.adaptiveRuns
      : Math.floor((effort.runs * (mechanism.runs ?? 1)) / mechanism.stages.length);
    const sample = (on: "smaller" | "larger") => {
      const random = seededRandom(`${seed} epsilon ${adaptive} ${stdDevFactor} ${on}`);
      const options = { mechanism, pair, on, runs, stdDevFactor, random };
      return adaptive ? sampleAdaptive(options) : sampleFixed({ ...options, published });
    };
    const found = measureEpsilon(await sample("smaller"), await sample("larger"), delta);
    const exceeded = found.epsilonAtLeast > epsilon;
    const measured = `ε ≥ ${found.epsilonAtLeast.toFixed(2)}`;
    const how = `${found.runs} runs on each of two tables`;
    const isControl = stdDevFactor !== 1;
    return {
      method: method.name,
      variant: isControl ? "control" : "sound",
      check: "epsilon",
      subject: `${isControl ? `${stdDevFactor} of the noise` : "neighbours told apart"}${adaptive ? ", adaptively" : ""}`,
      what: how,
      claimed: epsilonText(epsilon, delta),
      measured,
      ...(isControl ? controlVerdict(exceeded) : soundVerdict(!exceeded, measured)),
      falsePositiveRate: epsilonAlpha,
      epsilon: { claimed: epsilon, delta, atLeast: found.epsilonAtLeast, runs: found.runs },
    };
  };
  yield await line(false, 1);
  const control = Number((effort.controlStdDev * (stages === 0 ? 1 : severalStages)).toFixed(2));
  yield await line(false, control);
  if (stages === 0 || effort.adaptiveRuns === 0) return;
  yield await line(true, 1);
  yield await line(true, control / 2);
}

function* noiseLines(
  method: string,
  stage: string,
  stated: SoundMethod["mechanism"]["stages"][number]["noise"],
  effort: Effort,
  seed: string,
): Generator<Line> {
  const { draws } = effort;
  const { noiseShares, shareVariance } = stated.event;
  const common = {
    method,
    check: "noise" as const,
    claimed: `σ ${Math.sqrt(shareVariance).toPrecision(4)} a share, any ${noiseShares} suffice`,
    falsePositiveRate,
  };
  const found = examineNoise({ stated, draws, seed: `${seed} ${stage}` });
  const measured = (finding: typeof found) =>
    `${finding.tests.length} tests, least p ${finding.worst.probability.toExponential(1)}`;
  yield {
    ...common,
    variant: "sound",
    subject: stage,
    what: `${draws} draws per share`,
    measured: measured(found),
    ...soundVerdict(noiseHolds(found), found.worst.what),
  };
  // A fourth of the variance shows in a tenth of the draws.
  const few = Math.ceil(draws / 10);
  const halved = examineNoise({
    stated,
    added: scaledNoise(stated, 0.5),
    draws: few,
    seed: `${seed} ${stage} halved`,
  });
  yield {
    ...common,
    variant: "control",
    subject: `${stage}, 0.5 of the noise`,
    what: `${few} draws per share`,
    measured: measured(halved),
    ...controlVerdict(!noiseHolds(halved)),
  };
}

/** What is stated where a rule ends the study early, and its weakened twin. */
function* stoppedLines({ name, claim, worstDelta }: StoppedMethod): Generator<Line> {
  for (const statement of ["plan", "realised"] as const) {
    const worst = worstDelta(statement);
    const exceeded = worst > claim.delta;
    const isControl = statement === "realised";
    const measured = `δ ${worst.toExponential(2)}`;
    yield {
      method: name,
      variant: isControl ? "control" : "sound",
      check: "stopping",
      subject: isControl ? "the ε of the stages that took place" : "the plan's ε",
      what: "the worst of all rules that see the noise",
      claimed: isControl ? `δ = ${claim.delta}` : epsilonText(claim.epsilon, claim.delta),
      measured,
      ...(isControl ? controlVerdict(exceeded) : soundVerdict(!exceeded, measured)),
      falsePositiveRate: 0,
    };
  }
}

async function attackLine(method: PaperMethod, attack: Attack, effort: Effort, seed: string): Promise<Line> {
  const runs = Math.ceil(attack.runs * effort.attackRuns);
  const { epsilon, delta } = method.claim;
  const sample = (table: "first" | "second") =>
    attack.sample({ table, runs, random: seededRandom(`${seed} ${attack.name} ${table}`) });
  const found = measureEpsilon(await sample("first"), await sample("second"), delta);
  const violated = found.epsilonAtLeast > epsilon;
  const measured = `ε ≥ ${found.epsilonAtLeast.toFixed(2)}`;
  return {
    method: method.name,
    variant: "paper",
    check: "epsilon",
    subject: attack.name,
    what: `seen by ${attack.view}, ${found.runs} runs`,
    claimed: epsilonText(epsilon, delta),
    measured,
    verdict: violated
      ? `claimed: violated (measured ${measured})`
      : "claimed: NOT REFUTED, though it should be",
    asExpected: violated,
    falsePositiveRate: epsilonAlpha,
    epsilon: { claimed: epsilon, delta, atLeast: found.epsilonAtLeast, runs: found.runs },
  };
}

async function* mutationLines(
  name: string,
  full: SumMechanism,
  effort: Effort,
  seed: string,
): AsyncGenerator<Line> {
  const mechanism = within(full, effort);
  const findings = await exhaustNeighbours(mechanism, { transcripts: effort.transcripts, seed });
  const broken = findings.find((finding) => finding.largest > finding.stated);
  const shown = broken ?? findings[0]!;
  yield {
    method: name,
    variant: "mutation",
    check: "sensitivity",
    subject: shown.stage,
    what: `${shown.pairs} pairs of neighbours`,
    ...sensitivityFigures(shown),
    ...controlVerdict(broken !== undefined),
    falsePositiveRate: 0,
  };
}

/** The independent accountant is right to about a part in ten thousand; ours may be less sharp than that, and never below. */
const independentError = 3e-4;
const sharpness = 2e-3;

function* accountingLines(method: AuditedAccounting, effort: Effort, seed: string): Generator<Line> {
  const random = seededRandom(`${seed} plans`);
  const plans = Array.from({ length: effort.plans }, () => method.plan(random));
  const { name, delta } = method;
  const truth = plans.map((plan) => independentEpsilon(plan, delta));
  const ratios = (epsilon: AuditedAccounting["epsilon"]) =>
    plans.map((plan, i) => epsilon(plan, delta) / truth[i]! - 1);
  const line = (variant: Line["variant"], subject: string, found: readonly number[]) => ({
    method: name,
    variant,
    check: "epsilon" as const,
    subject,
    what: `${plans.length} random plans`,
    claimed: `ε at δ = ${delta}, rounded up`,
    measured: `${percent(Math.min(...found))} to ${percent(Math.max(...found))} above an independent ε`,
    falsePositiveRate: 0,
  });
  const own = ratios(method.epsilon);
  const isRight = own.every((ratio) => ratio >= -independentError && ratio <= sharpness);
  const told = line("accounting", "an independent accountant", own);
  yield { ...told, ...soundVerdict(isRight, told.measured) };
  const weak = ratios(method.weakened);
  const caught = weak.every((ratio) => ratio < -independentError);
  yield { ...line("control", "a share of noise too many", weak), ...controlVerdict(caught) };
}

function percent(ratio: number): string {
  return `${(100 * ratio).toFixed(2)} %`;
}

function sensitivityFigures(finding: SensitivityFinding): Pick<Line, "claimed" | "measured" | "sensitivity"> {
  const { stated, largest, largestReplaced } = finding;
  return {
    claimed: `Δ² = ${stated < 1_000_000n ? stated : Number(stated).toPrecision(4)}`,
    measured: `${ratioText(largest, stated)}, one replaced ${(Number(largestReplaced) / Number(stated)).toFixed(3)}`,
    sensitivity: { stated: `${stated}`, largest: `${largest}`, largestReplaced: `${largestReplaced}` },
  };
}

function ratioText(largest: bigint, stated: bigint): string {
  if (largest === stated) return "Δ² exactly";
  const ratio = Number(largest) / Number(stated);
  return `${ratio.toFixed(3) === "1.000" ? `1 ${largest > stated ? "+" : "-"} ${Math.abs(Number(largest - stated) / Number(stated)).toExponential(0)}` : ratio.toFixed(3)} of Δ²`;
}

function within(mechanism: SumMechanism, effort: Effort): SumMechanism {
  return { ...mechanism, tableRecords: Math.min(mechanism.tableRecords, effort.tableRecords) };
}

function soundVerdict(asExpected: boolean, measured: string): Pick<Finding, "verdict" | "asExpected"> {
  return { verdict: asExpected ? "proved: holds" : `proved: VIOLATED (measured ${measured})`, asExpected };
}

function controlVerdict(caught: boolean): Pick<Finding, "verdict" | "asExpected"> {
  return { verdict: caught ? "caught, as it must be" : "MISSED: the audit is too weak", asExpected: caught };
}

function epsilonText(epsilon: number, delta: number): string {
  return `ε = ${epsilon}, δ = ${delta}`;
}
