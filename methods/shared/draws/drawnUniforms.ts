import type { SumConversation } from "@consilium/core/learning/sums";
import type { RandomSource } from "@consilium/core/random";

/**
 * Randomness of the aggregator in a published method: drawn from the operating system's generator, and stored before it is
 * used, so that a replay after a crash continues with the same.
 * @param name - of the draw, once in the study
 * @returns [count] multiples of 2^-53 in (0, 1)
 */
export function drawnUniforms(
  conversation: Pick<SumConversation, "draw">,
  options: { readonly name: string; readonly count: number; readonly random: RandomSource },
): Float64Array {
  const { name, count, random } = options;
  const text = conversation.draw(name, () => hexadecimal(random.bytes(8 * count)));
  if (text.length !== 16 * count) throw new RangeError(`draw ${name} has not ${count} numbers`);
  return Float64Array.from({ length: count }, (_, i) => {
    const bits = BigInt(`0x${text.slice(16 * i, 16 * (i + 1))}`) >> 11n;
    return (Number(bits) + 0.5) * 2 ** -53;
  });
}

function hexadecimal(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * A Laplace draw of mean 0 as the published methods add it: in doubles, by inversion. It is no part of a proven claim: the
 * gaps between doubles tell more than the density does [Mir12].
 * @param scale - at least 0; the standard deviation is √2 of it
 * @param uniform - in (0, 1)
 */
export function laplaceAt(scale: number, uniform: number): number {
  const centred = uniform - 0.5;
  return -scale * Math.sign(centred) * Math.log(1 - 2 * Math.abs(centred));
}
