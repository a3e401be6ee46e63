import type { ConsiliumError } from "@consilium/core/errors";
import { faults } from "@consilium/core/fault";
import { nameOf } from "@consilium/core/said";
import type { FederationHandlers } from "@consilium/proto/generated/consilium/v1/Federation";
import { sendFailure } from "@consilium/runtime/http/failures";
import { routeOperations } from "@consilium/runtime/http/operations";
import { createHttpServer, type HttpServer } from "@consilium/runtime/http/server";
import type { Logger } from "@consilium/runtime/log";
import type { Metrics } from "@consilium/runtime/metrics";
import type { DiskSpace } from "@consilium/runtime/store/diskSpace";
import type { Lease } from "@consilium/runtime/store/lease";
import type { AggregatorSays } from "@consilium/words/says/aggregator";
import { spokenAnswer } from "../rpc/spokenAnswer.js";

const fault = faults<AggregatorSays>();

/** What anyone is told who calls an aggregator that stands by. */
export function standingBy({ view }: Pick<Lease, "view">): ConsiliumError {
  const { holder } = view;
  return fault("AGGREGATOR_STANDBY", "call.standing-by", { holder: holder === null ? null : nameOf(holder) });
}

/** Refuses every call at once; nothing is read of it, and nobody is asked who they are. */
export function standbyHandlers(lease: Pick<Lease, "view">): FederationHandlers {
  const refusal = () => spokenAnswer(standingBy(lease));
  const refuse = (call: { emit(event: "error", error: unknown): unknown }) => {
    call.emit("error", refusal());
  };
  return {
    Enroll: (_, callback) => callback(refusal()),
    Check: (_, callback) => callback(refusal()),
    Attend: refuse,
    SendVector: refuse,
    SendRows: refuse,
    FetchVector: refuse,
  };
}

/** Handlers that change while a server runs, whose connections stay. */
export function switchedHandlers(current: () => FederationHandlers): FederationHandlers {
  return {
    Enroll: (call, callback) => current().Enroll(call, callback),
    Check: (call, callback) => current().Check(call, callback),
    Attend: (call) => current().Attend(call),
    SendVector: (call) => current().SendVector(call),
    SendRows: (call) => current().SendRows(call),
    FetchVector: (call) => current().FetchVector(call),
  };
}

/** HTTP while standing by: health, metrics and the lease; every other request is refused. */
export async function standbyServer(options: {
  readonly lease: Pick<Lease, "view">;
  readonly disk: Pick<DiskSpace, "fault">;
  readonly metrics: Metrics;
  readonly log: Logger;
}): Promise<HttpServer> {
  const { lease, disk, metrics } = options;
  const server = await createHttpServer({
    log: options.log,
    access: () => {
      throw standingBy(lease);
    },
  });
  routeOperations(server, { ready: () => "AGGREGATOR_STANDBY", disk, metrics, lease });
  const everything = { config: { role: "public" }, schema: { hide: true } } as const;
  for (const path of ["/", "/*"])
    server.all(path, everything, async (_, reply) => sendFailure(reply, standingBy(lease)));
  return server;
}

/** What an aggregator with a standby tells of its lease, active or not. */
export function measureLease(metrics: Metrics, lease: Pick<Lease, "view">): void {
  metrics.gauge({
    name: "consilium_aggregator_active",
    help: "1 while this aggregator holds the lease on the store, 0 while it stands by.",
    collect() {
      this.set(lease.view.isHeld ? 1 : 0);
    },
  });
  metrics.gauge({
    name: "consilium_lease_age_seconds",
    help: "Time since the last renewal of the lease that this aggregator has seen.",
    collect() {
      this.set(lease.view.ageMs / 1000);
    },
  });
  metrics.gauge({
    name: "consilium_lease_takeovers",
    help: "How often an aggregator has taken the store, restarts included.",
    collect() {
      this.set(lease.view.epoch);
    },
  });
  metrics.gauge({
    name: "consilium_lease_taken_timestamp_seconds",
    help: "When the active aggregator took the lease, as Unix time.",
    collect() {
      this.set((lease.view.takenAt ?? 0) / 1000);
    },
  });
}
