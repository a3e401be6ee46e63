import { createHash } from "node:crypto";
import { addMasks } from "@consilium/secure-sum/crypto/keystream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installTransfer } from "./arrayBufferTransfer.js";

/** Many blocks, the last one short. */
const length = 100_003;
const masks = [1, -1, 1, 1, 1, 1].map((sign, i) => ({
  key: new Uint8Array(createHash("sha256").update(`key ${i}`).digest()),
  sign: sign as 1 | -1,
}));

/** What the masks are, in both widths. */
function masked(): string[] {
  return [new BigUint64Array(length), new Uint32Array(length)].map((vector) => {
    addMasks(vector, masks);
    return createHash("sha256").update(new Uint8Array(vector.buffer)).digest("hex");
  });
}

describe("a buffer's memory given back at once", () => {
  const prototype = ArrayBuffer.prototype as { transfer?: unknown };
  const before = Object.getOwnPropertyDescriptor(prototype, "transfer");
  let expected: string[];
  beforeAll(() => {
    delete prototype.transfer;
    expected = masked();
    if (before !== undefined) Object.defineProperty(prototype, "transfer", before);
  });
  afterAll(() => {
    if (before === undefined) delete prototype.transfer;
  });

  it("is gone, and the method is there twice over", () => {
    expect(installTransfer()).toBe(true);
    expect(installTransfer()).toBe(true);
    const buffer = new ArrayBuffer(8) as ArrayBuffer & { transfer(length: number): ArrayBuffer };
    expect(buffer.transfer(0).byteLength).toBe(0);
    expect(buffer.byteLength).toBe(0);
  });

  it("changes no mask", () => {
    expect(installTransfer()).toBe(true);
    expect(masked()).toEqual(expected);
    // Buffers that were in use meanwhile are whole.
    expect(Buffer.from("a small one").toString()).toBe("a small one");
  });
});
