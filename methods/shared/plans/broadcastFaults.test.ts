import type { StageId } from "@consilium/core/ids";
import { sentences } from "@consilium/core/said";
import { spokenError } from "@consilium/runtime/http/spoken";
import type { BroadcastSays } from "@consilium/words/says/broadcasts";
import { expect, it } from "vitest";
import { invalidBroadcast, noStage, notSent } from "./broadcastFaults.js";

const stage = "test-1" as StageId;

it("says at the edge what is wrong with what a site was sent", () => {
  const what = sentences<BroadcastSays>()("broadcast.untested", {});
  const said = [
    noStage("dp-ka", stage),
    noStage("survival", stage, null),
    notSent(stage, "splits"),
    invalidBroadcast(stage, what),
  ].map((error) => `${error.code}: ${spokenError(error).message}`);
  expect(said).toEqual([
    "MESSAGE_UNEXPECTED: dp-ka has no sum stage test-1",
    "MESSAGE_UNEXPECTED: survival has no stage test-1",
    'FIELD_INVALID: stage test-1 was not sent "splits"',
    "BROADCAST_INVALID: the broadcast of stage test-1: features are selected that were never tested",
  ]);
});
