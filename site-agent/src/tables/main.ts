import { Socket } from "node:net";
import { setFlagsFromString } from "node:v8";
import { installTransfer } from "@consilium/runtime/arrayBufferTransfer";
import { heapGrowth } from "@consilium/runtime/heapGrowth";
import { enforceTlsPolicy } from "@consilium/runtime/tls/policy";
import { outliveRejections } from "../rejections.js";
import { receiveMessages, sendMessage } from "./frames.js";
import type { FromTables, ToTables } from "./messages.js";
import { TableServer } from "./server.js";

/**
 * The process that reads the hospital's tables. The agent or its door starts it (`startProcess.ts`), and it ends with the agent. It has the secrets that tables and
 * their sources are hashed under and no other key, and no connection but those to the hospital's own databases and cluster; of the machine it has what `needs.ts` names. It says nothing but what the agent asks.
 */
enforceTlsPolicy();
setFlagsFromString(heapGrowth);
installTransfer();
// The pipe that it was started with.
const agent = new Socket({ fd: 3, readable: true, writable: true });
outliveRejections(() => send({ rejected: true }));

// Without threads, which Node's permission model does not bind.
const kernels = async () => (await import("@consilium/kernels/inlineGram")).openInlineGram();
const server = new TableServer(send, kernels);
receiveMessages(agent, (message) => void server.take(message as ToTables));
// The agent ends it: signals are for the agent, which may still have something to ask.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);
agent.on("error", () => undefined);
agent.once("close", () => {
  void server.close().finally(() => process.exit(0));
});

function send(message: FromTables): void {
  // Where the agent has ended there is nobody to answer.
  if (agent.writable) sendMessage(agent, message);
}
