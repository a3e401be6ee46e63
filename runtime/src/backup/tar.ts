import { type ByteReader, invalidBackup } from "./byteReader.js";

/** A file of an archive. */
export interface TarEntry {
  /** Relative, with `/` between folders. */
  readonly name: string;
  readonly bytes: number;
  /** Permissions, such as 0o600. */
  readonly mode: number;
}

const block = 512;
const nameMax = 100;
const longNameMax = 4_096;
const encoder = new TextEncoder();

/**
 * The header of one file in POSIX tar (IEEE Std 1003.1, pax: ustar interchange format), with GNU's long name before it
 * where the name is over 100 bytes, so that any tar can unpack what is not encrypted.
 */
export function tarHeader(entry: TarEntry): Uint8Array {
  const name = encoder.encode(entry.name);
  if (name.length <= nameMax) return headerBlock(entry.name, entry.bytes, entry.mode, "0");
  return Buffer.concat([
    headerBlock("././@LongLink", name.length + 1, 0, "L"),
    padded(Buffer.concat([name, Buffer.alloc(1)])),
    headerBlock(Buffer.from(name.subarray(0, nameMax)).toString("latin1"), entry.bytes, entry.mode, "0"),
  ]);
}

/** What follows a file's bytes, up to the next block. */
export function tarPadding(bytes: number): Uint8Array {
  return new Uint8Array((block - (bytes % block)) % block);
}

/** Two blocks of zeros. */
export const tarEnd = new Uint8Array(2 * block);

function padded(bytes: Uint8Array): Uint8Array {
  return Buffer.concat([bytes, tarPadding(bytes.length)]);
}

function headerBlock(name: string, bytes: number, mode: number, type: string): Uint8Array {
  if (bytes >= 8 ** 11) throw new RangeError("a file of 8 GiB or more does not fit a tar header");
  const header = Buffer.alloc(block);
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, "0");
  header.write(name, 0, nameMax, type === "L" ? "ascii" : "latin1");
  header.write(`${octal(mode, 7)}\0`, 100);
  header.write(`${octal(0, 7)}\0${octal(0, 7)}\0`, 108);
  header.write(`${octal(bytes, 11)}\0${octal(0, 11)}\0`, 124);
  header.write(" ".repeat(8), 148);
  header.write(`${type}`, 156);
  header.write("ustar\u000000", 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 6)}\0 `, 148);
  return header;
}

/**
 * The next file of an archive; its bytes and their padding follow in the reader.
 * @returns null at the end
 * @throws ConsiliumError BACKUP_INVALID for anything but a file with a plain relative name
 */
export async function nextTarEntry(reader: ByteReader): Promise<TarEntry | null> {
  let longName: string | null = null;
  for (;;) {
    const header = Buffer.from(await reader.read(block));
    if (header.every((byte) => byte === 0)) return null;
    const { bytes, mode, type } = parsedHeader(header);
    if (type === "L" && longName === null && bytes <= longNameMax) {
      const name = await reader.read(bytes);
      await reader.read(tarPadding(bytes).length);
      longName = Buffer.from(name).toString("utf8").replace(/\0$/, "");
      continue;
    }
    if (type !== "0") throw invalidBackup("it holds something that is no file");
    const name = longName ?? header.subarray(0, nameMax).toString("utf8").replace(/\0.*$/s, "");
    const steps = name.split("/");
    if (name.includes("\0") || steps.some((step) => step === "" || step === "." || step === "..")) {
      throw invalidBackup("it names a file outside of its folder");
    }
    return { name, bytes, mode };
  }
}

function parsedHeader(header: Buffer): { bytes: number; mode: number; type: string } {
  const number = (from: number, length: number) => {
    const text = header
      .subarray(from, from + length)
      .toString("latin1")
      .replace(/[\0 ].*$/s, "");
    return /^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : Number.NaN;
  };
  const summed = Buffer.from(header)
    .fill(" ", 148, 156)
    .reduce((total, byte) => total + byte, 0);
  const [bytes, mode] = [number(124, 12), number(100, 8)];
  if (number(148, 8) !== summed || !Number.isSafeInteger(bytes) || !Number.isInteger(mode)) {
    throw invalidBackup("it is damaged");
  }
  return { bytes, mode: mode & 0o777, type: String.fromCharCode(header[156]!) };
}
