import { z } from "zod";

/** What a console or a command says that it has shown to who approves a study; docs/THREAT_MODEL.md says what it proves. */

const hash = z.string().regex(/^[0-9a-f]{64}$/);

/** What an approval is of, as hashes: the agent gives them with a study's facts, and who shows these gives them back. */
export const shownTermsSchema = z
  .strictObject({
    studyHash: hash,
    planHash: hash.describe("Of the plan as the study was offered, before it has a roster."),
    policyHash: hash
      .nullable()
      .describe("Of the policy as it is written; null where the hospital has written none."),
    tableHash: hash.describe("Of the table's entry in config.yaml."),
  })
  .meta({ id: "ShownTerms", description: "What an approval of a study is of, as hashes." });
export type ShownTerms = z.output<typeof shownTermsSchema>;

/** Of all texts together, as UTF-8. */
export const shownMaxBytes = 65_536;

const bytesOf = (text: string) => new TextEncoder().encode(text).length;
const allBytes = (texts: readonly string[]) => texts.reduce((sum, text) => sum + bytesOf(text), 0);

export const shownSchema = shownTermsSchema
  .extend({
    language: z.enum(["en", "de"]),
    software: z.string().min(1).max(100).describe("Version and build of the console or command."),
    texts: z
      .array(z.string())
      .max(5_000)
      .refine((texts) => allBytes(texts) <= shownMaxBytes, `more than ${shownMaxBytes} bytes together`)
      .describe("What was on the screen, in its order, without what was found in the hospital's table."),
  })
  .meta({
    id: "Shown",
    description:
      "What was shown to the person, as the console or command reports it: kept with the approval.",
  });
export type Shown = z.output<typeof shownSchema>;

/** The texts that a record has room for, from the first on; where there are more, a last one says how many were left out. */
export function recordable(texts: readonly string[]): string[] {
  const kept: string[] = [];
  let left = shownMaxBytes - 100;
  for (const text of texts) {
    left -= bytesOf(text);
    if (left < 0 || kept.length === 4_999) return [...kept, `… +${texts.length - kept.length}`];
    kept.push(text);
  }
  return kept;
}
