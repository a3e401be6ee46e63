import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { postgresPrograms, TestPostgres } from "@consilium/runtime/testing/postgres/postgres";
import type { Finding } from "../audit/runAudit.js";
import { countByAsking, countWith, patients, patientsTable } from "./countingAttack.js";
import { isVector, ObservedHospital } from "./observedHospital.js";
import { type Method, methods, soundStudy } from "./studies.js";
import {
  everyWrong,
  type Format,
  formats,
  tableName,
  tables,
  writeEveryTable,
  writeTable,
} from "./tables.js";

/** How much of it is run; left out, the methods and formats are all that there are. */
export interface NetworkSize {
  readonly methods?: readonly Method[];
  readonly formats?: readonly Format[];
}

/** The part of the audit that looks at what a hospital sends beside its sums: real processes, no statistics. */
export async function* whatLeaves(size: NetworkSize = {}): AsyncGenerator<Omit<Finding, "seconds">> {
  const folder = await mkdtemp(join(tmpdir(), "consilium-audit-"));
  const programs = postgresPrograms();
  const postgres = programs === null ? null : await TestPostgres.start(programs);
  const [first, second] = [patients({ john: "HIV" }), patients({ john: "flu" })];
  const patientsOf = {
    first: await patientsTable(folder, "first", first),
    second: await patientsTable(folder, "second", second),
  };
  const plain = await writeTable(folder, "csv", "plain", tables.base!, null);
  const hospital = await ObservedHospital.start(folder, {
    tables: { ...(await writeEveryTable(folder, postgres)), ...patientsOf },
    elsewhere: (name) => (name in patientsOf ? patientsOf.first : plain),
  });
  try {
    yield* sameFrames(hospital, {
      methods: size.methods ?? (Object.keys(methods) as Method[]),
      formats: (size.formats ?? formats).filter((one) => one !== "postgres" || postgres !== null),
    });
    yield* counting(hospital, { first, second });
  } finally {
    await hospital.remove();
    await postgres?.remove();
    await rm(folder, { recursive: true, force: true });
  }
}

const common = { check: "what leaves", falsePositiveRate: 0 } as const;
const held = { verdict: "proved: holds", asExpected: true };

async function* sameFrames(
  hospital: ObservedHospital,
  size: Required<NetworkSize>,
): AsyncGenerator<Omit<Finding, "seconds">> {
  for (const method of size.methods) {
    const pair = [tableName("csv", "base"), everyWrong].map((table) => soundStudy(method, table));
    const ids = await hospital.runAll(pair);
    const left = await Promise.all(ids.map((id) => hospital.leftFor(id)));
    yield frameLine(method, "a table of which hardly a record fits", left[0]!, [left[1]!]);
  }
  for (const format of size.formats) {
    const names = Object.keys(tables).map((kind) => tableName(format, kind));
    const ids = await hospital.runAll(names.map((name) => soundStudy("dp-pcc", name)));
    const [own, ...others] = await Promise.all(ids.map((id) => hospital.leftFor(id)));
    yield frameLine("dp-pcc", `${format}, one record of every kind`, own!, others);
  }
}

function frameLine(
  method: string,
  subject: string,
  own: readonly string[],
  others: readonly (readonly string[])[],
): Omit<Finding, "seconds"> {
  const answered = own.some(isVector);
  const same = others.filter((other) => other.join("\n") === own.join("\n")).length;
  const holds = answered && same === others.length;
  const unlike = others.find((other) => other.join("\n") !== own.join("\n"));
  const apart = unlike === undefined ? "" : `: ${firstApart(own, unlike)}`;
  return {
    ...common,
    method,
    variant: "sound",
    subject,
    what: `${own.length} messages of a study`,
    claimed: "the same messages",
    measured: `${same} of ${others.length} tables the same${apart}`,
    ...(holds ? held : { verdict: "proved: VIOLATED (another message left)", asExpected: false }),
  };
}

/** A message, its values masked, that one study has and another has not; or where their order differs. */
function firstApart(own: readonly string[], other: readonly string[]): string {
  const alone = own.find((line) => !other.includes(line)) ?? other.find((line) => !own.includes(line));
  const at = own.findIndex((line, i) => line !== other[i]);
  return alone === undefined ? `message ${at + 1} in another order` : alone.slice(0, 300);
}

async function* counting(
  hospital: ObservedHospital,
  patientsOf: Readonly<Record<"first" | "second", ReturnType<typeof patients>>>,
): AsyncGenerator<Omit<Finding, "seconds">> {
  const kind = { dx: "HIV" };
  for (const weakened of [false, true]) {
    if (weakened) await hospital.restart("weakened", "preflight");
    const asked = [
      await countByAsking(hospital, "first", kind),
      await countByAsking(hospital, "second", kind),
    ] as const;
    const told = asked[0].answers.join() !== asked[1].answers.join();
    const exact = asked.every(
      ({ count }, i) => count === countWith(patientsOf[i === 0 ? "first" : "second"], kind),
    );
    const line = {
      ...common,
      method: "counting by valid studies",
      subject: weakened ? "a table read before it is charged" : "patients of one diagnosis",
      what: `${asked[0].studies + asked[1].studies} studies`,
      claimed: "nothing",
      measured: told ? `${exact ? "both numbers" : "something"} for nothing` : "the same answers",
    };
    if (weakened) {
      const caught = told && exact;
      yield {
        ...line,
        variant: "control",
        verdict: caught ? "caught, as it must be" : "MISSED",
        asExpected: caught,
      };
    } else {
      yield {
        ...line,
        variant: "sound",
        ...(told ? { verdict: "proved: VIOLATED (an answer tells)", asExpected: false } : held),
      };
    }
  }
}
