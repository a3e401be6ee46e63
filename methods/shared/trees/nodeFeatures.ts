import seedrandom from "seedrandom";

/**
 * Features that a node of a tree is asked for: drawn without replacement from a public text, so that every site and
 * reader draws the same before anything runs. Protects nothing.
 * @param text - the study's seed and which node it is
 * @param count - from 0 to `of`
 * @returns `count` of 0..of-1, ascending
 */
export function drawnFeatures(text: string, count: number, of: number): number[] {
  const generator = seedrandom(text);
  const all = Array.from({ length: of }, (_, f) => f);
  for (let i = 0; i < count; i++) {
    const other = i + Math.floor(generator.double() * (of - i));
    [all[i], all[other]] = [all[other]!, all[i]!];
  }
  return all.slice(0, count).sort((a, b) => a - b);
}
