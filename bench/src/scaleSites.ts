/**
 * Many sites in one process: each with its own certificate, connection and keys, and the machine of the secure sum that a
 * site runs. They have no table, no ledger and no disk, and a vector that tells by its sum who is in it. Signatures and
 * certificates that one of them has checked are not checked again by the others: on one machine a thousand sites would check
 * each a thousand times.
 */
import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { unwrap } from "@consilium/core/result";
import { installTransfer } from "@consilium/runtime/arrayBufferTransfer";
import { loadIdentity } from "@consilium/runtime/identity/files";
import { SimulatedSite } from "./simulatedSite.js";

/** To this process. */
export type ScaleRequest =
  /** Has sites attend: the folders of their identities, and the aggregator's address. */
  | { readonly kind: "attend"; readonly folders: readonly string[]; readonly aggregator: string }
  | { readonly kind: "figures" }
  | { readonly kind: "stop" };

/** What the sites of a process have sent and been sent, in bytes of messages; processor time of the process. */
export interface ScaleFigures {
  readonly sent: number;
  readonly received: number;
  readonly cpuMs: number;
  readonly faults: readonly string[];
}

/** Connections of a process that are opened at once. */
const attendAtOnce = 8;

function shareChecks(): void {
  const { verify, createPublicKey } = crypto;
  const verified = new Map<string, { readonly key: unknown; readonly message: Buffer }>();
  const keys = new Map<string, crypto.KeyObject>();
  const sharing = {
    createPublicKey: (input: Parameters<typeof createPublicKey>[0]): crypto.KeyObject => {
      const text =
        typeof input === "object" && "key" in input ? (input.key as crypto.JsonWebKey).x : undefined;
      if (typeof text !== "string") return createPublicKey(input);
      const key = keys.get(text) ?? createPublicKey(input);
      keys.set(text, key);
      return key;
    },
    verify: (
      algorithm: string | null | undefined,
      message: Uint8Array,
      key: crypto.KeyObject,
      signature: Uint8Array,
    ): boolean => {
      const name = Buffer.from(signature.buffer, signature.byteOffset, signature.length).toString("latin1");
      const before = verified.get(name);
      if (before !== undefined && before.key === key && before.message.equals(message)) return true;
      const isRight = verify(algorithm, message, key, signature);
      if (isRight) verified.set(name, { key, message: Buffer.from(message) });
      return isRight;
    },
  };
  Object.assign(crypto, sharing);
  syncBuiltinESMExports();
}

async function attendAll(folders: readonly string[], aggregator: string): Promise<SimulatedSite[]> {
  const waiting = [...folders];
  const attending: SimulatedSite[] = [];
  await Promise.all(
    Array.from({ length: attendAtOnce }, async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const site = new SimulatedSite(unwrap(await loadIdentity(next, Date.now())), aggregator);
        attending.push(site);
        await site.attend();
      }
    }),
  );
  return attending;
}

async function answer(request: ScaleRequest, sites: SimulatedSite[]): Promise<ScaleFigures | "done"> {
  switch (request.kind) {
    case "attend":
      sites.push(...(await attendAll(request.folders, request.aggregator)));
      return "done";
    case "figures": {
      const { user, system } = process.cpuUsage();
      const sum = (part: (site: SimulatedSite) => number) => sites.reduce((all, site) => all + part(site), 0);
      return {
        sent: sum(({ sent }) => sent),
        received: sum(({ received }) => received),
        cpuMs: (user + system) / 1000,
        faults: sites.flatMap(({ faults }) => faults),
      };
    }
    case "stop":
      process.exit(0);
  }
}

installTransfer();
shareChecks();
const sites: SimulatedSite[] = [];
process.on("disconnect", () => process.exit(1));
process.on("message", (request: ScaleRequest) => {
  answer(request, sites).then(
    (value) => process.send!({ value }),
    (thrown: unknown) => process.send!({ fault: thrown instanceof Error ? thrown.stack : String(thrown) }),
  );
});
