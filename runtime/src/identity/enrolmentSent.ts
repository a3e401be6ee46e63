import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { parseSha256, type Sha256 } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { enrolmentSentFile } from "../stateFiles.js";

/**
 * What was sent before a site had a store with an egress log: its requests to be enrolled. `consilium site enroll` notes
 * each in the state folder before it is sent, and the agent takes the notes into its log at its start.
 */
interface EnrolmentSent {
  readonly at: number;
  readonly bytes: number;
  /** Of the request as it was sent. */
  readonly sha256: Sha256;
}

const fileOf = (stateFolder: string) => join(stateFolder, enrolmentSentFile);

/** Durable when it returns. */
export function noteEnrolmentSent(stateFolder: string, at: number, request: Uint8Array): void {
  const note: EnrolmentSent = { at, bytes: request.length, sha256: sha256(request) };
  const file = openSync(fileOf(stateFolder), "a", 0o600);
  try {
    writeSync(file, `${JSON.stringify(note)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** The notes, oldest first; a line that a crash cut off is left out: its request was not sent. */
export async function enrolmentsSent(stateFolder: string): Promise<EnrolmentSent[]> {
  const text = await readFile(fileOf(stateFolder), "utf8").catch(() => "");
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => {
      const { at, bytes, sha256 } = JSON.parse(line) as Record<keyof EnrolmentSent, unknown>;
      return { at: Number(at), bytes: Number(bytes), sha256: unwrap(parseSha256(String(sha256))) };
    });
}

/** Once they are in the log. */
export async function forgetEnrolmentsSent(stateFolder: string): Promise<void> {
  await rm(fileOf(stateFolder), { force: true });
}
