const numbers = ["number", "text", "any"] as const;
const levels = [...numbers, "boolean", "date", "time", "timestamp"] as const;
/** What a column holds, as far as its format tells without reading records: `any` where it does not. */
export type ColumnKind = (typeof levels)[number] | "binary" | "nested";

/** The kinds that a study can declare numeric: text is read as a number cell by cell. */
export const numberKinds: ReadonlySet<ColumnKind> = new Set(numbers);
/** The kinds that a study can declare categorical. */
export const levelKinds: ReadonlySet<ColumnKind> = new Set(levels);
/** The kinds that a date, or an order of a patient's rows, is read from. */
export const orderKinds: ReadonlySet<ColumnKind> = new Set<ColumnKind>([...numbers, "date", "timestamp"]);
