import { flowProposal, flowTable } from "@consilium/core/learning/flowTable";
import { unwrap } from "@consilium/core/result";
import { flowStageId } from "@consilium/core/study/flow";
import { planStudy, type StageNoise } from "@consilium/core/study/plan";
import type { Study } from "@consilium/core/study/study";
import { answerOf } from "@consilium/gate/answer";
import { flowQuery, flowStatus } from "@consilium/gate/flow";
import { PatientFlow } from "@consilium/gate/flowRecords";
import type { RecordBlock } from "@consilium/gate/record";
import { parseStudy } from "@consilium/methods/testing/studies";
import { osRandom } from "@consilium/runtime/random";
import { plannedNoise } from "../askedBroadcasts.js";
import type { Integers, Mutation, SoundMethod, SumMechanism } from "../auditedMethod.js";

/** The flow of rows: statuses, and sides of five numbers; of rows, and of patients with several rows. */

const numbers = 5;
/** Of the whole study: the flow's part of it is an ε of about 1, which an experiment can see. */
const privacy = { epsilon: 8, delta: 1e-5 };

/** A row: its status, then its sides. */
type Row = readonly number[];

const within = Array.from({ length: numbers }, () => 0);
const left = (status: keyof typeof flowStatus): Row => [flowStatus[status], ...within];
const beyond = (...sides: number[]): Row => [flowStatus.used, ...sides];

const rows: readonly Row[] = [
  ...(["used", "where", "label", "level", "type", "missing"] as const).map(left),
  beyond(1, 0, 0, 0, 0),
  beyond(2, 1, 2, 1, 2),
];

/** Patients, each with the rows of them all. */
const patients: readonly (readonly Row[])[] = [
  [left("missing")],
  [left("missing"), left("where"), left("missing")],
  Array.from({ length: 9 }, () => left("type")),
  [beyond(1, 0, 0, 0, 0), beyond(0, 2, 0, 0, 0), beyond(2, 0, 1, 1, 1), left("level")],
];

const studyOf = (rest: object = {}): Study =>
  unwrap(
    parseStudy({
      name: "audit",
      table: "records",
      analysis: "describe",
      method: "counts",
      flow: true,
      features: Array.from({ length: numbers }, (_, n) => ({
        name: `x${n}`,
        type: "numeric",
        min: 0,
        max: 1,
      })),
      privacy,
      participation: { minimumSites: 3, maxRowsPerSite: 1000 },
      ...rest,
    }),
  );
const ofRows = studyOf();
const ofPatients = studyOf({ patient: { column: "who", maxRows: 9, weighting: "rows" } });

const blockOf = (of: readonly Row[]): RecordBlock => ({
  rows: of.length,
  columns: Array.from({ length: 1 + numbers }, (_, c) => Float64Array.from(of, (row) => row[c]!)),
  labels: null,
});

/** Tables of several patients: each record of a table is another one. */
function patientBlocks(table: readonly number[]): RecordBlock[] {
  const flow = new PatientFlow(0);
  table.forEach((kind, who) => {
    const own = patients[kind]!;
    const part = Float64Array.from(own, () => who + 1);
    const { columns } = blockOf(own);
    flow.add({ rows: own.length, columns, patient: [part, part, part] });
  });
  return [...flow.records(numbers)];
}

async function vectorOf(study: Study, blocks: readonly RecordBlock[]): Promise<Integers> {
  const records = (async function* () {
    yield* blocks;
  })();
  const { exact } = await answerOf(flowProposal(study), flowTable(study, records, osRandom));
  return new BigInt64Array(exact.buffer, exact.byteOffset, exact.length);
}

function mechanismOf(
  study: Study,
  records: number,
  blocks: (table: readonly number[]) => readonly RecordBlock[],
  noise: StageNoise = plannedNoise(planStudy(study), flowStageId),
): SumMechanism {
  return {
    records,
    tableRecords: 3,
    runs: 1 / 4,
    stages: [{ id: flowStageId, vector: (table) => vectorOf(study, blocks(table)), noise, attained: true }],
  };
}

const rowBlocks = (table: readonly number[]) =>
  table.length === 0 ? [] : [blockOf(table.map((row) => rows[row]!))];
/** What the stage costs by itself. */
const claim = { ...planStudy(ofRows).stages[0]!.disclosure.cost!, relation: "add-remove" } as const;

export const flows: readonly SoundMethod[] = [
  { kind: "sound", name: "flow of rows", claim, mechanism: mechanismOf(ofRows, rows.length, rowBlocks) },
  {
    kind: "sound",
    name: "flow of patients",
    claim,
    mechanism: mechanismOf(ofPatients, patients.length, patientBlocks),
  },
];

function withoutSides(): StageNoise {
  const noise = plannedNoise(planStudy(ofRows), flowStageId);
  const { l2SensitivitySquared } = noise.event;
  const statuses = flowQuery(numbers).channels[0]!.most ** 2;
  return { ...noise, event: { ...noise.event, l2SensitivitySquared: l2SensitivitySquared - statuses } };
}

const notAttained = (mechanism: SumMechanism): SumMechanism => ({
  ...mechanism,
  stages: mechanism.stages.map((stage) => ({ ...stage, attained: false })),
});

export const flowMutations: readonly Mutation[] = [
  {
    kind: "mutation",
    name: "flow: the bound of statuses alone",
    mechanism: notAttained(mechanismOf(ofRows, rows.length, rowBlocks, withoutSides())),
  },
  {
    kind: "mutation",
    name: "flow: the rows of a patient one by one",
    mechanism: notAttained(
      mechanismOf(ofPatients, patients.length, (table) => {
        const own = table.flatMap((kind) => patients[kind]!);
        return own.length === 0 ? [] : [blockOf(own)];
      }),
    ),
  },
];
