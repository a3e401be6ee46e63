import { tmpdir } from "node:os";
import { DiskSpace } from "../../src/store/diskSpace.js";

/** A disk without a reserve: for tests of something else. */
export function testDisk(folder = tmpdir()): DiskSpace {
  return new DiskSpace({ folder, reserveMiB: 0 });
}
