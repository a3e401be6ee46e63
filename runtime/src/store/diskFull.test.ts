import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import { afterAll, describe, expect, it } from "vitest";
import { DiskFull, diskFull, freeBytesOf, saysDiskFull, writeFailure, writeFault } from "./diskFull.js";

const folder = await mkdtemp(join(tmpdir(), "consilium-disk-full-"));
afterAll(() => rm(folder, { recursive: true, force: true }));

const coded = (code: string, cause?: unknown) => Object.assign(new Error("secret", { cause }), { code });

describe("a failed write", () => {
  it.each(["ENOSPC", "EDQUOT", "SQLITE_FULL", "53100"])("of code %s says that the disk is full", (code) => {
    expect(saysDiskFull(coded(code))).toBe(true);
    expect(saysDiskFull(new Error("around it", { cause: coded(code) }))).toBe(true);
  });

  it.each(["EIO", "EFBIG", "SQLITE_BUSY", "SQLITE_IOERR_WRITE", "SQLITE_CANTOPEN", "53300"])(
    "of code %s does not, where a further write succeeds",
    (code) => {
      expect(saysDiskFull(coded(code), folder)).toBe(false);
    },
  );

  it("that is no error, or ours already, is left as it is", () => {
    const ours = new ConsiliumError("STORE_LOST", "lost", { cause: coded("ENOSPC") });
    for (const thrown of [ours, null, "ENOSPC", coded("EIO")])
      expect(writeFailure(thrown, folder)).toBe(thrown);
  });

  it("names the folder, what is free and what is needed, and nothing of the cause", () => {
    const failure = writeFailure(coded("ENOSPC"), folder, 3 * 1024 ** 2);
    expect(failure).toBeInstanceOf(DiskFull);
    const { code, message, neededBytes } = failure as DiskFull;
    expect(code).toBe("DISK_FULL");
    expect(message.startsWith(`${folder}: disk full, `)).toBe(true);
    expect(message).toMatch(/[\d.]+ [KMGT]iB free, 3 MiB needed for this write$/);
    expect(message).not.toContain("secret");
    expect(neededBytes).toBe(3 * 1024 ** 2);
  });

  it("of a quota says so, for the disk itself may have room", () => {
    expect(diskFull(folder, { cause: coded("EDQUOT") }).message).toContain("disk quota exceeded");
  });
});

describe("a probe", () => {
  it("writes and leaves nothing", async () => {
    expect(writeFault(folder)).toBeNull();
    expect(await readdir(folder)).toEqual([]);
  });

  it("gives the system's code where nothing can be written", () => {
    expect(writeFault(join(folder, "absent"))).toBe("ENOENT");
    expect(freeBytesOf(join(folder, "absent"))).toBeNull();
    expect(freeBytesOf(folder)).toBeGreaterThan(0);
  });
});
