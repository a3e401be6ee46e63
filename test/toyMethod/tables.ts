import type { ToTables } from "@consilium/site-agent/tables/messages";
import { TableServer } from "@consilium/site-agent/tables/server";
import { siteMethods } from "./toy.js";

/** The process that reads a hospital's tables, with one method more. */
const server = new TableServer(
  (message) => process.send?.(message),
  async () => (await import("@consilium/kernels/open")).openKernels({}),
  siteMethods(),
);
process.on("message", (message) => void server.take(message as ToTables));
process.once("disconnect", () => void server.close().finally(() => process.exit(0)));
