import { isOtherBuild } from "@consilium/core/version";
import { fault } from "../../data/fault.js";
import { tablePlace } from "../../data/place.js";
import { clusterOf, once } from "../../data/sources/spark/source.js";
import type { TableConfig } from "../../data/tableConfig.js";
import { readLine } from "../answer.js";
import { ByteReader } from "../byteReader.js";
import { otherVersion } from "../reading.js";
import { applications } from "./applications.js";

/**
 * Runs a job of one row on a table's cluster: whether an application starts, and an executor has Python with pyarrow, Node, and the
 * fold worker as it was shipped.
 * @throws ConsiliumError ENGINE_UNREACHABLE, ENGINE_INCOMPLETE, ENGINE_UNSAFE, ENGINE_VERSION, ENGINE_FAILED
 */
export async function probeCluster(config: TableConfig): Promise<void> {
  const asked = applications.use(clusterOf(config), null, async function* (application) {
    yield await application.probe();
  });
  for await (const told of asked) {
    const line = await readLine(new ByteReader(once(Buffer.from(told)))).catch(() => null);
    if (line !== null && "worker" in line) {
      if (isOtherBuild(line.worker)) throw otherVersion(line.worker);
      return;
    }
  }
  throw fault("ENGINE_FAILED", "executor.probe", { place: tablePlace(config.name) });
}
