/**
 * What a hospital computes, sends and is charged stays as it is: the vectors before noise and every frame of every stage, under
 * seeded randomness, told what was broadcast then.
 */
import { readdirSync, readFileSync } from "node:fs";
import { canonicalJson } from "@consilium/core/canonicalJson";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { expect, it } from "vitest";
import { chargesText, type Recorded, resend, stagesText, unpacked } from "../../tools/corpus/conversation.js";
import { place, recordingFiles } from "../../tools/corpus/place.js";
import { recordedNames } from "../../tools/corpus/studies.js";

const read = (name: string) => unpacked(readFileSync(recordingFiles(name).conversation));
const sumsOf = ({ events }: Recorded) => events.flatMap((event) => (event.kind === "sum" ? [event.sum] : []));

it.each(recordedNames)("%s is answered and charged as it was", async (name) => {
  const recorded = read(name);
  const files = recordingFiles(name);
  const { sites, sums } = await resend(recorded);
  expect(chargesText(sites)).toBe(readFileSync(files.charges, "utf8"));
  expect(stagesText(sites)).toBe(readFileSync(files.sites, "utf8"));
  expect(sums).toEqual(sumsOf(recorded));
});

it("are answered otherwise where one value of a table is another", async () => {
  const recorded = read("wdbc-counts");
  const { sites, sums } = await resend(recorded, ([first, ...others]) => {
    const [block] = first!;
    // The largest concavity comes below the bound that a condition has, or rises above it.
    const columns = block!.columns.map((column) => column.slice());
    columns[0]![0] = columns[0]![0]! < 0.1 ? 0.2 : 0;
    return [[{ ...block!, columns }], ...others];
  });
  expect(stagesText(sites)).not.toBe(readFileSync(recordingFiles("wdbc-counts").sites, "utf8"));
  expect(sums).not.toEqual(sumsOf(recorded));
});

it("are charged otherwise where the study may cost more", async () => {
  const { text, ...recorded } = read("wdbc-counts");
  const study = JSON.parse(text) as { readonly privacy: object };
  const dearer = canonicalJson({ ...study, privacy: { ...study.privacy, epsilon: 0.51 } });
  const { sites } = await resend({ ...recorded, text: dearer, hash: sha256(dearer) });
  expect(chargesText(sites)).not.toBe(readFileSync(recordingFiles("wdbc-counts").charges, "utf8"));
});

it("are charged by the roster where it is larger than the fewest sites", () => {
  const { planHash } = JSON.parse(readFileSync(recordingFiles("wdbc-dp-additive-of-six").charges, "utf8"));
  expect(planHash.running).not.toBe(planHash.invited);
});

it("are kept of every study that is recorded", () => {
  for (const folder of [place.sites, place.charges])
    expect(readdirSync(folder).sort()).toEqual(recordedNames.map((name) => `${name}.json`).sort());
});
