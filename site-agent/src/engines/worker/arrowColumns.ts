import {
  type Data,
  DataType,
  type Decimal,
  type Dictionary,
  Precision,
  type RecordBatch,
  type Timestamp,
  TimeUnit,
  type Utf8,
} from "apache-arrow";
import { fault } from "../../data/fault.js";
import type { ColumnKind } from "../../data/source.js";

/** A column of an Arrow batch. Slots without a value hold anything: their validity bit is asked first. */
export interface ArrowColumn {
  /** A number of the format, rounded to float64 once; text that may spell one; null without a value. */
  value(row: number): number | string | null;
  /** As other sources print it; null without a value. */
  text(row: number): string | null;
  /** All of them, where they are numbers of up to 64 bits; else null. */
  numbers(): ArrowNumbers | null;
  /** All of them, where they are UTF-8; else null. */
  texts(): ArrowTexts | null;
}

/** Which slots have a value; null where all do. */
type Validity = { readonly bits: Uint8Array; readonly offset: number } | null;

export interface ArrowNumbers {
  readonly values:
    | Float64Array
    | Float32Array
    | Int8Array
    | Int16Array
    | Int32Array
    | Uint8Array
    | Uint16Array
    | Uint32Array;
  readonly validity: Validity;
}

export interface ArrowTexts {
  /** Of row r the bytes from offsets[r] to offsets[r + 1]. */
  readonly offsets: Int32Array;
  readonly bytes: Uint8Array;
  readonly validity: Validity;
}

export const isValid = ({ bits, offset }: NonNullable<Validity>, row: number): boolean =>
  (bits[(offset + row) >> 3]! & (1 << ((offset + row) & 7))) !== 0;

export function kindOf(type: DataType): ColumnKind {
  if (DataType.isDictionary(type)) return kindOf(type.dictionary);
  if (DataType.isUtf8(type) || DataType.isLargeUtf8(type)) return "text";
  if (DataType.isInt(type) || DataType.isDecimal(type)) return "number";
  if (DataType.isFloat(type)) return type.precision === Precision.HALF ? "nested" : "number";
  if (DataType.isBool(type)) return "boolean";
  if (DataType.isDate(type)) return "date";
  if (DataType.isTimestamp(type)) return "timestamp";
  if (DataType.isBinary(type)) return "binary";
  return "nested";
}

/** @throws ConsiliumError COLUMN_MISSING, COLUMN_TYPE */
export function columnOf(batch: RecordBatch, name: string): ArrowColumn {
  const at = batch.schema.fields.findIndex((field) => field.name === name);
  const data = batch.data.children[at];
  if (data === undefined) throw fault("COLUMN_MISSING", "stream.no-column", {});
  const { value, text } = readersOf(data);
  const guarded =
    <T>(read: (row: number) => T) =>
    (row: number) =>
      data.getValid(row) ? read(row) : null;
  return {
    value: guarded(value),
    text: guarded(text),
    numbers: () => numbersOf(data),
    texts: () => textsOf(data),
  };
}

function numbersOf(data: Data): ArrowNumbers | null {
  const { type } = data;
  const isNumber = DataType.isInt(type) || (DataType.isFloat(type) && type.precision !== Precision.HALF);
  if (!isNumber) return null;
  const { values } = data as { readonly values: ArrowNumbers["values"] | BigInt64Array | BigUint64Array };
  const isWide = values instanceof BigInt64Array || values instanceof BigUint64Array;
  return { values: isWide ? fromWide(values) : values, validity: validityOf(data) };
}

/** The nearest float64 of each: one half is exact, and so is the other. */
function fromWide(values: BigInt64Array | BigUint64Array): Float64Array {
  const halves = new Uint32Array(values.buffer, values.byteOffset, 2 * values.length);
  const isSigned = values instanceof BigInt64Array;
  const numbers = new Float64Array(values.length);
  for (let r = 0; r < numbers.length; r++) {
    const high = halves[2 * r + 1]!;
    numbers[r] = (isSigned ? high | 0 : high) * 2 ** 32 + halves[2 * r]!;
  }
  return numbers;
}

function textsOf(data: Data): ArrowTexts | null {
  if (!DataType.isUtf8(data.type)) return null;
  const { valueOffsets, values } = data as Data<Utf8>;
  return { offsets: valueOffsets, bytes: values, validity: validityOf(data) };
}

const validityOf = ({ nullCount, nullBitmap, offset }: Data): Validity =>
  nullCount > 0 ? { bits: nullBitmap, offset } : null;

interface Readers {
  readonly value: (row: number) => number | string | null;
  readonly text: (row: number) => string | null;
}

function readersOf(data: Data): Readers {
  const { type } = data;
  if (DataType.isDictionary(type)) return dictionaryReaders(data as Data<Dictionary>);
  if (DataType.isUtf8(type) || DataType.isLargeUtf8(type)) return textReaders(utf8Of(data));
  if (DataType.isInt(type)) {
    const { values } = data as Data;
    // Number() of a BigInt is the nearest float64.
    return { value: (row) => Number(values[row]), text: (row) => String(values[row]) };
  }
  if (DataType.isFloat(type) && type.precision !== Precision.HALF) {
    const values = data.values as Float32Array | Float64Array;
    const print = values instanceof Float32Array ? shortest : String;
    return { value: (row) => values[row]!, text: (row) => floatText(values[row]!, print) };
  }
  if (DataType.isDecimal(type)) return textReaders(decimalOf(data as Data<Decimal>));
  if (DataType.isBool(type)) {
    const bits = data.values as Uint8Array;
    const isSet = (row: number) => (bits[row >> 3]! & (1 << (row & 7))) !== 0;
    return textReaders((row) => String(isSet(row)));
  }
  if (DataType.isDate(type)) {
    const { values } = data as Data;
    const dayMs = values instanceof Int32Array ? 86_400_000 : 1;
    return textReaders((row) => new Date(Number(values[row]) * dayMs).toISOString().slice(0, 10));
  }
  if (DataType.isTimestamp(type)) return textReaders(timeOf(data as Data<Timestamp>));
  throw fault("COLUMN_TYPE", "stream.type", {}, "columns.leave-out");
}

const textReaders = (text: (row: number) => string | null): Readers => ({ value: text, text });

const decoder = new TextDecoder();

function utf8Of(data: Data): (row: number) => string {
  const { valueOffsets, values } = data as unknown as {
    readonly valueOffsets: Int32Array | BigInt64Array;
    readonly values: Uint8Array;
  };
  return (row) => decoder.decode(values.subarray(Number(valueOffsets[row]), Number(valueOffsets[row + 1])));
}

/** Each entry of the dictionary is read where it is asked for. */
function dictionaryReaders({ values, dictionary }: Data<Dictionary>): Readers {
  const parts = dictionary!.data.map((part: Data) => ({ part, readers: readersOf(part) }));
  const read = <K extends keyof Readers>(kind: K, row: number): ReturnType<Readers[K]> | null => {
    let index = Number(values[row]);
    for (const { part, readers } of parts) {
      if (index < part.length)
        return part.getValid(index) ? (readers[kind](index) as ReturnType<Readers[K]>) : null;
      index -= part.length;
    }
    throw fault("TABLE_UNREADABLE", "stream.dictionary", {});
  };
  return { value: (row) => read("value", row), text: (row) => read("text", row) };
}

/** Whole numbers without a fraction, as they are printed below 10^15. */
function floatText(value: number, print: (value: number) => string): string {
  return Number.isInteger(value) && Math.abs(value) < 1e15 ? String(value + 0) : print(value);
}

/** The shortest decimal that is nearest to a float32. */
function shortest(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  for (let digits = 1; digits < 9; digits++) {
    const text = value.toPrecision(digits);
    if (Math.fround(Number(text)) === value) return String(Number(text));
  }
  return String(Number(value.toPrecision(9)));
}

/** Every digit, so that it is rounded once. */
function decimalOf({ values, type, stride }: Data<Decimal>): (row: number) => string {
  const { scale } = type;
  return (row) => {
    let unscaled = 0n;
    for (let word = stride - 1; word >= 0; word--)
      unscaled = (unscaled << 32n) | BigInt(values[row * stride + word]! >>> 0);
    unscaled = BigInt.asIntN(32 * stride, unscaled);
    if (scale <= 0) return String(unscaled * 10n ** BigInt(-scale));
    const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, "0");
    return `${unscaled < 0n ? "-" : ""}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
  };
}

const fractionDigits: Readonly<Record<TimeUnit, number>> = {
  [TimeUnit.SECOND]: 0,
  [TimeUnit.MILLISECOND]: 3,
  [TimeUnit.MICROSECOND]: 6,
  [TimeUnit.NANOSECOND]: 9,
};

/** `2024-01-31 23:59:59.25`: in UTC, without zeros at the end of the fraction. */
function timeOf({ values, type }: Data<Timestamp>): (row: number) => string {
  const digits = fractionDigits[type.unit];
  const perSecond = 10n ** BigInt(digits);
  return (row) => {
    const time = BigInt(values[row]!);
    const fraction = ((time % perSecond) + perSecond) % perSecond;
    const seconds = Number((time - fraction) / perSecond);
    const text = new Date(1000 * seconds).toISOString().slice(0, 19).replace("T", " ");
    const decimals = String(fraction).padStart(digits, "0").replace(/0+$/, "");
    return digits === 0 || decimals === "" ? text : `${text}.${decimals}`;
  };
}
