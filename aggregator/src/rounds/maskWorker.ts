/** A thread of `maskThreads.ts`: adds keystreams to its part of a sum, and ends. */
import { parentPort, workerData } from "node:worker_threads";
import { installTransfer } from "@consilium/runtime/arrayBufferTransfer";
import { addMasks } from "@consilium/secure-sum/masks";
import type { MaskTask } from "./maskThreads.js";

installTransfer();
const { part, masks, from } = workerData as MaskTask;
addMasks(part, masks, from);
parentPort!.postMessage(part, [part.buffer as ArrayBuffer]);
