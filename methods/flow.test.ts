import { readdirSync, readFileSync } from "node:fs";
import { flowProposal, flowTable } from "@consilium/core/learning/flowTable";
import { plainKernels } from "@consilium/core/linalg/plain";
import type { Conversation } from "@consilium/core/method/aggregatorSide";
import { aggregatorSideOf } from "@consilium/core/method/aggregatorSideOf";
import { rhoFromEpsilon } from "@consilium/core/privacy/conversions";
import type { FlowCounts } from "@consilium/core/release/flowSchema";
import { unwrap } from "@consilium/core/result";
import { flowStageId } from "@consilium/core/study/flow";
import { noiseWeight, planStudy, type SumStage } from "@consilium/core/study/plan";
import type { Study } from "@consilium/core/study/study";
import { parseWritten } from "@consilium/core/study/writtenStudy";
import { seededRandom } from "@consilium/core/testing/privacy/random";
import { answerOf } from "@consilium/gate/answer";
import { type ChargedEvent, rhoOf } from "@consilium/gate/cost";
import { type FlowStatus, flowStatus, flowStatuses } from "@consilium/gate/flow";
import { PatientFlow } from "@consilium/gate/flowRecords";
import { addNoiseShare } from "@consilium/gate/noise/noiseShare";
import type { RecordBlock } from "@consilium/gate/record";
import { allMethods } from "@consilium/methods-paper/all";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { aloneInTests } from "./testing/aggregatorSums.js";
import { onRosterOfAll } from "./testing/rosterOfAll.js";

/** The flow of rows in studies of every method: what it costs, and what it says of drawn tables. */

const examples = new URL("../examples/studies/", import.meta.url);
const written = readdirSync(examples).map((file): unknown =>
  parse(readFileSync(new URL(file, examples), "utf8")),
);
const parsed = (raw: unknown): Study => unwrap(parseWritten(allMethods, raw));
const nameOf = (raw: unknown) => (raw as { name: string }).name;

const rhoOfStage = ({ disclosure }: { disclosure: SumStage["disclosure"] }) =>
  rhoOf(disclosure.event as ChargedEvent);

describe("a new study", () => {
  const sound = written.filter((raw) => unwrap(allMethods.parse(raw)).variant === "sound");

  it.each(sound.map((raw) => [nameOf(raw), raw] as const))(
    "%s counts its rows first, at 2 %% of ρ",
    (_, raw) => {
      const before = planStudy(unwrap(allMethods.parse(raw)));
      const study = parsed(raw);
      const { stages, claim } = planStudy(study);
      expect(stages.map(({ id }) => id)).toEqual([flowStageId, ...before.stages.map(({ id }) => id)]);
      if (study.privacy === "none") return;
      const whole = study.privacy.rho ?? rhoFromEpsilon(study.privacy);
      expect(rhoOfStage(stages[0]!) / whole).toBeCloseTo(0.02, 5);
      expect(stages.reduce((sum, stage) => sum + rhoOfStage(stage), 0)).toBeLessThanOrEqual(whole);
      expect(claim.epsilon).toBeLessThanOrEqual(study.privacy.epsilon);
      for (const [i, stage] of before.stages.entries())
        expect(rhoOfStage(stages[1 + i]!) / rhoOfStage(stage)).toBeCloseTo(0.98, 3);
    },
  );

  it("of a published method has no flow, and may ask for none", () => {
    const paper = written.filter((raw) => !sound.includes(raw));
    for (const raw of paper) {
      expect(parsed(raw).flow).toBeUndefined();
      const asked = parseWritten(allMethods, { ...(raw as object), flow: true });
      expect(asked.ok ? [] : asked.error.issues.map(({ path }) => path)).toEqual(["flow"]);
    }
    expect(paper.length).toBeGreaterThan(3);
  });
});

const counts = (rest: object = {}) =>
  parsed({
    name: "flow",
    table: "records",
    analysis: "describe",
    method: "counts",
    features: [
      { name: "age", type: "numeric", min: 0, max: 100 },
      { name: "weight", type: "numeric", min: 20, max: 200 },
    ],
    privacy: { epsilon: 1, delta: 1e-6 },
    participation: { sites: ["a", "b", "c"], minimumSites: 3, maxRowsPerSite: 10_000 },
    ...rest,
  });

describe("a patient with several rows", () => {
  it.each(["patients", "rows"])("is one record of the flow, where %s weigh alike", (weighting) => {
    const one = planStudy(counts()).stages[0] as SumStage;
    const several = planStudy(counts({ patient: { column: "who", maxRows: 9, weighting } }));
    const flow = several.stages[0] as SumStage;
    expect(flow.noise).toEqual(one.noise);
    expect(flow.terms).toEqual(one.terms);
    expect(flow.disclosure.event).toEqual(one.disclosure.event);
    expect(several.stages[1]!.disclosure.event.kind).toBe(
      weighting === "rows" ? "group" : one.noise!.event.kind,
    );
  });
});

it("puts about ±97 rows around each number at ε = 1 with three hospitals", () => {
  const features = Array.from({ length: 6 }, (_, i) => ({ name: `x${i}`, type: "numeric", min: 0, max: 1 }));
  const study = counts({ features, privacy: { epsilon: 1, delta: 1e-5 } });
  const { noise } = planStudy(onRosterOfAll(study, [1, 2, 3])).stages[0] as SumStage;
  expect((1.96 * Math.sqrt(noise!.event.shareVariance * sites)) / 2).toBeCloseTo(97, -0.5);
});

/** One number of a flow: its true value and the interval that was released. */
type Line = readonly [name: string, truth: number, of: { readonly low: number; readonly high: number }];

const sites = 3;
const statuses = Object.keys(flowStatus) as FlowStatus[];

/** A drawn table of each site, its flow over the noise, and the truth of it. */
async function drawn(
  study: Study,
  uniform: () => number,
  noise: ReturnType<typeof seededRandom>,
): Promise<Line[]> {
  const below = (n: number) => Math.floor(uniform() * n);
  const truth = { status: new Array<number>(flowStatuses).fill(0), sides: [0, 0, 0, 0] };
  const tables = Array.from({ length: sites }, () => {
    const persons = 50 + below(300);
    const block = { rows: 0, columns: [[], [], []] as number[][], who: [] as number[] };
    for (let p = 0; p < persons; p++) {
      const own = study.patient === undefined ? 1 : 1 + below(4);
      let first: number = flowStatus.missing;
      const sides = [0, 0];
      for (let r = 0; r < own; r++) {
        const status = below(flowStatuses);
        first = Math.min(first, status);
        const row = status === flowStatus.used ? [below(3), uniform() < 0.1 ? 2 : 0] : [0, 0];
        row.forEach((side, n) => {
          if (side !== 0) sides[n] = sides[n] === 0 ? side : Math.min(sides[n]!, side);
        });
        for (const [c, column] of block.columns.entries()) column.push(c === 0 ? status : row[c - 1]!);
        block.who.push(p + 1);
        block.rows++;
      }
      truth.status[first]!++;
      sides.forEach((side, n) => {
        if (side !== 0) truth.sides[2 * n + side - 1]!++;
      });
    }
    return block;
  });
  const stage = planStudy(study).stages[0] as SumStage;
  const total = new BigUint64Array(stage.length);
  for (const table of tables) {
    const columns = table.columns.map((column) => Float64Array.from(column));
    const whole = { rows: table.rows, columns, labels: null };
    const records = study.patient === undefined ? [whole] : patientsOf(whole, table.who);
    const { exact } = await answerOf(
      flowProposal(study),
      flowTable(
        study,
        (async function* () {
          yield* records;
        })(),
        noise,
      ),
    );
    for (let i = 0; i < total.length; i++) total[i] = total[i]! + exact[i]!;
    const { event, weights } = stage.noise!;
    addNoiseShare({
      vector: total,
      shareVariance: event.shareVariance,
      weightOf: noiseWeight(weights),
      random: noise,
    });
  }
  const flow = await released(study, total);
  return [
    ["read", truth.status.reduce((sum, one) => sum + one, 0), flow.read],
    ["used", truth.status[0]!, flow.used],
    ...flow.leftOut.map((one): Line => [one.cause, truth.status[statuses.indexOf(one.cause)]!, one]),
    ...flow.beyond.map((one, i): Line => [`${one.column} ${one.side}`, truth.sides[i]!, one]),
  ];
}

function patientsOf({ rows, columns }: RecordBlock, who: readonly number[]): RecordBlock[] {
  const patients = new PatientFlow(0);
  const part = Float64Array.from(who);
  patients.add({ rows, columns, patient: [part, part, part] });
  return [...patients.records(2)];
}

/** What the aggregator's side says of the sum. */
async function released(study: Study, sum: BigUint64Array): Promise<FlowCounts> {
  const { stages } = planStudy(study);
  const lengthOf = (id: string) => (stages.find((stage) => stage.id === id) as SumStage).length;
  const conversation = {
    ...aloneInTests,
    study,
    sites,
    survivors: sites,
    kernels: plainKernels(),
    sum: async (id: string) => (id === flowStageId ? sum : new BigUint64Array(lengthOf(id))),
  };
  return (await (await aggregatorSideOf(study))(conversation as unknown as Conversation)).flow!;
}

describe("over 1,000 drawn tables", () => {
  it.each([
    ["rows", {}],
    ["patients", { patient: { column: "who", maxRows: 4 } }],
  ])("each number of a flow of %s is held in at least 93 %%", async (unit, rest) => {
    const study = onRosterOfAll(counts(rest), ["a", "b", "c"]);
    const bytes = seededRandom(`tables of ${unit}`);
    const uniform = () => new DataView(bytes.bytes(4).buffer).getUint32(0) / 2 ** 32;
    const noise = seededRandom(`noise of ${unit}`);
    const held = new Map<string, number>();
    for (let table = 0; table < 1000; table++)
      for (const [name, truth, { low, high }] of await drawn(study, uniform, noise))
        held.set(name, (held.get(name) ?? 0) + (low <= truth && truth <= high ? 1 : 0));
    expect([...held.keys()]).toHaveLength(2 + 5 + 4);
    for (const [name, times] of held) expect(times, name).toBeGreaterThanOrEqual(930);
    // A control: intervals of half the width would be caught.
    expect(Math.max(...held.values())).toBeLessThan(985);
  });
});
