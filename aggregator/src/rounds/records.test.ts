import type { Sha256, SiteId, StageId, StudyId } from "@consilium/core/ids";
import { openTestStore } from "@consilium/runtime/testing/store/store";
import { expect, it } from "vitest";
import { migrations } from "../store/schema.js";
import { StudyRecords } from "./records.js";

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
