import { ConsiliumError, type ErrorCode } from "@consilium/core/errors";
import { reconcileBody } from "@consilium/core/hospital/bodies";
import {
  egressSchema,
  ledgerReportSchema,
  ledgerSchema,
  ledgerSeriesSchema,
  reconciledSchema,
} from "@consilium/core/hospital/ledgerViews";
import type { HttpServer } from "@consilium/runtime/http/server";
import { z } from "zod";
import { egressCsv } from "./egressCsv.js";
import { type DecisionContext, nameOf } from "./studyRoutes.js";

const config = { role: "approver" } as const;
const position = z.string().max(200);
/** Positions that somebody kept, each `sequence:hash`. */
const verifyQuery = z.object({ anchor: z.union([position, z.array(position).max(100)]).default([]) });

/** The ledger and the egress log, for the hospital's own tools. */
export function routeLedger(server: HttpServer, context: DecisionContext): void {
  const { agent, auditLog, log } = context;
  server.get(
    "/api/ledger",
    { config, schema: { summary: "The ledger", response: { 200: ledgerSchema } } },
    async () => agent.ledger({}),
  );
  server.get(
    "/api/ledger/series",
    {
      config,
      schema: {
        summary: "Each population's spending over time",
        response: { 200: z.array(ledgerSeriesSchema) },
      },
    },
    async () => agent.ledgerSeries({}),
  );
  server.get(
    "/api/ledger/verify",
    {
      config,
      schema: {
        summary: "Verifies the ledger: its chain, signatures and known heads",
        querystring: verifyQuery,
        response: { 200: ledgerReportSchema },
      },
    },
    async ({ query, caller }) => {
      const failed = (code: ErrorCode) =>
        log.error("the ledger check failed", { code, actor: nameOf(caller) });
      try {
        const report = await agent.ledgerVerify({ anchors: [query.anchor].flat() });
        if (report.anchors.some(({ state }) => state === "missing")) failed("LEDGER_BEHIND");
        return report;
      } catch (thrown) {
        if (thrown instanceof ConsiliumError && thrown.code === "LEDGER_BROKEN") failed(thrown.code);
        throw thrown;
      }
    },
  );
  server.get(
    "/api/ledger/export",
    {
      config,
      schema: {
        summary: "The signed entries, one per line",
        description: "`consilium ledger verify` checks such a file, offline.",
        answerType: "application/jsonl",
      },
    },
    async (_, reply) =>
      reply
        .type("application/jsonl; charset=utf-8")
        .header("content-disposition", 'attachment; filename="ledger.jsonl"')
        .send((await agent.ledgerExport({})).text),
  );
  server.post(
    "/api/ledger/reconcile",
    {
      // The agent's audit log has it.
      config: { role: "administrator", does: false },
      schema: {
        summary: "Charges the spending missing from an old copy of the ledger",
        description:
          "For an agent restored from an old backup. Until then nothing is spent. If this hospital only knows the position of a head, the body must give the amount to charge.",
        body: reconcileBody.nullish(),
        response: { 200: reconciledSchema },
      },
    },
    async ({ body, caller }) => {
      const reconciled = await agent.reconcile({ ...body, by: nameOf(caller) });
      await auditLog.copyFromAgent();
      return reconciled;
    },
  );
  routeEgress(server, context);
}

function routeEgress(server: HttpServer, { agent }: DecisionContext): void {
  server.get(
    "/api/egress",
    { config, schema: { summary: "The egress log", response: { 200: z.array(egressSchema) } } },
    async () => agent.egress({}),
  );
  server.get(
    "/api/egress/export",
    { config, schema: { summary: "The egress log as CSV", answerType: "text/csv" } },
    async (_, reply) =>
      reply
        .type("text/csv; charset=utf-8; header=present")
        .header("content-disposition", 'attachment; filename="egress.csv"')
        .send(egressCsv(await agent.egress({}))),
  );
}
