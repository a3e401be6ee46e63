/**
 * What a YAML text from outside may hold. YAML lets a short text cost a parser far more than its length: every level of
 * nesting is a level of the parser's recursion, every key of a map is compared with all others of that map, and runs of
 * anchors and tags are looked through again and again. A study or a policy needs little of this, so each count has a
 * bound, and a text beyond one is refused while it is read, not after.
 */
export interface YamlLimits {
  /** Characters of the text. */
  readonly length: number;
  /** Maps and lists within each other, the document itself counted. */
  readonly depth: number;
  /** Lines outside of texts that span several. */
  readonly lines: number;
  /** Keys, values and entries, and what stands between them. */
  readonly nodes: number;
  /** Keys of one map. */
  readonly keys: number;
  readonly anchors: number;
  readonly aliases: number;
  /** And directives, lines that begin with a percent sign. */
  readonly tags: number;
}

/** A study of 10,000 columns, each with six keys, has 190,000 nodes on 70,000 lines, and no map of over 20 keys. */
export const studyYamlLimits: YamlLimits = {
  length: 2 * 1024 * 1024,
  depth: 32,
  lines: 200_000,
  nodes: 500_000,
  keys: 1_000,
  anchors: 100,
  aliases: 0,
  tags: 100,
};

/** A policy may list columns by the ten thousand; its largest map is of its members, at most 1,024 sites. */
export const policyYamlLimits: YamlLimits = {
  length: 1024 * 1024,
  depth: 32,
  lines: 200_000,
  nodes: 200_000,
  keys: 2_000,
  anchors: 100,
  aliases: 100,
  tags: 100,
};

const nouns: Readonly<Record<keyof YamlLimits, string>> = {
  length: "characters",
  depth: "levels of nesting",
  lines: "lines",
  nodes: "keys, values and entries",
  keys: "keys in one map",
  anchors: "anchors",
  aliases: "aliases",
  tags: "tags and directives",
};

/** Why a text was refused: `more than 32 levels of nesting`. */
export function yamlExcess(count: keyof YamlLimits, limits: YamlLimits): string {
  const limit = limits[count];
  return limit === 0 ? `${nouns[count]} are not allowed` : `more than ${limit} ${nouns[count]}`;
}
