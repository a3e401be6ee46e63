import { createHash } from "node:crypto";
import { type FileHandle, open, readFile, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { Sha256 } from "@consilium/core/ids";
import type { RandomSource } from "@consilium/core/random";
import { fsyncFolder } from "@consilium/runtime/store/durableFile";
import { wholeRecords } from "@consilium/runtime/store/wholeRecords";

/** Rows are shuffled in memory in parts of about this size. */
const bucketBytes = 64 * 1024 * 1024;

/**
 * Writes the rows of several files into one, in uniformly random order, so that the order does not reveal a row's site.
 * Memory stays bounded: every row goes to a random bucket, and each bucket is shuffled [Sanders 1998].
 * @param random - the operating system's generator: the order protects the sites
 * @returns the number of rows and the SHA-256 of the file written
 */
export async function shuffleRows(
  sources: readonly string[],
  options: {
    readonly rowBytes: number;
    readonly target: string;
    readonly random: RandomSource;
    readonly bucketBytes?: number;
  },
): Promise<{ rows: number; sha256: Sha256 }> {
  const { rowBytes, target, random } = options;
  const sizes = await Promise.all(sources.map(fileSize));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const count = Math.max(1, Math.ceil(total / (options.bucketBytes ?? bucketBytes)));
  const paths = Array.from({ length: count }, (_, i) => `${target}.bucket-${i}`);
  const draw = uniformIntegers(random);
  try {
    await scatter(sources, paths, rowBytes, draw);
    return await gather(paths, target, rowBytes, draw);
  } finally {
    await Promise.all(paths.map((path) => rm(path, { force: true })));
  }
}

async function fileSize(path: string): Promise<number> {
  const handle = await open(path, "r");
  try {
    return (await handle.stat()).size;
  } finally {
    await handle.close();
  }
}

async function scatter(
  sources: readonly string[],
  paths: readonly string[],
  rowBytes: number,
  draw: (below: number) => number,
): Promise<void> {
  const handles: FileHandle[] = [];
  try {
    for (const path of paths) handles.push(await open(path, "w", 0o600));
    for (const source of sources) {
      for await (const bytes of wholeRecords(source, rowBytes)) {
        const parts: Buffer[][] = paths.map(() => []);
        for (let at = 0; at < bytes.length; at += rowBytes)
          parts[draw(paths.length)]!.push(bytes.subarray(at, at + rowBytes));
        for (const [i, part] of parts.entries())
          if (part.length > 0) await handles[i]!.appendFile(Buffer.concat(part));
      }
    }
  } finally {
    for (const handle of handles) await handle.close();
  }
}

async function gather(
  paths: readonly string[],
  target: string,
  rowBytes: number,
  draw: (below: number) => number,
): Promise<{ rows: number; sha256: Sha256 }> {
  const hash = createHash("sha256");
  let rows = 0;
  const out = await open(target, "w", 0o600);
  try {
    for (const path of paths) {
      const bytes = await readFile(path);
      const count = bytes.length / rowBytes;
      const shuffled = Buffer.alloc(bytes.length);
      const order = permutation(count, draw);
      for (let r = 0; r < count; r++)
        bytes.copy(shuffled, r * rowBytes, order[r]! * rowBytes, (order[r]! + 1) * rowBytes);
      hash.update(shuffled);
      await out.appendFile(shuffled);
      rows += count;
    }
    await out.sync();
  } finally {
    await out.close();
  }
  await fsyncFolder(dirname(target));
  return { rows, sha256: hash.digest("hex") as Sha256 };
}

/** A uniform permutation of 0..count-1 [Fisher-Yates]. */
function permutation(count: number, draw: (below: number) => number): Uint32Array {
  const order = Uint32Array.from({ length: count }, (_, i) => i);
  for (let i = count - 1; i > 0; i--) {
    const j = draw(i + 1);
    const kept = order[i]!;
    order[i] = order[j]!;
    order[j] = kept;
  }
  return order;
}

/** Uniform integers in 0..below-1, by rejection, so that no value is likelier than another; below ≤ 2^32. */
function uniformIntegers(random: RandomSource): (below: number) => number {
  let pool: DataView = new DataView(new ArrayBuffer(0));
  let at = 0;
  const next = () => {
    if (at + 4 > pool.byteLength) {
      const bytes = random.bytes(64 * 1024);
      pool = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      at = 0;
    }
    const value = pool.getUint32(at, true);
    at += 4;
    return value;
  };
  return (below) => {
    const limit = 2 ** 32 - (2 ** 32 % below);
    for (;;) {
      const value = next();
      if (value < limit) return value % below;
    }
  };
}
