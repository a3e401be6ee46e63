import { newRingVector, type RingBits, type RingVector } from "@consilium/core/fixed-point/ringVector";
import type { SiteId } from "@consilium/core/ids";
import { addStoredVectors } from "./sumOfUploads.js";

/**
 * The sum of the vectors that have come so far, in the memory of one vector. It holds nothing that is not on the disk: after
 * a crash, or a vector that could not be read, it is computed again from what is stored.
 */
export class RunningSum {
  readonly #bits: RingBits;
  readonly #length: number;
  readonly #stored: (site: SiteId) => Uint8Array | string;
  #sum: RingVector | null = null;
  readonly #added = new Set<SiteId>();
  #tail: Promise<void> = Promise.resolve();

  /** @param stored - a site's vector: its bytes, or the path of its file */
  constructor(
    shape: { readonly ringBits: RingBits; readonly length: number },
    stored: (site: SiteId) => Uint8Array | string,
  ) {
    this.#bits = shape.ringBits;
    this.#length = shape.length;
    this.#stored = stored;
  }

  /** A site's vector is stored. @param vector - its bytes, where they are at hand */
  came(site: SiteId, vector: Uint8Array | null = null): void {
    // What fails here fails or succeeds where the sum is asked for.
    this.#tail = this.#tail.then(() => this.#add([site], vector)).catch(() => undefined);
  }

  /**
   * The sum of exactly these sites' vectors, which are all stored. It is the caller's own.
   * @throws what reading a vector throws
   */
  async of(sites: readonly SiteId[]): Promise<RingVector> {
    await this.#tail;
    const wanted = new Set(sites);
    if ([...this.#added].some((site) => !wanted.has(site))) this.#forget();
    await this.#add(sites.filter((site) => !this.#added.has(site)));
    const sum = this.#vector;
    this.#forget();
    return sum;
  }

  get #vector(): RingVector {
    this.#sum ??= newRingVector(this.#bits, this.#length);
    return this.#sum;
  }

  async #add(sites: readonly SiteId[], vector: Uint8Array | null = null): Promise<void> {
    try {
      await addStoredVectors(
        this.#vector,
        sites.map((site) => () => vector ?? this.#stored(site)),
      );
    } catch (thrown) {
      // Some of them, or a part of one, may have been added.
      this.#forget();
      throw thrown;
    }
    for (const site of sites) this.#added.add(site);
  }

  #forget(): void {
    this.#sum = null;
    this.#added.clear();
  }
}
