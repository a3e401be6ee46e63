import type { SiteStatusView } from "@consilium/core/hospital/statusViews";
import { certificateWarnMs } from "@consilium/core/identity/warnings";
import { formatBytes, formatDuration } from "../../shared/format";

/** Something that a person at the hospital should look at. */
export interface Attention {
  readonly tone: "warn" | "bad";
  readonly title: string;
  readonly text: string;
  /** The page to look at; null: this one says all. */
  readonly href: string | null;
}

const diskWarnBytes = 2e9;
const diskBadBytes = 2e8;

/** What needs a person, the gravest first; empty: all is well. */
export function attentionOf(status: SiteStatusView, nowMs: number): Attention[] {
  const found = [
    ...ofConnection(status),
    ...ofCertificate(status, nowMs),
    ...ofExpelledList(status),
    ...ofLedger(status),
    ...ofPolicy(status),
    ...ofDisk(status),
    ...ofTables(status),
    ...ofStudies(status),
  ];
  return [...found.filter(({ tone }) => tone === "bad"), ...found.filter(({ tone }) => tone === "warn")];
}

function ofConnection({ connected, lastFault }: SiteStatusView): Attention[] {
  if (connected) return [];
  const why =
    lastFault === null
      ? "It is being dialled."
      : `${sentence(lastFault.message)} ${sentence(lastFault.remedy)}`;
  return [
    {
      tone: "bad",
      title: "The aggregator is not connected.",
      text: `${why} The agent dials again by itself; studies wait until then, and nothing leaves.`,
      href: null,
    },
  ];
}

function ofCertificate({ certificateExpiresAt }: SiteStatusView, nowMs: number): Attention[] {
  const leftMs = Date.parse(certificateExpiresAt) - nowMs;
  if (leftMs > certificateWarnMs) return [];
  if (leftMs <= 0)
    return [
      {
        tone: "bad",
        title: "The site's certificate has expired.",
        text: "It can no longer renew itself. Ask the operator for an invitation for the same key, stop the agent, and enrol again into the same state folder.",
        href: null,
      },
    ];
  return [
    {
      tone: "warn",
      title: `The site's certificate ends in ${formatDuration(leftMs)}.`,
      text: "It renews itself while the aggregator can be reached. Run the doctor to see what is in the way.",
      href: null,
    },
  ];
}

function ofExpelledList({ expelledList: { fault } }: SiteStatusView): Attention[] {
  if (fault === null) return [];
  return [
    {
      tone: "bad",
      title: "The list of expelled sites is out of date, so every new study is refused.",
      text: `${sentence(fault.message)} ${sentence(fault.remedy)}`,
      href: null,
    },
  ];
}

function ofLedger({ ledger }: SiteStatusView): Attention[] {
  if (!ledger.behind) return [];
  return [
    {
      tone: "bad",
      title: "The ledger is an old copy.",
      text: "The site spends nothing until what is missing has been charged: reconcile it.",
      href: "/ledger",
    },
  ];
}

function ofPolicy({ policy }: SiteStatusView): Attention[] {
  if (policy.state === "invalid")
    return [
      {
        tone: "bad",
        title: "The policy has faults, so every study is refused.",
        text: "The policy's page shows them at their lines.",
        href: "/policy",
      },
    ];
  return [];
}

function ofDisk({ disk }: SiteStatusView): Attention[] {
  if (disk === null || disk.freeBytes > diskWarnBytes) return [];
  return [
    {
      tone: disk.freeBytes > diskBadBytes ? "warn" : "bad",
      title: `The state folder's disk has ${formatBytes(disk.freeBytes)} left.`,
      text: "Without room the ledger cannot be written, and then nothing leaves and no study goes on. Make room.",
      href: null,
    },
  ];
}

function ofTables({ tables }: SiteStatusView): Attention[] {
  if (tables.length > 0) return [];
  return [
    {
      tone: "warn",
      title: "No table is configured.",
      text: "Name one under tables in config.yaml and start the agent again: no study can use this hospital's records before.",
      href: null,
    },
  ];
}

function ofStudies({ studies }: SiteStatusView): Attention[] {
  const waiting = studies.filter(({ status }) => status === "waiting for approval").length;
  if (waiting === 0) return [];
  return [
    {
      tone: "warn",
      title:
        waiting === 1
          ? "A study waits for a person's decision."
          : `${waiting} studies wait for a person's decision.`,
      text: "Until somebody approves, nothing of this hospital is used.",
      href: "/studies",
    },
  ];
}

function sentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}
