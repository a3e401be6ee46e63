/**
 * A source of uniformly random bytes. What protects anyone gets the operating system's generator; tests pass a
 * deterministic one. This package draws from nothing else, but for `generateSigningKey`.
 */
export interface RandomSource {
  bytes(count: number): Uint8Array;
}
