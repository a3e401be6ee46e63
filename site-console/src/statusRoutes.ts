import { type DoctorView, doctorViewSchema } from "@consilium/core/hospital/doctorView";
import { siteEventSchema } from "@consilium/core/hospital/eventViews";
import { siteStatusSchema } from "@consilium/core/hospital/statusViews";
import type { HospitalAgent } from "@consilium/runtime/agent/hospitalAgent";
import { eventStreamType, sendEvents } from "@consilium/runtime/http/events";
import type { HttpServer } from "@consilium/runtime/http/server";
import type { Logger } from "@consilium/runtime/log";
import type { Changes } from "./changes.js";

export interface StatusRoutesContext {
  readonly agent: HospitalAgent;
  readonly changes: Changes;
  /** Looks at the network path to the aggregator and at this machine, check by check. */
  readonly doctor: () => Promise<DoctorView>;
  readonly log: Logger;
}

const approver = { role: "approver" } as const;

/** How the site stands, a stream that says when something is different, and the doctor. */
export function routeStatus(server: HttpServer, context: StatusRoutesContext): void {
  const { agent, changes, doctor, log } = context;
  server.get(
    "/api/status",
    {
      config: approver,
      schema: { summary: "The site's status", response: { 200: siteStatusSchema } },
    },
    async () => agent.status({}),
  );
  server.get(
    "/api/events",
    {
      config: approver,
      schema: {
        summary: "Streams change notifications",
        description: "Each event is a SiteEvent: it names what to refetch, without the data.",
        answerType: eventStreamType,
        response: { 200: siteEventSchema },
      },
    },
    async (request, reply) => {
      await changes.look();
      return sendEvents(request, reply, {
        now: () => changes.now(),
        subscribe: (changed) => changes.subscribe(changed),
        failed: (thrown) => log.error("event stream ended", {}, thrown),
      });
    },
  );
  server.get(
    "/api/doctor",
    {
      config: approver,
      schema: {
        summary: "Runs the doctor",
        description:
          "Checks configuration, certificate, disk, policy and tables, and reports the outcome of the last attempt to reach the aggregator. It changes nothing and sends nothing; `consilium doctor` on the agent's machine checks each step of the path.",
        response: { 200: doctorViewSchema },
      },
    },
    async () => doctor(),
  );
}
