/**
 * Adds up to four keystreams to a block of a vector, or takes them away, 16 bytes at a time: by WebAssembly, as JavaScript has
 * no vector instructions. The module is put together below, byte for byte as its specification has it [WASM2, section 5].
 */
export const blockBytes = 64 * 1024;
const streamsMost = 4;

const leb128 = (value: number): number[] =>
  value < 128 ? [value] : [(value & 127) | 128, ...leb128(value >>> 7)];
const list = (items: readonly (readonly number[])[]) => [...leb128(items.length), ...items.flat()];
const sized = (bytes: readonly number[]) => [...leb128(bytes.length), ...bytes];

const address = [0x20, 1]; // local.get 1: bytes from the beginning of the block
/** v128.load at the address within the block, or within the stream that lies so many blocks behind it. */
const load = (blocks: number) => [...address, 0xfd, 0x00, 4, ...leb128(blocks * blockBytes)];
/** i32x4.add, i32x4.sub, i64x2.add, i64x2.sub: all modulo 2 to the power of their width. */
const operations = { "4 1": 0xae, "4 -1": 0xb1, "8 1": 0xce, "8 -1": 0xd1 };

function body(operation: number, streams: number): number[] {
  const terms = Array.from({ length: streams }, (_, i) => [...load(i + 1), 0xfd, ...leb128(operation)]);
  const code = [
    [1, 1, 0x7f, 0x03, 0x40], // one local, an i32; loop
    [...address, ...load(0), ...terms.flat(), 0xfd, 0x0b, 4, 0], // v128.store
    [...address, 0x41, 16, 0x6a, 0x22, 1], // i32.const 16, i32.add, local.tee 1
    [0x20, 0, 0x49, 0x0d, 0], // local.get 0, i32.lt_u, br_if 0
    [0x0b, 0x0b],
  ];
  return sized(code.flat());
}

const functions = Object.entries(operations).flatMap(([of, operation]) =>
  Array.from({ length: streamsMost }, (_, i) => ({ name: `${of} ${i + 1}`, body: body(operation, i + 1) })),
);
const exported = (name: string, ...what: number[]) => [...sized([...Buffer.from(name)]), ...what];
const section = (id: number, content: readonly number[]) => [id, ...sized(content)];

const magicAndVersion = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
const module = Uint8Array.of(
  ...magicAndVersion,
  ...section(1, list([[0x60, 1, 0x7f, 0]])), // the type of all functions: an i32, the bytes, and nothing out
  ...section(3, list(functions.map(() => [0]))),
  ...section(5, list([[0, 1 + streamsMost]])), // one memory; a page of it is a block
  ...section(7, list([exported("memory", 2, 0), ...functions.map(({ name }, i) => exported(name, 0, i))])),
  ...section(10, list(functions.map((one) => one.body))),
);

/** What is used of the WebAssembly API, which Node's typings leave to the browser's library. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: Record<string, unknown> };
};

const { memory, ...adders } = new WebAssembly.Instance(new WebAssembly.Module(module)).exports;
const { buffer } = memory as { readonly buffer: ArrayBuffer };
const page = (i: number) => new Uint8Array(buffer, i * blockBytes, blockBytes);

/** To be filled before they are added; the streams lie behind the block. */
export const block = page(0);
export const streams: readonly Uint8Array[] = Array.from({ length: streamsMost }, (_, i) => page(i + 1));

/**
 * @param count - of the streams, from 1: those after it stay out
 * @returns what does it to so many bytes of the block, rounded up to 16
 */
export const streamAdder = (bytesPerElement: number, sign: 1 | -1, count: number) =>
  adders[`${bytesPerElement} ${sign} ${count}`] as (bytes: number) => void;
