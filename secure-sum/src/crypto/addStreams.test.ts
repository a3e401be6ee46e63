import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { block, blockBytes, streamAdder, streams } from "./addStreams.js";

const wordsOf = (bytes: Uint8Array, width: 4 | 8): bigint[] => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, blockBytes);
  return Array.from({ length: blockBytes / width }, (_, i) =>
    width === 4 ? BigInt(view.getUint32(i * width, true)) : view.getBigUint64(i * width, true),
  );
};

describe.each([4, 8] as const)("words of %i bytes", (width) => {
  describe.each([1, -1] as const)("with sign %i", (sign) => {
    it.each([1, 2, 3, 4])("of %i streams, and of no more bytes than it is told", (count) => {
      for (const one of [block, ...streams]) one.set(randomBytes(blockBytes));
      const before = wordsOf(block, width);
      const added = streams.slice(0, count).map((stream) => wordsOf(stream, width));
      const kept = streams.map((stream) => Buffer.from(stream));
      const bytes = 48 * 1024;
      streamAdder(width, sign, count)(bytes);
      const expected = before.map((word, i) => {
        const sum = added.reduce((total, stream) => total + BigInt(sign) * stream[i]!, word);
        return i < bytes / width ? BigInt.asUintN(8 * width, sum) : word;
      });
      expect(wordsOf(block, width)).toEqual(expected);
      expect(streams.every((stream, i) => kept[i]!.equals(stream))).toBe(true);
    });
  });
});

it("does the whole block, and of a few bytes the 16 that they lie in", () => {
  const touched = (bytes: number) => {
    block.fill(0);
    streams[0]!.fill(1);
    streamAdder(4, 1, 1)(bytes);
    return block.lastIndexOf(1) + 1;
  };
  expect([1, 16, 17, blockBytes].map(touched)).toEqual([16, 16, 32, blockBytes]);
});
