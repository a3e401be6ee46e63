import { isNearlySpent, isOfLate, usedPercent } from "@consilium/core/hospital/budgetUse";
import type { SiteStatusView } from "@consilium/core/hospital/statusViews";
import { certificateWarnMs, lateRenewalMs } from "@consilium/core/identity/warnings";
import { reasonWords } from "../../shared/failureWords";
import { formatBytes, formatDelta, formatDuration, formatMoment } from "../../shared/format";
import { locale, plural, served, t } from "../../shared/language";
import { shown, shownDown } from "../studies/privacyWords";

/** Something that needs attention at the hospital. */
export interface Attention {
  readonly tone: "warn" | "bad";
  readonly title: string;
  readonly text: string;
  /** The page with details; null if there are none. */
  readonly href: string | null;
  /** The studies that it is about. */
  readonly studies?: readonly { readonly id: string; readonly name: string; readonly about: string }[];
}

/** Maximum number of stages that are named of a study. */
const stagesMax = 4;
const diskWarnBytes = 2e9;
const diskBadBytes = 2e8;

/** What needs attention, most severe first; empty if nothing does. */
export function attentionOf(status: SiteStatusView, nowMs: number): Attention[] {
  const found = [
    ...ofConnection(status),
    ...ofCertificate(status, nowMs),
    ...ofExpelledList(status),
    ...ofLedger(status),
    ...ofPolicy(status),
    ...ofDisk(status),
    ...ofTables(status),
    ...ofZeros(status),
    ...ofFewRows(status),
    ...ofStudies(status),
    ...ofBudgets(status),
    ...ofUnproven(status, nowMs),
  ];
  return [...found.filter(({ tone }) => tone === "bad"), ...found.filter(({ tone }) => tone === "warn")];
}

function ofConnection({ connected, lastFault }: SiteStatusView): Attention[] {
  if (connected) return [];
  const why =
    lastFault === null ? t("Connecting.") : `${sentence(lastFault.message)} ${sentence(lastFault.remedy)}`;
  return [
    {
      tone: "bad",
      title: t("The aggregator is not connected."),
      text: t("{why} The agent reconnects automatically; until then studies wait, and no data are sent.", {
        why,
      }),
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
        title: t("The site's certificate has expired."),
        text:
          leftMs > -lateRenewalMs
            ? t(
                "It renews automatically when the agent next reaches the aggregator, until {moment}. If the aggregator is reachable, compare the two machines' clocks.",
                { moment: formatMoment(new Date(nowMs + leftMs + lateRenewalMs).toISOString()) },
              )
            : t(
                "It can no longer be renewed automatically. Ask the operator for an invitation for the same key, stop the agent, and enrol again into the same state folder.",
              ),
        href: null,
      },
    ];
  return [
    {
      tone: "warn",
      title: t("The site's certificate expires in {leftMs}.", { leftMs: formatDuration(leftMs) }),
      text: t(
        "It renews automatically while the aggregator is reachable. Run doctor to find out what blocks the connection.",
      ),
      href: null,
    },
  ];
}

function ofExpelledList({ expelledList: { fault } }: SiteStatusView): Attention[] {
  if (fault === null) return [];
  return [
    {
      tone: "bad",
      title: t("The list of expelled sites is out of date, so every new study is refused."),
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
      title: t("The ledger is an old copy."),
      text: t("The site spends nothing until the missing entries are charged: reconcile the ledger."),
      href: "/ledger",
    },
  ];
}

function ofPolicy({ policy }: SiteStatusView): Attention[] {
  if (policy.state === "invalid")
    return [
      {
        tone: "bad",
        title: t("The policy is invalid, so every study is refused."),
        text: t("The policy page shows the errors by line."),
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
      title: t("The state folder's disk has {freeBytes} left.", { freeBytes: formatBytes(disk.freeBytes) }),
      text: t(
        "Without free space the ledger cannot be written, no data are sent and studies stop. Free disk space.",
      ),
      href: null,
    },
  ];
}

function ofTables({ tables }: SiteStatusView): Attention[] {
  if (tables.length > 0) return [];
  return [
    {
      tone: "warn",
      title: t("No table is configured."),
      text: t(
        "Add one under `tables` in config.yaml: until then studies cannot use this hospital's records.",
      ),
      href: null,
    },
  ];
}

/** In studies of late: what has been looked at long ago is in the study's own page. */
function ofZeros({ studies }: SiteStatusView): Attention[] {
  const empty = studies.filter(({ zeros }) => zeros.length > 0);
  if (empty.length === 0) return [];
  return [
    {
      tone: "bad",
      title: t("Studies continued without this hospital's records: {count}", { count: empty.length }),
      text: t(
        "The table could not be read or added up, so the site answered as of an empty table. Nobody outside the hospital learns of it.",
      ),
      href: null,
      studies: empty.map(({ id, name, zeros }) => ({
        id,
        name,
        about: zerosText(zeros),
      })),
    },
  ];
}

/** In studies that were joined without a person, until somebody has looked. */
function ofFewRows({ studies }: SiteStatusView): Attention[] {
  const few = studies.flatMap(({ id, name, fewUsed }) => (fewUsed === null ? [] : [{ id, name, fewUsed }]));
  if (few.length === 0) return [];
  return [
    {
      tone: "warn",
      title: t("Studies use few of this hospital's rows: {count}", { count: few.length }),
      text: t(
        "They were joined automatically. Check the data of each on its page: this message ends once somebody has looked.",
      ),
      href: null,
      studies: few.map(({ id, name, fewUsed: { used, meant } }) => ({
        id,
        name,
        about: t("{used} of {rows} rows", {
          used: used.toLocaleString(locale()),
          rows: meant.toLocaleString(locale()),
        }),
      })),
    },
  ];
}

/** Stages of one study by reason: a table that cannot be read fails in each the same way. */
function zerosText(zeros: SiteStatusView["studies"][number]["zeros"]): string {
  const reasons = [...new Set(zeros.map(({ reason }) => reason))];
  return reasons
    .map((reason) => {
      const own = zeros.filter((one) => one.reason === reason);
      const { code } = own[0]!;
      const words = sentence((reasonWords(reason, code) ?? reason).replace(/^\[[A-Z_]+\] /, ""));
      const shown = own.slice(0, stagesMax).map(({ step }) => step);
      const steps = [...shown, ...(own.length > stagesMax ? ["…"] : [])].join(", ");
      const about = { code, steps };
      return `${words} ${plural(own.length, "({code}; {count} stage: {steps})", "({code}; {count} stages: {steps})", about)}`;
    })
    .join(" ");
}

function ofStudies({ studies }: SiteStatusView): Attention[] {
  const waiting = studies.filter(({ status }) => status === "waiting for approval").length;
  if (waiting === 0) return [];
  return [
    {
      tone: "warn",
      title:
        waiting === 1
          ? t("A study is waiting for approval.")
          : t("{waiting} studies are waiting for approval.", { waiting }),
      text: t("Until a study is approved, no data of this hospital are used."),
      href: "/studies",
    },
  ];
}

function ofBudgets({ budgets }: SiteStatusView): Attention[] {
  return budgets.flatMap(({ population, unit, delta, limit, held, remaining, fits }) => {
    if (limit === null || !isNearlySpent({ held, limit })) return [];
    const values = {
      held: shown(held),
      limit,
      unit: served(unit),
      remaining: shownDown(remaining ?? 0),
      delta: formatDelta(delta),
    };
    return [
      {
        tone: "warn",
        title: t("{percent} % of the privacy budget of population {population} is used.", {
          percent: usedPercent({ held, limit }),
          population,
        }),
        text:
          fits === null || fits === 0
            ? t(
                "ε = {held} of {limit} per {unit} at δ = {delta} is spent or reserved. No further study fits: each is refused, until an administrator raises the limit in the policy.",
                values,
              )
            : t(
                "ε = {held} of {limit} per {unit} at δ = {delta} is spent or reserved; {remaining} remains. One more study of at most ε = {fits} still fits, for the costs of studies add up to less than the sum of their ε. What is spent never comes back.",
                { ...values, fits },
              ),
        href: "/ledger",
      },
    ];
  });
}

function ofUnproven({ unproven }: SiteStatusView, nowMs: number): Attention[] {
  const late = unproven.filter((study) => isOfLate(study, nowMs));
  if (late.length === 0) return [];
  return [
    {
      tone: "warn",
      title: plural(
        late.length,
        "{count} study sends data without proven protection, or did so recently.",
        "{count} studies send data without proven protection, or did so recently.",
      ),
      text: t(
        "It is unknown how much such data reveal. They do not count towards the privacy budget, which cannot cover them.",
      ),
      href: null,
      studies: late.map(({ id, name, population, sends, lastAt }) => ({
        id,
        name,
        about: plural(
          sends,
          "population {population}: data sent {count} time, last on {moment}",
          "population {population}: data sent {count} times, last on {moment}",
          { population, moment: formatMoment(lastAt) },
        ),
      })),
    },
  ];
}

function sentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}
