/** A study that is upgraded midway continues as it began: what its sites answered once leads to the same, byte for byte. */
import { readdirSync, readFileSync } from "node:fs";
import { readSaid } from "@consilium/core/readSaid";
import { countedTexts } from "@consilium/core/release/countedText";
import { countedSchema, findingSchema } from "@consilium/core/release/finding";
import { sayEnglish } from "@consilium/words/english";
import { sayGerman } from "@consilium/words/german";
import { expect, it } from "vitest";
import { type Recorded, replay, unpacked } from "../../tools/corpus/conversation.js";
import { place, recordingFiles } from "../../tools/corpus/place.js";
import { exampleNames, forms, recordedNames } from "../../tools/corpus/studies.js";

const read = (name: string) => unpacked(readFileSync(recordingFiles(name).conversation));

/** What was asked and drawn and made of it, in order. */
const told = ({ events, result }: Pick<Recorded, "events" | "result">) => JSON.stringify({ events, result });

it.each(recordedNames)("%s is conversed as it was, and not of another sum", async (name) => {
  const recorded = read(name);
  expect(told(await replay(recorded))).toBe(told(recorded));

  // The control: other sums lead elsewhere, or are refused.
  const changed = await replay(withSumChanged(recorded)).catch(() => null);
  expect(changed === null ? "refused" : outcome(changed)).not.toBe(outcome(recorded));
});

/** Without the sums themselves. */
const outcome = ({ events, result }: Pick<Recorded, "events" | "result">) =>
  JSON.stringify({ events: events.map((one) => (one.kind === "sum" ? { ...one, sum: "" } : one)), result });

/** Every entry of the first sum is another number: one byte of each is changed. */
function withSumChanged(recorded: Recorded): Recorded {
  let isFirst = true;
  const events = recorded.events.map((event) => {
    if (event.kind !== "sum" || !isFirst) return event;
    isFirst = false;
    const bytes = Buffer.from(event.sum, "base64");
    for (let at = 0; at < bytes.length; at += 8) bytes[at + 1]! ^= 1;
    return { ...event, sum: bytes.toString("base64") };
  });
  return { ...recorded, events };
}

it("are there of every example and every form", () => {
  expect(readdirSync(place.conversations).sort()).toEqual(
    recordedNames.map((name) => `${name}.json.gz`).sort(),
  );
  for (const name of exampleNames) expect(recordedNames).toContain(name);
  const methods = new Set(
    recordedNames.map((name) => (JSON.parse(read(name).text) as { method: string }).method),
  );
  expect([...methods].sort()).toEqual([...forms].sort());
});

it("end in a finding where privacy is proven, in words of both languages", () => {
  for (const name of recordedNames) {
    const { text, result } = read(name);
    const { variant } = JSON.parse(text) as { variant: string };
    if (variant !== "sound") continue;
    const { text: line } = findingSchema.parse(result.finding);
    const said = readSaid(line)!;
    for (const words of [sayEnglish(said), sayGerman(said)]) expect(words, name).toMatch(/[.]$/);
    for (const one of countedSchema.array().parse(result.counted))
      expect(sayEnglish(readSaid(countedTexts({ counted: [one] }).counted[0]!)!), name).not.toBeNull();
  }
});
