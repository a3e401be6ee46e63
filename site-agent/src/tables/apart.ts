import { stat } from "node:fs/promises";

/**
 * Whether another user than this process's reads the tables, as the door's socket tells.
 * @param door - its path; null where the agent starts the process that reads tables
 */
export async function isReadApart(door: string | null): Promise<boolean> {
  if (door === null) return false;
  const socket = await stat(door).catch(() => null);
  return socket !== null && socket.uid !== process.getuid?.();
}
