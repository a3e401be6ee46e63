import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { ConsiliumError } from "@consilium/core/errors";

/**
 * The fault for a driver that a hospital adds to the folder of its kind, whose package.json names it.
 * @param url - of a module in that folder
 */
export function driverMissing(product: string, url: string, thrown: unknown): unknown {
  if (!(thrown instanceof Error) || Reflect.get(thrown, "code") !== "ERR_MODULE_NOT_FOUND") return thrown;
  const folder = dirname(fileURLToPath(url));
  return new ConsiliumError("CONFIG_INVALID", `the driver of ${product} is not installed here`, {
    remedy: `run \`npm install --prefix ${folder} --ignore-scripts\`; on a machine without network carry the folder node_modules that it makes elsewhere (docs/HOSPITAL.md, "A query as a table")`,
  });
}
