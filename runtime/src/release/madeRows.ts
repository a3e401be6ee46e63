import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { dirname } from "node:path";
import type { Sha256 } from "@consilium/core/ids";
import type { ReducedRows, RowsPart } from "@consilium/core/method/aggregatorSide";
import { fsyncFolder } from "../store/durableFile.js";
import { wholeRecords } from "../store/wholeRecords.js";

/**
 * Writes rows in the wire format of sites' rows: each row's float64 columns, little-endian, then its levels in 16 bits
 * each. Durable when it returns; a partial file left by a crash is overwritten.
 * @throws RangeError if a part does not have the declared shape
 */
export async function writeMadeRows(
  path: string,
  shape: { readonly columns: number; readonly levels: number },
  parts: Iterable<RowsPart> | AsyncIterable<RowsPart>,
): Promise<{ readonly rows: number; readonly sha256: Sha256 }> {
  const hash = createHash("sha256");
  let rows = 0;
  const file = await open(path, "w", 0o600);
  try {
    for await (const part of parts) {
      const bytes = partBytes(part, shape);
      hash.update(bytes);
      rows += part.rows;
      await file.appendFile(bytes);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  await fsyncFolder(dirname(path));
  return { rows, sha256: hash.digest("hex") as Sha256 };
}

/** Rows of such a file, part by part; those of the sites have the same form. */
export async function* readRows({ path, columns, levels }: ReducedRows): AsyncGenerator<RowsPart> {
  const stride = columns * 8 + levels * 2;
  for await (const bytes of wholeRecords(path, stride)) {
    const rows = bytes.length / stride;
    const values = new Float64Array(rows * columns);
    const labels = levels === 0 ? null : new Uint16Array(rows * levels);
    for (let r = 0; r < rows; r++) {
      for (let j = 0; j < columns; j++) values[r * columns + j] = bytes.readDoubleLE(r * stride + j * 8);
      for (let j = 0; j < levels; j++)
        labels![r * levels + j] = bytes.readUInt16LE(r * stride + columns * 8 + j * 2);
    }
    yield { rows, values, labels };
  }
}

function partBytes(
  { rows, values, labels }: RowsPart,
  { columns, levels }: { readonly columns: number; readonly levels: number },
): Buffer {
  if (
    values.length !== rows * columns ||
    (labels === null) !== (levels === 0) ||
    (labels?.length ?? 0) !== rows * levels
  ) {
    throw new RangeError(
      `a part of ${rows} rows does not have ${columns} columns and ${levels} levels per row`,
    );
  }
  const stride = columns * 8 + levels * 2;
  const bytes = Buffer.alloc(rows * stride);
  for (let r = 0; r < rows; r++) {
    for (let j = 0; j < columns; j++) bytes.writeDoubleLE(values[r * columns + j]!, r * stride + j * 8);
    for (let j = 0; j < levels; j++)
      bytes.writeUInt16LE(labels![r * levels + j]!, r * stride + columns * 8 + j * 2);
  }
  return bytes;
}
