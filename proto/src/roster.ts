import { fieldFault } from "./fields.js";
import type { Roster, Roster__Output } from "./generated/consilium/v1/Roster.js";
import { RosterMessage } from "./load.js";

/** A roster as a task carries it: of a thousand sites it has 2.6 MB, and is encoded once for all of them. */
export function rosterBytes(roster: Roster): Buffer {
  return RosterMessage.serialize(roster);
}

/** @throws ConsiliumError FIELD_INVALID */
export function rosterOf(bytes: Buffer): Roster__Output {
  try {
    return RosterMessage.deserialize(bytes);
  } catch {
    throw fieldFault("task.roster", "malformed message");
  }
}
