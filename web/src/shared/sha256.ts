/**
 * SHA-256 piece by piece and at once, as the browser's own does neither: FIPS 180-4 section 6.2. For hashes within core/,
 * which are small, and for files too large to hold; other files go through WebCrypto.
 */

/** The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
const constants = fractions(64, Math.cbrt);
const initial = fractions(8, Math.sqrt);

function fractions(count: number, root: (value: number) => number): Int32Array {
  const values = new Int32Array(count);
  let found = 0;
  for (let candidate = 2; found < count; candidate++) {
    let isPrime = true;
    for (let factor = 2; factor * factor <= candidate; factor++)
      if (candidate % factor === 0) isPrime = false;
    if (isPrime) values[found++] = Math.floor((root(candidate) % 1) * 2 ** 32) | 0;
  }
  return values;
}

const blockBytes = 64;
const rotate = (value: number, by: number) => (value >>> by) | (value << (32 - by));

export class Sha256 {
  readonly #state = Int32Array.from(initial);
  readonly #schedule = new Int32Array(64);
  readonly #block = new Uint8Array(blockBytes);
  #held = 0;
  #total = 0;

  update(bytes: Uint8Array): this {
    this.#total += bytes.length;
    let at = 0;
    if (this.#held > 0) {
      at = Math.min(blockBytes - this.#held, bytes.length);
      this.#block.set(bytes.subarray(0, at), this.#held);
      this.#held += at;
      if (this.#held < blockBytes) return this;
      this.#compress(this.#block, 0);
      this.#held = 0;
    }
    for (; at + blockBytes <= bytes.length; at += blockBytes) this.#compress(bytes, at);
    this.#block.set(bytes.subarray(at));
    this.#held = bytes.length - at;
    return this;
  }

  /** 32 bytes. Nothing may be added afterwards. */
  digest(): Uint8Array {
    const bits = this.#total * 8;
    const padding = new Uint8Array((this.#held < 56 ? 56 : 120) - this.#held + 8);
    padding[0] = 0x80;
    const view = new DataView(padding.buffer);
    view.setUint32(padding.length - 8, Math.floor(bits / 2 ** 32));
    view.setUint32(padding.length - 4, bits >>> 0);
    this.update(padding);
    const digest = new Uint8Array(32);
    const out = new DataView(digest.buffer);
    this.#state.forEach((word, index) => {
      out.setInt32(index * 4, word);
    });
    return digest;
  }

  #compress(bytes: Uint8Array, at: number): void {
    const w = this.#schedule;
    const state = this.#state;
    for (let t = 0; t < 16; t++) {
      const i = at + t * 4;
      w[t] = (bytes[i]! << 24) | (bytes[i + 1]! << 16) | (bytes[i + 2]! << 8) | bytes[i + 3]!;
    }
    for (let t = 16; t < 64; t++) {
      const [x, y] = [w[t - 15]!, w[t - 2]!];
      const small0 = rotate(x, 7) ^ rotate(x, 18) ^ (x >>> 3);
      const small1 = rotate(y, 17) ^ rotate(y, 19) ^ (y >>> 10);
      w[t] = (w[t - 16]! + small0 + w[t - 7]! + small1) | 0;
    }
    let [a, b, c, d] = [state[0]!, state[1]!, state[2]!, state[3]!];
    let [e, f, g, h] = [state[4]!, state[5]!, state[6]!, state[7]!];
    for (let t = 0; t < 64; t++) {
      const big1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
      const choice = (e & f) ^ (~e & g);
      const first = (h + big1 + choice + constants[t]! + w[t]!) | 0;
      const big0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
      const majority = (a & b) ^ (a & c) ^ (b & c);
      h = g;
      g = f;
      f = e;
      e = (d + first) | 0;
      d = c;
      c = b;
      b = a;
      a = (first + big0 + majority) | 0;
    }
    const added = [a, b, c, d, e, f, g, h];
    for (let i = 0; i < 8; i++) state[i]! += added[i]!;
  }
}

export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
