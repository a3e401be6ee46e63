import { EventEmitter } from "node:events";
import type { Sha256, SiteId, StageId, StudyId } from "@consilium/core/ids";
import { openTestStore } from "@consilium/runtime/testing/store/store";
import { expect, it } from "vitest";
import { migrations } from "../store/schema.js";
import { StudyRecords } from "./records.js";
import type { RunContext } from "./runContext.js";
import { Studies } from "./studies.js";

const id = "x-0123456789" as StudyId;
const stage = "moments" as StageId;
const site = "hospital-a" as SiteId;
const hash = "ab".repeat(32) as Sha256;
const content = new Uint8Array([1, 2, 3]);

it.each(["released", "cancelled", "failed"] as const)(
  "keeps no vector, broadcast or sum of a study that was %s, unless it may be resumed",
  (status) => {
    const store = openTestStore(migrations);
    const records = new StudyRecords(store);
    records.create({ id, name: "x", text: "{}", hash, software: "0.1.0", createdAt: 1, sites: [site] });
    records.recordBroadcasts(id, [{ stage, name: "mean", length: 1, sha256: hash, content }]);
    records.beginUpload(id, stage, 1, { site, bytes: 3, sha256: hash });
    records.completeUpload(id, stage, 1, { site, content, at: 2 });
    records.setResult(id, stage, { content });
    const held = () => [
      records.broadcast(id, hash)!.content,
      records.uploadContent(id, stage, 1, site),
      records.result(id, stage)!.content,
    ];
    expect(held()).toEqual([content, content, content]);
    records.end(id, { status, at: 3 });
    expect(held()).toEqual(status === "failed" ? [content, content, content] : [null, null, null]);
    store.close();
  },
);

it("tells a study's sites again when its release is withdrawn, those that took part alone", () => {
  const store = openTestStore(migrations);
  const records = new StudyRecords(store);
  const refusing = "hospital-b" as SiteId;
  records.create({
    id,
    name: "x",
    text: "{}",
    hash,
    software: "0.1.0",
    createdAt: 1,
    sites: [site, refusing],
  });
  records.refuse(id, refusing, "POLICY_EPSILON", true);
  expect(records.invited(id).map((one) => [one.site, one.mayPublishRefusal])).toEqual([
    [site, false],
    [refusing, true],
  ]);
  records.end(id, { status: "released", at: 3 });
  records.acknowledgeEnd(id, site);
  const sent: unknown[] = [];
  const session = (of: SiteId) => ({ site: of, send: (frame: unknown) => void sent.push([of, frame]) });
  const presence = Object.assign(new EventEmitter(), { sessions: () => [session(site), session(refusing)] });
  const context = { records, presence, now: () => 4, stateFolder: "" } as unknown as RunContext;
  const studies = new Studies(context, {} as never, () => false);
  const said = (status: string, delivered: number | null) =>
    store.run(
      `INSERT INTO withdrawals (release, status, reason, issued_at, actor, file, delivered_at)
       VALUES (?, ?, '', 4, 'anna', ?, ?)`,
      id,
      status,
      new Uint8Array(1),
      delivered,
    );
  said("superseded", null);
  expect(records.releaseCode(id)).toBeNull();
  store.run("UPDATE withdrawals SET delivered_at = 5");
  studies.releaseChanged(id);
  said("withdrawn", 6);
  studies.releaseChanged(id);
  const frame = (code: string) => ({
    frame: "studyEnded",
    studyEnded: { studyId: id, outcome: "released", code },
  });
  expect(sent).toEqual([
    [site, frame("RELEASE_SUPERSEDED")],
    [site, frame("RELEASE_WITHDRAWN")],
  ]);
  // A site that is away is told when it connects.
  expect(records.unacknowledgedEnds(site)).toEqual([id]);
  studies.releaseChanged("y-0123456789" as StudyId);
  expect(sent).toHaveLength(2);
  store.close();
});
