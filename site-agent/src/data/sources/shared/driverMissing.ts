import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { nameOf } from "@consilium/core/said";
import { codeOf, fault, remedied } from "../../fault.js";

/**
 * The fault for a driver that a hospital adds to the folder of its kind, whose package.json names it.
 * @param url - of a module in that folder
 */
export function driverMissing(product: string, url: string, thrown: unknown): unknown {
  if (codeOf(thrown) !== "ERR_MODULE_NOT_FOUND") return thrown;
  const folder = dirname(fileURLToPath(url));
  const remedy = remedied("database.install-driver", { folder: nameOf(folder) });
  return fault("CONFIG_INVALID", "database.no-driver", { product: nameOf(product) }, remedy);
}
