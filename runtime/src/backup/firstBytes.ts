/**
 * The first bytes of a stream, at most `length`, and the whole stream again.
 * @returns fewer than `length` bytes only where the stream has no more
 */
export async function firstBytes(
  chunks: AsyncIterable<Uint8Array>,
  length: number,
): Promise<{ readonly first: Buffer; readonly whole: AsyncGenerator<Uint8Array> }> {
  const iterator = chunks[Symbol.asyncIterator]();
  const parts: Uint8Array[] = [];
  for (let held = 0; held < length; held += parts.at(-1)!.length) {
    const next = await iterator.next();
    if (next.done === true) break;
    parts.push(next.value);
  }
  async function* whole(): AsyncGenerator<Uint8Array> {
    yield* parts;
    yield* { [Symbol.asyncIterator]: () => iterator };
  }
  return { first: Buffer.concat(parts).subarray(0, length), whole: whole() };
}
