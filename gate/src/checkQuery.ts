import {
  type Answer,
  type BlocksQuery,
  type HistogramQuery,
  lengthOf,
  type Query,
  type Section,
  sensitivitySquared,
} from "./query.js";

/** @throws RangeError for an invalid query: sizes that are not whole, or limits beyond what is added up exactly */
export function checkQuery(query: Query): void {
  for (const size of sizesOf(query)) whole(size, 1, 2 ** 53 - 1);
  if (query.kind === "histogram") {
    for (const { least, most } of query.channels) {
      whole(least, -entryLimit, 0);
      whole(most, 0, entryLimit);
    }
    if (query.sections !== undefined) checkSections(query, query.sections);
  }
  if (query.kind === "blocks") {
    const { blocks, parts, counts } = query;
    whole(blocks * parts, 1, entryLimit - 1);
    if (counts !== undefined) whole(blocks * parts * counts.cells, 1, vectorMost);
  }
  whole(lengthOf(query), 1, vectorMost);
}

function checkSections(query: HistogramQuery, sections: readonly Section[]): void {
  const { cells, touches, channels } = query;
  const [channel] = channels;
  const exponent = sections.find(({ root }) => root !== undefined)?.root?.exponent ?? 0;
  whole(exponent, 0, 24);
  for (const section of sections) {
    whole(section.cells, 1, cells);
    whole(section.most, 1, channel!.most);
    whole(section.least ?? 0, channel!.least, 0);
    whole(section.touches ?? 1, 1, section.cells);
    if (!(section.root === undefined ? isInUnits(section, exponent) : hasRoot(section, exponent)))
      throw new RangeError(
        "a query's sections are not in the units of its roots, or a root is not its section's",
      );
  }
  const sumOf = (each: (section: Section) => number) => sections.reduce((sum, one) => sum + each(one), 0);
  if (
    sumOf((one) => one.cells) !== cells ||
    sumOf((one) => one.touches ?? 1) !== touches ||
    channels.length !== 1
  )
    throw new RangeError("a query's sections are not its cells, its touches or its one channel");
  whole(sensitivitySquared(query), 1, 2 ** 53 - 1);
}

const isInUnits = ({ most, least = 0 }: Section, exponent: number) =>
  most % 2 ** exponent === 0 && least % 2 ** exponent === 0;

function hasRoot({ cells, least = 0, touches = 1, root }: Section, exponent: number): boolean {
  whole(root!.run, 1, 4096);
  return root!.exponent === exponent && cells % root!.run === 0 && touches === 1 && least === 0;
}

function sizesOf(query: Query): number[] {
  switch (query.kind) {
    case "histogram":
      return [query.cells, query.touches, query.channels.length, query.cellLimit ?? 1];
    case "vector":
      return [query.parts, query.length, query.limit];
    case "gram":
      return [query.parts, query.order, query.limit];
    case "product":
      return [query.rows, query.columns, query.limit];
    case "blocks":
      return [query.blocks, query.parts, ...keptSizes(query), ...answerSizes(query.answer)];
  }
}

const keptSizes = ({ counts, rowsMost = 0 }: BlocksQuery) =>
  counts === undefined ? [rowsMost] : [counts.cells, counts.touches];

function answerSizes(answer: Answer): number[] {
  if (answer.kind === "length") return [answer.entries, answer.limit];
  return [answer.most, ...answer.groups.flatMap(({ entries, taken }) => [entries, taken])];
}

/** What is proposed comes as 32-bit integers. */
const entryLimit = 2 ** 31 - 1;

/** 1 GiB of ring elements; half of it of counts. */
const vectorMost = 2 ** 27;

function whole(value: number, least: number, most: number): void {
  if (!Number.isSafeInteger(value) || value < least || value > most)
    throw new RangeError(`a query's size or limit is ${value}, not an integer from ${least} to ${most}`);
}
