/**
 * A source of uniformly random bytes. What protects anyone gets the operating system's generator
 * (`runtime/random`); tests pass a deterministic one. `core/` never reaches for randomness itself.
 */
export interface RandomSource {
  bytes(count: number): Uint8Array;
}
