import { faults } from "@consilium/core/fault";
import type { AgentAnswers, AgentInterface } from "@consilium/core/hospital/agentApi";
import type { DoctorFacts } from "@consilium/core/hospital/doctorFacts";
import { sentences } from "@consilium/core/said";
import type { Metrics } from "@consilium/runtime/metrics";
import type { DiskSpace } from "@consilium/runtime/store/diskSpace";
import type { Store } from "@consilium/runtime/store/store";
import type { SiteSays } from "@consilium/words/says/site";
import type { SiteFacts } from "../dataProtection/facts.js";
import type { LedgerContext } from "../ledger/requests.js";
import type { Connection } from "../rpc/connection.js";
import type { SpokenProtocol } from "../rpc/spokenProtocol.js";
import type { Questions } from "../studies/questions.js";
import type { Tables } from "../tables/tables.js";
import type { AuditLog } from "./auditLog.js";
import { type ChangesContext, changesNow } from "./changes.js";
import type { PolicyContext } from "./policy.js";
import type { StatusContext } from "./status.js";
import type { StudiesContext } from "./studies.js";

const fault = faults<SiteSays>();
const said = sentences<SiteSays>();

/** What the answers are made from. */
export type AgentContext = StatusContext &
  StudiesContext &
  LedgerContext &
  PolicyContext &
  ChangesContext & {
    readonly connection: Connection;
    readonly spokenProtocol: Pick<SpokenProtocol, "accept">;
    readonly tables: Tables;
    readonly store: Store;
    readonly disk: Pick<DiskSpace, "fault">;
    readonly metrics: Metrics;
    readonly ledgerMetrics: Metrics;
    readonly auditLog: AuditLog;
    readonly asking: () => Promise<Questions>;
    /** What config.yaml says of the console as it is now. */
    readonly console: () => Promise<Omit<AgentAnswers<"consoleSettings">, "site" | "configPath">>;
    readonly configPath: string;
    readonly logLines: AgentInterface["logLines"];
    /** Looks at this machine, the tables, and what the connection came to. */
    readonly doctor: () => Promise<DoctorFacts>;
    /** What the data-protection document is made from, as it stands now. */
    readonly facts: () => Promise<SiteFacts>;
  };

/**
 * The agent as a console in a container of its own asks it, on a socket of its own: as before, without values of a table,
 * which are for the owner of the state folder.
 */
export function withoutValues(agent: AgentInterface): AgentInterface {
  return {
    ...agent,
    profile: async (asked) => {
      if (!asked.values) return agent.profile(asked);
      throw fault("NOT_PERMITTED", "socket.no-values", {}, { remedy: said("socket.profile-at-rest", {}) });
    },
  };
}

/** Studies of one answer. */
const pageLimit = 500;

/**
 * The agent as its hospital asks it. Nothing here trusts who asks with more than a person at the hospital may do: the
 * policy and the ledger's limits are asked again for everything that spends.
 */
export function siteAgent(context: AgentContext): AgentInterface {
  const { connection, disk, store, auditLog } = context;
  const ledger = () => import("../ledger/requests.js");
  const studies = () => import("./studies.js");
  return {
    health: async () => ({
      connected: connection.status.connected,
      code: disk.fault() === null ? null : "DISK_FULL",
    }),
    status: async () => (await import("./status.js")).statusView(context),
    changes: async () => changesNow(context),
    studies: async ({ after }) => (await studies()).listed(context, { limit: pageLimit, after }),
    study: async ({ id }) => (await studies()).shown(context, id),
    approve: async (asked) => {
      const { decided, note } = await (await studies()).approved(context, asked);
      const detail = [asked.inPlaceOf === undefined ? "" : `for ${asked.inPlaceOf}`, note]
        .filter(Boolean)
        .join("; ");
      auditLog.record({ actor: asked.by, kind: "approved the study", study: asked.id, detail });
      return decided;
    },
    approvalRecords: async ({ id }) => (await ledger()).approvalsNow(context, store, id),
    ask: async ({ id, by, text }) => {
      return (await studies()).asked(context, id, async (study) =>
        (await context.asking()).ask(study, text, by),
      );
    },
    answered: async ({ since }) => (await context.questions())?.answeredSince(since) ?? [],
    refuse: async (asked) => {
      const decided = await (await studies()).refused(context, asked);
      auditLog.record({ actor: asked.by, kind: "refused the study", study: asked.id });
      return decided;
    },
    profile: async (asked) => (await studies()).profileOfGiven(context, asked),
    studyProfile: async ({ id }) => (await studies()).profileOfOffered(context, id),
    tableCheck: ({ table }) => context.tables.tableCheck(table),
    ledger: async () => (await ledger()).ledgerNow(context),
    ledgerSeries: async () => (await ledger()).seriesNow(context),
    ledgerVerify: async ({ anchors }) => (await ledger()).verified(context, anchors),
    ledgerExport: async () => ({ text: await (await ledger()).exportNow(context) }),
    ledgerCompact: async ({ by, ...asked }) => {
      const answer = await (await ledger()).compactedNow(context, asked);
      if (answer.checkpoint !== null) {
        const detail = `entries up to ${answer.archive!.to} archived`;
        auditLog.record({ actor: by, kind: "compacted the ledger", detail });
      }
      return answer;
    },
    reconcile: async ({ by, charge }) => {
      const answer = await (await ledger()).reconciled(context, charge ?? null);
      auditLog.record({ actor: by, kind: "reconciled the ledger" });
      return answer;
    },
    acceptProtocol: async ({ to, by }) => {
      const from = context.spokenProtocol.accept(to);
      auditLog.record({ actor: by, kind: "accepted an older protocol", detail: `${to} after ${from}` });
      return { from, to };
    },
    egress: async () => (await ledger()).egressNow(context),
    policy: async () => (await import("./policy.js")).policyView(context),
    policyCheck: async ({ text }) => (await import("./policyTrial.js")).policyCheck(context, text),
    policySave: async (edit) => {
      const view = await (await import("./policy.js")).savePolicy(context, edit);
      auditLog.record({ actor: edit.by, kind: "changed the policy" });
      return view;
    },
    policyHistory: async () => (await context.editor()).history(),
    policyVersion: async ({ id }) => (await context.editor()).kept(id),
    doctor: context.doctor,
    protectionFacts: async () => {
      const { protectionFacts } = await import("../dataProtection/protectionFacts.js");
      return protectionFacts(await context.facts());
    },
    metrics: async () => {
      const { contentType, body } = await context.metrics.render();
      return { contentType, agent: body, ledger: (await context.ledgerMetrics.render()).body };
    },
    logLines: context.logLines,
    audit: async ({ after, limit }) => auditLog.after(after, limit),
    consoleSettings: async () => ({
      site: connection.identity.id,
      configPath: context.configPath,
      ...(await context.console()),
    }),
    formerAccounts: async () => (await import("../store/formerAccounts.js")).formerAccounts(store),
    formerAccountsTaken: async () => {
      (await import("../store/formerAccounts.js")).removeFormerAccounts(store);
      return {};
    },
  };
}
