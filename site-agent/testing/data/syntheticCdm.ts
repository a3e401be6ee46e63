import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { seededUniform } from "./seededUniform.js";

/**
 * A made-up OMOP CDM of any size, the same for the same seed: persons, their events, and a vocabulary of its own. About a
 * quarter of what real exports have wrong is in it: persons without a birthday, events of unknown persons, values in two
 * units, several events on one day.
 */

export interface SyntheticCdmOptions {
  readonly persons: number;
  readonly seed: number;
  /** The first person's number, so that hospitals' persons differ. */
  readonly firstPerson?: number;
}

/** The vocabulary: an ancestor, and what is below it. */
export const syntheticConcepts = {
  /** Any diabetes, with its two kinds, one of which has a kind of its own. */
  diabetes: { all: 1000, type1: 1001, type2: 1002, type2WithNeuropathy: 1003 },
  /** Any heart failure; CONCEPT_ANCESTOR does not list it below itself. */
  heartFailure: { all: 1100, left: 1101 },
  metformin: 1200,
  hba1c: 1300,
  systolic: 1301,
  smoker: 1400,
  eyeExam: 1500,
  inpatient: 9201,
  outpatient: 9202,
  units: { percent: 8554, mmolPerMol: 9579, mmHg: 8876 },
} as const;

const { diabetes, heartFailure, units, ...single } = syntheticConcepts;

const ancestors: readonly (readonly [ancestor: number, descendant: number])[] = [
  [diabetes.all, diabetes.all],
  [diabetes.all, diabetes.type1],
  [diabetes.all, diabetes.type2],
  [diabetes.all, diabetes.type2WithNeuropathy],
  [diabetes.type2, diabetes.type2],
  [diabetes.type2, diabetes.type2WithNeuropathy],
  [heartFailure.all, heartFailure.left],
];

type Row = readonly (string | number | null)[];

const headers = {
  person: ["person_id", "gender_concept_id", "year_of_birth", "month_of_birth", "day_of_birth"],
  observation_period: [
    "observation_period_id",
    "person_id",
    "observation_period_start_date",
    "observation_period_end_date",
  ],
  concept_ancestor: ["ancestor_concept_id", "descendant_concept_id"],
  condition_occurrence: [
    "condition_occurrence_id",
    "person_id",
    "condition_concept_id",
    "condition_start_date",
    "condition_start_datetime",
  ],
  drug_exposure: [
    "drug_exposure_id",
    "person_id",
    "drug_concept_id",
    "drug_exposure_start_date",
    "drug_exposure_start_datetime",
  ],
  measurement: [
    "measurement_id",
    "person_id",
    "measurement_concept_id",
    "measurement_date",
    "measurement_datetime",
    "value_as_number",
    "unit_concept_id",
  ],
  procedure_occurrence: [
    "procedure_occurrence_id",
    "person_id",
    "procedure_concept_id",
    "procedure_date",
    "procedure_datetime",
  ],
  observation: [
    "observation_id",
    "person_id",
    "observation_concept_id",
    "observation_date",
    "observation_datetime",
    "value_as_number",
    "unit_concept_id",
  ],
  visit_occurrence: [
    "visit_occurrence_id",
    "person_id",
    "visit_concept_id",
    "visit_start_date",
    "visit_start_datetime",
  ],
} as const;

export type CdmTableName = keyof typeof headers;

const firstDay = Date.UTC(2010, 0, 1);
const dayMs = 86_400_000;
const dateText = (day: number) => new Date(firstDay + day * dayMs).toISOString().slice(0, 10);

/** All rows, table by table as they come. */
export function* syntheticCdm({
  persons,
  seed,
  firstPerson = 1,
}: SyntheticCdmOptions): Generator<readonly [table: CdmTableName, row: Row]> {
  const uniform = seededUniform(seed);
  const below = (n: number) => Math.floor(uniform() * n);
  const pick = <T>(from: readonly T[]) => from[below(from.length)]!;
  let id = 0;
  const timed = (person: number, concept: number, day: number): Row => {
    const time = pick([null, "07:30:00", "12:00:00", "23:59:59"]);
    const date = dateText(day);
    return [++id, person, concept, date, time === null ? null : `${date} ${time}`];
  };
  for (const pair of ancestors) yield ["concept_ancestor", pair];
  for (let at = 0; at < persons; at++) {
    const person = firstPerson + at;
    const knowsDay = uniform() < 0.9;
    const old = uniform();
    const birth: Row = knowsDay ? [1 + below(12), 1 + below(28)] : [null, null];
    yield [
      "person",
      [person, pick([8507, 8507, 8532, 8532, 8532, 0]), 1930 + Math.floor(60 * (1 - old)), ...birth],
    ];
    const [start, end] = [below(1500), 2500 + below(1500)];
    yield ["observation_period", [++id, person, dateText(start), dateText(end)]];
    const event = () => start + below(end - start);
    const ill = uniform() < 0.8;
    if (ill) {
      const kinds = [
        diabetes.type1,
        diabetes.type2,
        diabetes.type2,
        diabetes.type2WithNeuropathy,
        diabetes.all,
      ];
      for (let n = 1 + below(3); n > 0; n--)
        yield ["condition_occurrence", timed(person, pick(kinds), event())];
    }
    if (uniform() < 0.2 + 0.5 * old)
      yield ["condition_occurrence", timed(person, pick([heartFailure.all, heartFailure.left]), event())];
    for (let n = below(4); n > 0; n--) yield ["drug_exposure", timed(person, single.metformin, event())];
    for (let n = below(6); n > 0; n--) {
      const day = event();
      const percent = 5 + Math.round(70 * uniform() * (ill ? 1 : 0.4)) / 10;
      // Two on one day now and then, and a few in the other unit or without a value.
      for (let same = uniform() < 0.2 ? 2 : 1; same > 0; same--) {
        const isPercent = uniform() < 0.85;
        const value = isPercent ? percent.toFixed(1) : (percent * 10.93 - 23.5).toFixed(2);
        const unit = isPercent ? units.percent : units.mmolPerMol;
        yield ["measurement", [...timed(person, single.hba1c, day), uniform() < 0.05 ? null : value, unit]];
      }
    }
    for (let n = below(8); n > 0; n--) {
      const value = (100 + 80 * uniform() * (0.6 + 0.4 * old)).toFixed(3);
      yield ["measurement", [...timed(person, single.systolic, event()), value, units.mmHg]];
    }
    if (uniform() < 0.3) yield ["observation", [...timed(person, single.smoker, event()), below(40), null]];
    if (uniform() < 0.3) yield ["procedure_occurrence", timed(person, single.eyeExam, event())];
    for (let n = below(6); n > 0; n--)
      yield [
        "visit_occurrence",
        timed(person, pick([single.inpatient, single.outpatient, single.outpatient]), event()),
      ];
  }
  // Of somebody whom PERSON does not have: in no study's table.
  yield ["condition_occurrence", timed(firstPerson + persons, diabetes.type2, 900)];
}

/** Writes the CDM's tables as CSV files into a folder. @returns the rows written */
export async function writeSyntheticCdm(folder: string, options: SyntheticCdmOptions): Promise<number> {
  await mkdir(folder, { recursive: true });
  const files = new Map(
    (Object.keys(headers) as CdmTableName[]).map((table) => {
      const file = createWriteStream(join(folder, `${table}.csv`));
      file.write(`${headers[table].join(",")}\n`);
      return [table, { file, pending: [] as string[] }] as const;
    }),
  );
  const flush = async ({
    file,
    pending,
  }: {
    file: ReturnType<typeof createWriteStream>;
    pending: string[];
  }) => {
    const text = pending.join("");
    pending.length = 0;
    if (!file.write(text)) await once(file, "drain");
  };
  let rows = 0;
  for (const [table, row] of syntheticCdm(options)) {
    const to = files.get(table)!;
    to.pending.push(`${row.map((cell) => cell ?? "").join(",")}\n`);
    rows++;
    if (to.pending.length === 4096) await flush(to);
  }
  for (const to of files.values()) {
    await flush(to);
    to.file.end();
    await once(to.file, "finish");
  }
  return rows;
}
