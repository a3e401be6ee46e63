import { type SpawnOptions, spawn, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("tell.ts", import.meta.url));
const loopbackUp = "ip link set lo up";
const ownNetwork = ["--net", "--map-root-user", "sh", "-c"];

/**
 * Tells the story where the usual ports are free: in a network of its own that has nothing but a loopback, where the
 * operating system lets us make one, and else on this machine's.
 * @param args - of tell.ts
 */
export function tellIsolated(args: readonly string[], options: Pick<SpawnOptions, "stdio" | "env">) {
  const command = [process.execPath, "--import", "tsx", program, ...args];
  const isAllowed = spawnSync("unshare", [...ownNetwork, loopbackUp]).status === 0;
  return isAllowed
    ? spawn("unshare", [...ownNetwork, `${loopbackUp} && exec "$@"`, "sh", ...command], options)
    : spawn(command[0]!, command.slice(1), options);
}
