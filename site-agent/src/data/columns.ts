import { ConsiliumError } from "@consilium/core/errors";
import type { Feature, Label } from "@consilium/core/study/features";
import type { Study } from "@consilium/core/study/study";
import { quoted } from "@consilium/core/text";
import { type CellRequest, LevelIndex, type MissingValues } from "./cells.js";
import { PatientHash } from "./patientHash.js";
import type { ColumnKind, SourceColumn } from "./source.js";

/** A column that a study declares: its features in their order, then its label. */
export type DeclaredColumn = Feature | (Label & { readonly type: "label" });

export function declaredColumns(study: Pick<Study, "features" | "label">): DeclaredColumn[] {
  return study.label === undefined ? study.features : [...study.features, { ...study.label, type: "label" }];
}

/** How a site reads patients, which a study has no say in. */
interface PatientReading {
  /** The column that a patient's rows are ordered by. */
  readonly orderBy?: string | undefined;
  /** For `PatientHash`; left out or null where nothing is hashed. */
  readonly key?: string | null;
}

/**
 * The cells of the declared columns; then, where the study names the patient, what its rows are ordered by and whose row it is.
 * @throws ConsiliumError STUDY_INVALID when a column's levels cannot be told apart
 */
export function requestsFor(
  study: Pick<Study, "features" | "label" | "patient">,
  missing: MissingValues,
  { orderBy, key }: PatientReading,
): CellRequest[] {
  const declared = declaredColumns(study).map(
    (column): CellRequest =>
      column.type === "numeric"
        ? { kind: "number", name: column.name }
        : { kind: "level", name: column.name, levels: new LevelIndex(column, missing) },
  );
  if (study.patient === undefined) return declared;
  const order: CellRequest[] = orderBy === undefined ? [] : [{ kind: "order", name: orderBy }];
  const hash = new PatientHash(missing, key ?? null);
  return [...declared, ...order, { kind: "patient", name: study.patient.column, hash }];
}

/** At most so many columns are named in one message. */
const namedMax = 20;

/**
 * Checks what a file's schema alone can show.
 * @param place - the table and file, for messages
 * @throws ConsiliumError COLUMN_MISSING with every missing column, COLUMN_AMBIGUOUS, COLUMN_TYPE
 */
export function checkColumns(
  present: readonly SourceColumn[],
  requests: readonly CellRequest[],
  place: string,
): void {
  const byName = new Map<string, SourceColumn[]>();
  for (const column of present) {
    const same = byName.get(column.name);
    if (same === undefined) byName.set(column.name, [column]);
    else same.push(column);
  }
  const missing = requests.filter((request) => !byName.has(request.name)).map((request) => request.name);
  if (missing.length > 0) {
    // With no declared column in it, a header row may be a record: then its fields are not shown.
    const showNames = missing.length < requests.length || present.every((column) => column.nameIsSchema);
    const parts = missing.slice(0, namedMax).map((name) => {
      const near = showNames ? nearest(name, [...byName.keys()]) : [];
      return quoted(name) + (near.length > 0 ? ` (nearest: ${near.map(quoted).join(", ")})` : "");
    });
    if (missing.length > namedMax) parts.push(`${missing.length - namedMax} more`);
    throw new ConsiliumError(
      "COLUMN_MISSING",
      `${place}: no column ${parts.join(", ")} among its ${present.length}`,
      showNames
        ? {}
        : {
            remedy:
              "correct the columns' names; for a CSV file check csv.delimiter, and without a header row set csv.header: false and csv.names",
          },
    );
  }
  for (const request of requests) {
    const columns = byName.get(request.name)!;
    if (columns.length > 1) {
      throw new ConsiliumError(
        "COLUMN_AMBIGUOUS",
        `${place}: ${columns.length} columns are called ${quoted(request.name)}`,
      );
    }
    if (request.kind === "patient") continue; // whatever its type, it can be taken as text
    const { kind } = columns[0]!;
    if (!kindsFor[request.kind].has(kind)) {
      throw new ConsiliumError(
        "COLUMN_TYPE",
        `${place}, column ${quoted(request.name)}, from row 1 on: the file's type is ${kind}, declared is ${declaredAs[request.kind]}`,
        {
          remedy:
            request.kind === "order"
              ? "name a column of numbers, dates or times in unit.patient.orderBy, or remove it"
              : request.kind === "number" && levelKinds.has(kind)
                ? "declare the column categorical, or export it as a number"
                : "leave the column out, or export it as a number or text",
        },
      );
    }
  }
}

const numberKinds: ReadonlySet<ColumnKind> = new Set<ColumnKind>(["number", "text", "any"]);
const levelKinds: ReadonlySet<ColumnKind> = new Set<ColumnKind>([
  "number",
  "text",
  "any",
  "boolean",
  "date",
  "time",
  "timestamp",
]);

const orderKinds: ReadonlySet<ColumnKind> = new Set<ColumnKind>([...numberKinds, "date", "timestamp"]);
const kindsFor = { number: numberKinds, level: levelKinds, order: orderKinds };
const declaredAs = { number: "a number", level: "a category", order: "an order of a patient's rows" };

/** Up to three names that differ little from the one sought: in case or blanks, or by a third of its letters. */
export function nearest(name: string, among: readonly string[]): string[] {
  const plain = (text: string) => text.toLowerCase().replace(/[\s_.-]+/g, "");
  const sought = plain(name);
  const farthest = Math.max(1, Math.floor(sought.length / 3));
  return among
    .slice(0, 10_000)
    .map((candidate) => ({ candidate, distance: editDistance(sought, plain(candidate), farthest) }))
    .filter(({ distance }) => distance <= farthest)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ candidate }) => candidate);
}

/** Levenshtein's distance, or any number above `limit` when it is greater. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
