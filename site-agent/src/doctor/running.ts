import type { DoctorView } from "@consilium/core/hospital/doctorView";
import type { Study } from "@consilium/core/study/study";
import { stepMs } from "@consilium/runtime/network/tunnel";
import type { Connection } from "../rpc/connection.js";
import type { ExpelledList } from "../studies/expelledList.js";
import type { SiteRecords, SiteStudy } from "../studies/records.js";
import type { SiteMethods } from "../studies/siteMethods.js";
import { examineSite } from "./examine.js";

/**
 * The doctor of a running agent: its tables are held against the studies that wait or are under way. Asked again while
 * it looks, it gives the same answer to both.
 */
export function runningDoctor(options: {
  readonly stateFolder: string;
  readonly connection: Pick<Connection, "status">;
  readonly expelledList: Pick<ExpelledList, "view">;
  readonly records: Pick<SiteRecords, "open">;
  readonly methods: Pick<SiteMethods, "parse">;
  readonly now: () => number;
  /** Logs the check that the doctor sends. */
  readonly sending: (message: Uint8Array) => void;
}): () => Promise<DoctorView> {
  let underWay: Promise<DoctorView> | null = null;
  const examine = () => {
    const { connected, since, lastFault } = options.connection.status;
    return examineSite(options.stateFolder, {
      environment: process.env,
      now: options.now,
      timeoutMs: stepMs,
      sending: options.sending,
      studies: options.records.open().flatMap(openStudy(options.methods)),
      agent: {
        connected,
        connectedSince: since === null ? null : new Date(since).toISOString(),
        lastFault,
        expelledList: options.expelledList.view(),
      },
    });
  };
  return () => {
    underWay ??= examine().finally(() => {
      underWay = null;
    });
    return underWay;
  };
}

const openStudy =
  (methods: Pick<SiteMethods, "parse">) =>
  ({ text }: SiteStudy): Study[] => {
    const parsed = methods.parse(JSON.parse(text));
    return parsed.ok ? [parsed.value] : [];
  };
