import { execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkDisk } from "./disk.js";

const gibibyte = 1024 ** 3;
const ext4 = 0xef53;
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-disk-"));
  await chmod(folder, 0o700);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const facts = (type: number, freeBytes: number) => ({ read: async () => ({ type, freeBytes }) });

it("is content with a folder of one's own, and leaves nothing in it", async () => {
  expect(await checkDisk(folder, facts(ext4, 5 * gibibyte))).toEqual({
    status: "ok",
    found: `${folder} is writable; 5.0 GiB free`,
    remedy: null,
    forIt: null,
  });
  expect(await readdir(folder)).toEqual([]);
  // What this machine says of itself, whatever it is: no fault of a folder that was just made.
  expect((await checkDisk(folder)).status).not.toBe("fail");
});

it.each([
  [0x6969, "NFS"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB"],
])("refuses network share %#x", async (type, name) => {
  const found = await checkDisk(folder, facts(type, 5 * gibibyte));
  expect(found).toMatchObject({ status: "fail", found: expect.stringContaining(`network share (${name})`) });
});

it("warns of FUSE, of little room and of open doors, and fails for almost none", async () => {
  expect((await checkDisk(folder, facts(0x65735546, 5 * gibibyte))).found).toContain("FUSE");
  expect((await checkDisk(folder, facts(ext4, gibibyte / 2))).status).toBe("warn");
  expect((await checkDisk(folder, facts(ext4, 1024))).status).toBe("fail");
  await chmod(folder, 0o755);
  const open = await checkDisk(folder, facts(ext4, 5 * gibibyte));
  expect(open).toMatchObject({ status: "warn", remedy: `restrict it: chmod 700 ${folder}` });
  expect(await checkDisk(folder, { isOwn: false, ...facts(ext4, 5 * gibibyte) })).toMatchObject({
    status: "ok",
  });
});

it("says that a folder is missing, or is a file", async () => {
  expect((await checkDisk(join(folder, "none"))).found).toContain("ENOENT");
  await writeFile(join(folder, "file"), "");
  expect((await checkDisk(join(folder, "file"))).found).toContain("is not a folder");
});

/** Only who may mount can have a disk that is really full. */
function mounted(options: string): string | null {
  const point = join(folder, "disk");
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", point], { stdio: "ignore" });
    return point;
  } catch {
    return null;
  }
}

describe("of a real disk, where one can be mounted here", () => {
  let point: string | null = null;
  afterEach(() => {
    if (point !== null) execFileSync("umount", [point]);
    point = null;
  });

  it.each([
    ["size=64k,mode=700", "ENOSPC", "full"],
    ["size=4m,mode=700,ro", "EROFS", "read-only"],
  ])("says that one with %s is %s", async (options, code, words) => {
    await mkdir(join(folder, "disk"));
    point = mounted(options);
    if (point === null) {
      // Who may not mount is at least refused by a folder that is not his own; root is refused nothing.
      if (process.getuid?.() === 0) return;
      await chmod(join(folder, "disk"), 0o500);
      expect((await checkDisk(join(folder, "disk"))).found).toContain("EACCES");
      return;
    }
    const found = await checkDisk(point);
    expect(found.status).toBe("fail");
    expect(found.found).toContain(code);
    expect(found.remedy).toContain(words);
  });
});
