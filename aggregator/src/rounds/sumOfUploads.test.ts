import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  addInto,
  littleEndianBytes,
  newRingVector,
  type RingBits,
  ringBytes,
  ringVectorFromBytes,
  widened,
} from "@consilium/core/fixed-point/ringVector";
import type { StageId, StudyId } from "@consilium/core/ids";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addStoredVectors, storedSum } from "./sumOfUploads.js";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-sum-"));
});
afterAll(() => rm(folder, { recursive: true, maxRetries: 10 }));

async function stored(name: string, bytes: Uint8Array): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, bytes);
  return path;
}

describe.each<RingBits>([32, 64])("a stored vector of %i bits", (bits) => {
  const width = bits / 8;

  // Below, at, just above and well above what is read at once.
  it.each([1, 7, (1 << 20) / width, (1 << 20) / width + 1, 600_001])(
    "of %i elements is added",
    async (length) => {
      const vectors = [randomBytes(length * width), randomBytes(length * width)];
      const sum = newRingVector(bits, length);
      const expected = newRingVector(bits, length);
      const paths: string[] = [];
      for (const [i, bytes] of vectors.entries()) {
        paths.push(await stored(`v${i}`, bytes));
        addInto(expected, ringVectorFromBytes(bytes, bits));
      }
      // One in its file, one as the store has it.
      await addStoredVectors(sum, [() => paths[0]!, () => vectors[1]!]);
      expect(Buffer.from(sum.buffer).equals(Buffer.from(expected.buffer))).toBe(true);
    },
  );

  it("of another length is refused, and the sum stays unchanged", async () => {
    const sum = newRingVector(bits, 10);
    for (const bytes of [0, 10 * width - 1, 10 * width + 1, 11 * width]) {
      const path = await stored("wrong", new Uint8Array(bytes).fill(1));
      for (const vector of [path, await readFile(path)])
        await expect(addStoredVectors(sum, [() => vector])).rejects.toThrow(RangeError);
    }
    expect(sum).toEqual(newRingVector(bits, 10));
  });
});

it.each<RingBits>([32, 64])(
  "reads a sum of %i bits as it is stored, and as earlier versions stored it",
  async (bits) => {
    const length = 5;
    const sum = ringVectorFromBytes(randomBytes((length * bits) / 8), bits);
    const wide = widened(sum);
    for (const content of [ringBytes(sum), littleEndianBytes(wide)]) {
      for (const inStore of [content, null]) {
        const records = { result: () => ({ content: inStore, sha256: null, value: null }) };
        const of = { study: "s-0123456789" as StudyId, stage: { id: "counts" as StageId, length } };
        expect(await storedSum({ ...of, records, readResult: async () => content })).toEqual(wide);
      }
    }
  },
);
