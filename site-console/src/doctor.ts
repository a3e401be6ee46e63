import { ConsiliumError } from "@consilium/core/errors";
import type { DoctorView } from "@consilium/core/hospital/doctorView";
import { softwareVersion } from "@consilium/core/version";
import type { HospitalAgent } from "@consilium/runtime/agent/hospitalAgent";
import { judgeBudgets } from "@consilium/runtime/doctor/budget";
import { check, fail } from "@consilium/runtime/doctor/check";
import { checkDisk } from "@consilium/runtime/doctor/disk";
import { checkPagesCertificate, type PagesCertificate } from "@consilium/runtime/http/tls";
import { checkNotifications } from "@consilium/runtime/notify/checkNotifications";
import type { Notifications } from "@consilium/runtime/notify/notifications";

/**
 * The doctor of the pages. What needs keys, tables or the network path to the aggregator the agent examines; the console looks at
 * itself, and says so where no agent answers.
 */
export function doctorOf(options: {
  readonly agent: Pick<HospitalAgent, "doctor" | "status">;
  readonly agentSocket: string;
  readonly stateFolder: string;
  readonly notifications: Pick<Notifications, "view">;
  readonly certificate: PagesCertificate | null;
  readonly now: () => number;
}): () => Promise<DoctorView> {
  const { agent, agentSocket, stateFolder, notifications, certificate, now } = options;
  return async () => {
    const own = [
      check("disk:console", "Console's state folder", await checkDisk(stateFolder)),
      checkPagesCertificate(certificate, now()),
      check("notifications", "Messages to approvers", checkNotifications(notifications.view())),
    ];
    try {
      const view = await agent.doctor({});
      const budgets = judgeBudgets(await agent.status({}), now());
      return { ...view, checks: [...view.checks, ...budgets, ...own] };
    } catch (thrown) {
      if (!(thrown instanceof ConsiliumError) || thrown.code !== "UNREACHABLE") throw thrown;
      const verdict = fail(
        `no answer from the agent at ${agentSocket}; keys, tables and the path to the aggregator were not checked`,
        "start the agent: `consilium serve site`; its log has the reason why it ended",
      );
      return {
        checkedAt: new Date(now()).toISOString(),
        software: softwareVersion,
        subject: "site",
        name: null,
        aggregator: null,
        checks: [check("agent", "Agent", verdict), ...own],
      };
    }
  };
}
