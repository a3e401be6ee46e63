import { createReadStream } from "node:fs";

/**
 * Reads a file in pieces of complete records.
 * @param recordBytes - of one record
 * @throws RangeError if the file ends within a record
 */
export async function* wholeRecords(path: string, recordBytes: number): AsyncGenerator<Buffer> {
  let carried: Uint8Array = new Uint8Array();
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    const bytes = carried.length === 0 ? chunk : Buffer.concat([carried, chunk]);
    const whole = bytes.length - (bytes.length % recordBytes);
    if (whole > 0) yield bytes.subarray(0, whole);
    carried = bytes.subarray(whole);
  }
  if (carried.length > 0) throw new RangeError("the file ends within a record");
}
