import { isNearlySpent, usedPercent } from "@consilium/core/hospital/budgetUse";
import { epsilonUp } from "@consilium/core/privacy/words";
import { counted } from "@consilium/core/words";
import { printable, table } from "../terminal/layout.js";
import type { Style } from "../terminal/style.js";
import { reasonText } from "./offeredStudiesText.js";

/** A running agent's status (GET /status on its socket); only the fields that are shown. */
export interface SiteStatus {
  readonly site: string;
  readonly federation: string;
  readonly connected: boolean;
  readonly connectedSince: string | null;
  /** The reason why the connection is down, or last was. */
  readonly lastFault: { readonly code: string; readonly message: string } | null;
  readonly certificateExpiresAt: string;
  /** Other hospitals pin it in their policies. */
  readonly signingKeyFingerprint: string;
  /** Null for an agent of an earlier version. */
  readonly expelledList: {
    readonly number: string;
    readonly confirmedAt: string | null;
    readonly fault: string | null;
  } | null;
  readonly policy: {
    readonly path: string;
    readonly state: string;
    /** Why it is invalid. */
    readonly fault: string | null;
  };
  readonly tables: readonly string[];
  /** True where another user than the agent's reads them. */
  readonly tablesApart: boolean;
  /** Why the aggregator is told nothing of a table. */
  readonly leftOut: readonly string[];
  /** The unit of privacy of each table. */
  readonly units: Readonly<Record<string, string>>;
  /** The budget's lines, by population. */
  readonly budgets: readonly Budget[];
  /** Names of the studies that have sent data without a proof. */
  readonly unproven: readonly string[];
  readonly studies: readonly {
    readonly id: string;
    readonly status: string;
    /** The site's own refusal or error; these stay at the site. */
    readonly code: string | null;
    readonly reason: string | null;
    /** Stages that were answered as of an empty table. */
    /** `12 of 200 rows`; null where there is nothing to look at. */
    readonly fewUsed: string | null;
    readonly zeros: readonly { readonly step: string; readonly reason: string }[];
  }[];
}

interface Budget {
  readonly population: string;
  readonly unit: string;
  readonly delta: number;
  readonly held: number;
  readonly limit: number | null;
  /** ε of the largest study that still fits; null where nothing limits it. */
  readonly fits: number | null;
  /** Names of studies that ended without an answer. */
  readonly unanswered: readonly string[];
  readonly maxUnanswered: number;
}

type Members = Readonly<Record<string, unknown>>;

const members = (value: unknown): Members =>
  typeof value === "object" && value !== null ? (value as Members) : {};
const text = (value: unknown): string | null => (typeof value === "string" ? value : null);
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export function readSiteStatus(json: unknown): SiteStatus {
  const status = members(json);
  const fault = members(status.lastFault);
  const code = text(fault.code);
  const policy = members(status.policy);
  return {
    site: text(status.site) ?? "-",
    federation: text(status.federation) ?? "-",
    connected: status.connected === true,
    connectedSince: text(status.connectedSince),
    lastFault: code === null ? null : { code, message: text(fault.message) ?? "" },
    certificateExpiresAt: text(status.certificateExpiresAt) ?? "-",
    signingKeyFingerprint: text(status.signingKeyFingerprint) ?? "-",
    expelledList: expelledListOf(status.expelledList),
    policy: {
      path: text(policy.path) ?? "-",
      state: text(policy.state) ?? "-",
      fault: text(policy.fault),
    },
    tables: list(status.tables).map((name) => text(name) ?? "-"),
    tablesApart: status.tablesApart === true,
    leftOut: list(status.leftOut).map((entry) => {
      const { code, message, remedy } = members(entry);
      return `[${text(code) ?? "-"}] ${text(message) ?? ""}. ${text(remedy) ?? ""}`;
    }),
    units: Object.fromEntries(
      Object.entries(members(status.units)).map(([table, unit]) => [table, text(unit) ?? "-"]),
    ),
    budgets: list(status.budgets).map(budgetOf),
    unproven: list(status.unproven).map((study) => text(members(study).name) ?? "-"),
    studies: list(status.studies).map((entry) => {
      const study = members(entry);
      return {
        id: text(study.id) ?? "-",
        status: text(study.status) ?? "-",
        code: text(study.code),
        reason: text(study.reason),
        fewUsed: fewText(study.fewUsed),
        zeros: list(study.zeros).map((answer) => {
          const { step, reason } = members(answer);
          return { step: text(step) ?? "-", reason: text(reason) ?? "-" };
        }),
      };
    }),
  };
}

function fewText(json: unknown): string | null {
  const { used, meant } = members(json);
  return typeof used === "number" && typeof meant === "number" ? `${used} of ${counted(meant, "row")}` : null;
}

function budgetOf(json: unknown): Budget {
  const { population, unit, delta, held, limit, fits, unanswered, maxUnanswered } = members(json);
  const number = (value: unknown) => (typeof value === "number" ? value : null);
  return {
    population: text(population) ?? "-",
    unit: text(unit) ?? "-",
    delta: number(delta) ?? 0,
    held: number(held) ?? 0,
    limit: number(limit),
    fits: number(fits),
    unanswered: list(unanswered).map((study) => text(members(study).name) ?? "-"),
    maxUnanswered: number(maxUnanswered) ?? 0,
  };
}

function expelledListOf(json: unknown): SiteStatus["expelledList"] {
  if (typeof json !== "object" || json === null) return null;
  const list = members(json);
  const fault = members(list.fault);
  const code = text(fault.code);
  return {
    number: typeof list.number === "number" ? String(list.number) : "none",
    confirmedAt: text(list.confirmedAt),
    fault: code === null ? null : `[${code}] ${text(fault.message) ?? ""}. ${text(fault.remedy) ?? ""}`,
  };
}

export function statusText(status: SiteStatus, style: Style): string {
  const since = status.connectedSince === null ? "" : ` since ${printable(status.connectedSince)}`;
  const fault =
    status.lastFault === null
      ? ""
      : `: ${printable(`[${status.lastFault.code}] ${status.lastFault.message}`)}`;
  const presence = status.connected
    ? `${style.good("connected")}${since}`
    : `${style.caution("not connected, retrying")}${fault}`;
  const lines = [
    `${style.strong(printable(status.site))} of ${printable(status.federation)}`,
    `  connection   ${presence}`,
    `  certificate  until ${printable(status.certificateExpiresAt)}`,
    `  signing key  ${printable(status.signingKeyFingerprint)} (SHA-256, for other hospitals' policies)`,
    ...(status.expelledList === null ? [] : [`  expelled     ${expelledText(status.expelledList, style)}`]),
    `  policy       ${policyText(status.policy, style)}`,
    `  tables       ${printable(status.tables.join(", ") || "none: add one in config.yaml")}`,
    `  read by      ${status.tablesApart ? "another user than the agent's" : "the agent's own user"}`,
    ...status.leftOut.map(
      (fault) => `  left out     ${style.caution("not told to the aggregator")}: ${printable(fault)}`,
    ),
    ...Object.entries(status.units).map(
      ([name, unit]) => `  epsilon of   ${printable(name)}: per ${printable(unit)}`,
    ),
    ...status.budgets.map((one) => `  budget       ${budgetText(one, style)}`),
    ...status.budgets.flatMap((one) => unansweredText(one, style)),
    ...(status.unproven.length === 0
      ? []
      : [
          `  no proof     ${style.caution("sent without proven protection")}: ${printable(status.unproven.join(", "))}`,
        ]),
  ];
  for (const { id, zeros } of status.studies)
    for (const reason of new Set(zeros.map((one) => one.reason))) {
      const stages = zeros.filter((one) => one.reason === reason).map(({ step }) => step);
      lines.push(
        `  ${style.bad("no records")}   study ${printable(id)}, ${stages.length === 1 ? "stage" : "stages"} ${printable(stages.join(", "))}: answered as of an empty table (visible only here): ${printable(reason)}`,
      );
    }
  for (const { id, fewUsed } of status.studies)
    if (fewUsed !== null)
      lines.push(
        `  ${style.caution("few rows")}     study ${printable(id)} uses ${fewUsed}: it was joined automatically; look with \`consilium site profile ${printable(id)}\``,
      );
  if (status.studies.length === 0) return `${lines.join("\n")}\n\nNo studies have been offered yet.`;
  const studies = table(
    status.studies,
    [
      { title: "STUDY", cell: (study) => printable(study.id) },
      { title: "STATUS", cell: (study) => printable(study.status) },
      { title: "REASON (visible only here)", cell: (study) => reasonText(study.code, study.reason) ?? "-" },
    ],
    style,
  );
  return `${lines.join("\n")}\n\n${studies}`;
}

function expelledText(list: NonNullable<SiteStatus["expelledList"]>, style: Style): string {
  if (list.fault !== null) return `${style.bad("new studies are refused")}: ${printable(list.fault)}`;
  return `list ${printable(list.number)} of expelled sites, confirmed ${printable(list.confirmedAt ?? "never")}`;
}

function budgetText({ population, unit, delta, held, limit, fits }: Budget, style: Style): string {
  const used = `${printable(population)}: epsilon ${epsilonUp(held)}`;
  const per = `per ${printable(unit)} at delta ${delta}`;
  if (limit === null) return `${used} ${per}, without a limit`;
  const part = `${used} of ${limit} ${per} (${usedPercent({ held, limit })} %)`;
  if (!isNearlySpent({ held, limit })) return part;
  return style.caution(
    `${part}, ${fits === null || fits === 0 ? "no further study fits" : `a study of at most epsilon ${fits} still fits`}`,
  );
}

/** Names as the aggregator gives them. */
function unansweredText({ population, unanswered, maxUnanswered }: Budget, style: Style): string[] {
  if (unanswered.length === 0) return [];
  const many = `${unanswered.length} of ${maxUnanswered}`;
  const asks =
    unanswered.length < maxUnanswered ? many : style.caution(`${many}, a person decides on the next`);
  return [`  unanswered   ${printable(population)}: ${asks}: ${printable(unanswered.join(", "))}`];
}

function policyText({ path, state, fault }: SiteStatus["policy"], style: Style): string {
  switch (state) {
    case "read":
      return printable(path);
    case "absent":
      return `${printable(path)} does not exist: every study needs manual approval`;
    default:
      return `${style.bad("every study is refused")}: ${(fault ?? state).split("\n").map(printable).join("\n    ")}`;
  }
}
