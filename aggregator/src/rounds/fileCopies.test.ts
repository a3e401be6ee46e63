import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SiteId, StageId, StudyId } from "@consilium/core/ids";
import type { OpenStore, Store } from "@consilium/runtime/store/store";
import { openTestStore } from "@consilium/runtime/testing/store/store";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { afterEach, beforeEach, expect, it } from "vitest";
import { migrations } from "../store/schema.js";
import { FileCopies } from "./fileCopies.js";
import { StudyFiles } from "./studyFiles.js";

const study = "copied-0123456789" as StudyId;
const step = "moments" as StageId;
const site = "north" as SiteId;
const large = randomBytes(2_500_000);

let home: string;
let store: Store;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "consilium-copies-"));
  store = openTestStore(migrations);
});
afterEach(async () => {
  (store as OpenStore).close();
  await rm(home, { recursive: true, force: true });
});

/** The study's files on one of several machines. */
async function filesOn(machine: string): Promise<StudyFiles> {
  const files = new StudyFiles(join(home, machine), study, new FileCopies(store));
  await files.open();
  return files;
}

async function upload(files: StudyFiles): Promise<void> {
  const begun = await files.beginUpload(step, 1, site, { sha256: sha256(large), bytes: large.length });
  if (begun.complete !== undefined) throw new Error("it is there already");
  await begun.upload.append(0, large);
  await begun.upload.commit();
  await files.keep(files.uploadPath(step, 1, site));
}

it("gives another machine every file that was counted, whatever it had of the study before", async () => {
  const stale = await filesOn("second");
  await stale.writeResult(step, new Uint8Array([9]));
  await stale.close();
  new FileCopies(store).removeAll(study);
  const first = await filesOn("first");
  await upload(first);
  await first.writeResult(step, large);
  const broadcast = await first.writeBroadcast(large);
  await writeFile(first.rowsPath(step), large);
  await first.keep(first.rowsPath(step));
  // Of an upload that is under way nothing is copied: its site sends it again.
  const other = await first.beginUpload(step, 1, "east" as SiteId, {
    sha256: sha256(large),
    bytes: large.length,
  });
  if (other.complete !== undefined) throw new Error("it is there already");
  await other.upload.append(0, large.subarray(0, 1_000));
  await first.close();

  const second = await filesOn("second");
  expect(Buffer.from(await second.readResult(step)).equals(large)).toBe(true);
  expect((await readFile(second.uploadPath(step, 1, site))).equals(large)).toBe(true);
  expect((await readFile(second.rowsPath(step))).equals(large)).toBe(true);
  const sent: Uint8Array[] = [];
  for await (const piece of second.readBroadcast(broadcast, 0, 1 << 20)) sent.push(piece);
  expect(Buffer.concat(sent).equals(large)).toBe(true);
  const again = await second.beginUpload(step, 1, "east" as SiteId, {
    sha256: sha256(large),
    bytes: large.length,
  });
  expect(again.complete === undefined && again.upload.received).toBe(0);
  await second.close();
});

it("does not take a copy that a crash has cut short for the file", async () => {
  const first = await filesOn("first");
  await first.writeResult(step, large);
  await first.close();
  store.run("DELETE FROM file_copies");
  store.run("DELETE FROM file_pieces WHERE position > 0");
  expect(await readdir(join(home, "first", "studies", study))).toHaveLength(1);
  const second = await filesOn("second");
  await expect(second.readResult(step)).rejects.toThrow(RangeError);
  await second.writeResult(step, large);
  await second.close();
  const third = await filesOn("third");
  expect(Buffer.from(await third.readResult(step)).equals(large)).toBe(true);
  await third.close();
});

it("removes copies with the uploads that are no longer needed, and all with the study", async () => {
  const files = await filesOn("first");
  await upload(files);
  await files.writeResult(step, large);
  const left = () => store.all("SELECT file FROM file_copies").map(({ file }) => String(file).split("~")[0]);
  files.removeUploads(step, 1, [site]);
  expect(left()).toEqual([`result-${step}`]);
  await files.removeAll();
  expect(left()).toEqual([]);
  expect(store.all("SELECT file FROM file_pieces")).toEqual([]);
});
