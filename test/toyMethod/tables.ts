import { Socket } from "node:net";
import { receiveMessages, sendMessage } from "@consilium/site-agent/tables/frames";
import type { ToTables } from "@consilium/site-agent/tables/messages";
import { TableServer } from "@consilium/site-agent/tables/server";
import { siteMethods } from "./toy.js";

/** The process that reads a hospital's tables, with one method more. */
const agent = new Socket({ fd: 3, readable: true, writable: true });
const server = new TableServer(
  (message) => sendMessage(agent, message),
  async () => (await import("@consilium/kernels/open")).openKernels({}),
  siteMethods(),
);
receiveMessages(agent, (message) => void server.take(message as ToTables));
agent.once("close", () => void server.close().finally(() => process.exit(0)));
