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
  /** Looks at the way to the aggregator and at this machine, check by check. */
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
      schema: { summary: "How the site stands", response: { 200: siteStatusSchema } },
    },
    async () => agent.status({}),
  );
  server.get(
    "/api/events",
    {
      config: approver,
      schema: {
        summary: "What is different, as server-sent events",
        description: "Each event is a SiteEvent: it says what to ask for again, not what is there.",
        answerType: eventStreamType,
        response: { 200: siteEventSchema },
      },
    },
    async (request, reply) => {
      await changes.look();
      return sendEvents(request, reply, {
        now: () => changes.now(),
        subscribe: (changed) => changes.subscribe(changed),
        failed: (thrown) => log.error("a stream of events ended", {}, thrown),
      });
    },
  );
  server.get(
    "/api/doctor",
    {
      config: approver,
      schema: {
        summary: "What the doctor finds",
        description:
          "Looks at configuration, certificate, disk, policy and tables, and at what the last attempt to reach the aggregator came to. It changes nothing and sends nothing; `consilium doctor` at the agent's machine tries each step of the way.",
        response: { 200: doctorViewSchema },
      },
    },
    async () => doctor(),
  );
}
