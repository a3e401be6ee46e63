import { nearest } from "@consilium/core/nearest";
import { nameOf, sentences } from "@consilium/core/said";
import { type ColumnKind, levelKinds, numberKinds, orderKinds } from "@consilium/core/study/columnKinds";
import type { Feature, Label } from "@consilium/core/study/features";
import { plainText } from "@consilium/core/study/plainText";
import type { Study } from "@consilium/core/study/study";
import type { AnySaid } from "@consilium/words/said";
import type { SourceSays } from "@consilium/words/says/sources";
import type { CellRequest } from "./cells.js";
import { fault, remedied } from "./fault.js";
import type { Meanings } from "./meanings.js";
import { PatientHash } from "./patientHash.js";
import { shown } from "./place.js";
import { Recoding } from "./recoding.js";
import type { SourceColumn } from "./source.js";

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
 * The cells that the declared columns are made of; then, where the study names the patient, what its rows are ordered by and whose row it is.
 * @throws ConsiliumError STUDY_INVALID when a column's levels cannot be told apart
 */
export function requestsFor(
  study: Pick<Study, "features" | "label" | "columns" | "patient">,
  meanings: Meanings,
  { orderBy, key }: PatientReading,
): CellRequest[] {
  const declared = new Recoding(study, meanings).requests;
  if (study.patient === undefined) return [...declared];
  const order: CellRequest[] = orderBy === undefined ? [] : [{ kind: "order", name: orderBy }];
  const { column } = study.patient;
  const hash = new PatientHash(meanings.missingOf(column), key ?? null);
  return [...declared, ...order, { kind: "patient", name: column, hash }];
}

/** The requests by the names that a file has for their columns, where letters alone that look alike are others. */
export function ownNames(
  present: readonly Pick<SourceColumn, "name">[],
  requests: readonly CellRequest[],
): readonly CellRequest[] {
  const exact = new Set(present.map(({ name }) => name));
  if (requests.every(({ name }) => exact.has(name))) return requests;
  const alike = new Map(present.map(({ name }) => [plainText(name), name]));
  return requests.map((request) => {
    const own = exact.has(request.name) ? undefined : alike.get(plainText(request.name));
    return own === undefined ? request : { ...request, name: own };
  });
}

const said = sentences<SourceSays>();

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
  place: AnySaid,
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
    const columns = missing.slice(0, namedMax).map((name) => {
      const near = showNames ? nearest(name, [...byName.keys()]) : [];
      return said("columns.no", { column: shown(name), nearest: near.map(shown) });
    });
    const params = { place, columns, more: missing.length - columns.length, of: present.length };
    // One column is what a file has whose fields are separated by something else.
    const isShape = !showNames || present.length <= 1;
    const remedy = isShape ? "columns.check-header" : {};
    throw fault("COLUMN_MISSING", "columns.missing", params, remedy);
  }
  for (const request of requests) {
    const columns = byName.get(request.name)!;
    if (columns.length > 1) {
      const params = { place, column: shown(request.name), columns: columns.length };
      throw fault("COLUMN_AMBIGUOUS", "columns.same-name", params);
    }
    if (request.kind === "patient") continue; // whatever its type, it can be taken as text
    const { kind } = columns[0]!;
    if (!kindsFor[request.kind].has(kind)) {
      const declared = said(`columns.${request.kind}`, {});
      const params = { place, column: shown(request.name), type: nameOf(kind), declared };
      throw fault("COLUMN_TYPE", "columns.type", params, remedied(remedyFor(request.kind, kind), {}));
    }
  }
}

const kindsFor = { number: numberKinds, level: levelKinds, date: orderKinds, order: orderKinds };

function remedyFor(declared: keyof typeof kindsFor, kind: ColumnKind) {
  if (declared === "order") return "columns.name-order";
  if (declared === "number" && levelKinds.has(kind)) return "columns.declare-categorical";
  return "columns.leave-out";
}
