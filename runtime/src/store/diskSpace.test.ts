import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { createMetrics } from "../metrics.js";
import { DiskFull } from "./diskFull.js";
import { DiskSpace, measureDisk } from "./diskSpace.js";
import { openStore } from "./store.js";

const root = await mkdtemp(join(tmpdir(), "consilium-disk-space-"));
afterAll(() => rm(root, { recursive: true, force: true }));

const mebibyte = 1024 ** 2;
const full = () => Object.assign(new Error("no room"), { code: "ENOSPC" });

/** A disk whose free bytes a test sets; what is written to it goes to a real folder. */
function diskOf(freeMiB: number, folder = root) {
  const state = { free: freeMiB * mebibyte };
  const disk = new DiskSpace({ folder, reserveMiB: 8, free: () => state.free });
  return { disk, state };
}

describe("the reserve", () => {
  it("refuses what would use it, with the folder, what is free and what is needed", () => {
    const { disk } = diskOf(10);
    disk.demand("a new study");
    disk.demand("an upload", 2 * mebibyte);
    expect(() => disk.demand("an upload", 2 * mebibyte + 1)).toThrow(
      expect.objectContaining({
        code: "DISK_FULL",
        message: `${root}: 10 MiB free; 8 MiB kept in reserve and 2 MiB needed for an upload`,
      }),
    );
    // What was refused is no write that failed.
    expect(disk.fault()).toBeNull();
  });

  it("makes a process unready while less is free", () => {
    const { disk, state } = diskOf(7);
    expect(disk.fault()?.message).toBe(`${root}: 7 MiB free; 8 MiB kept in reserve`);
    expect(() => disk.demand("a new study")).toThrow(/7 MiB free, not enough for a new study; 8 MiB/);
    state.free = 8 * mebibyte;
    expect(disk.fault()).toBeNull();
  });

  it("of nothing leaves it to the writes", () => {
    const disk = new DiskSpace({ folder: root, reserveMiB: 0, free: () => 0 });
    disk.demand("a new study", mebibyte);
    expect(disk.fault()).toBeNull();
  });
});

describe("a write that failed", () => {
  it("is told until one succeeds, whatever is said to be free", async () => {
    const gone = join(root, "gone");
    const { disk } = diskOf(1_000, gone);
    expect(disk.failure(full())).toBeInstanceOf(DiskFull);
    expect(disk.fault()).toMatchObject({ code: "DISK_FULL" });
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect(disk.fault(), "nothing can be written there").not.toBeNull();

    const { disk: other } = diskOf(1_000);
    other.failure(full());
    expect(other.fault()).not.toBeNull();
    await expect.poll(() => other.fault()).toBeNull();
  });

  it("for another reason changes nothing", () => {
    const { disk } = diskOf(1_000);
    const other = new RangeError("a bug");
    expect(disk.failure(other)).toBe(other);
    expect(disk.fault()).toBeNull();
  });

  it("of a store is heard of, and tried again there", async () => {
    const store = openStore(join(root, "state.db"), ["CREATE TABLE t (x INTEGER) STRICT"]);
    const { disk } = diskOf(1_000);
    disk.watch(store);
    // To SQLite a database with as many pages as it may have is a full disk.
    const { page_count: pages } = store.get("PRAGMA page_count")!;
    store.get(`PRAGMA max_page_count = ${Number(pages)}`);
    const fill = () =>
      store.transaction(() => {
        for (let n = 0; n < 5_000; n++) store.run("INSERT INTO t VALUES (?)", n);
      });
    expect(fill).toThrow(expect.objectContaining({ code: "DISK_FULL" }));
    expect(store.all("SELECT x FROM t")).toEqual([]);
    expect(disk.fault()?.message.startsWith(`${root}: disk full`)).toBe(true);
    const probe = vi.spyOn(store, "probe").mockImplementationOnce(fill);
    await expect.poll(() => probe.mock.calls.length + (disk.fault() === null ? 10 : 0)).toBe(1);
    expect(disk.fault(), "the store has no room yet").not.toBeNull();
    store.get("PRAGMA max_page_count = 1000000");
    await expect.poll(() => disk.fault()).toBeNull();
    fill();
    store.close();
  });
});

describe("waiting for room", () => {
  it("ends when the reserve and what is needed are free", async () => {
    const { disk, state } = diskOf(8);
    let isOver = false;
    const waiting = disk.room(2 * mebibyte, new AbortController().signal).then(() => {
      isOver = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(isOver).toBe(false);
    state.free = 10 * mebibyte;
    await waiting;
  });

  it("ends with the signal", async () => {
    const { disk } = diskOf(1);
    const abort = new AbortController();
    const waiting = disk.room(0, abort.signal);
    abort.abort(new RangeError("cancelled"));
    await expect(waiting).rejects.toThrow("cancelled");
  });
});

it("is measured", async () => {
  const { disk } = diskOf(7);
  const metrics = createMetrics({ service: "test", version: "0", processMetrics: false });
  measureDisk(metrics, disk);
  const { body } = await metrics.render();
  expect(body).toContain(`consilium_disk_free_bytes{service="test"} ${7 * mebibyte}`);
  expect(body).toContain(`consilium_disk_reserve_bytes{service="test"} ${8 * mebibyte}`);
  expect(body).toContain('consilium_disk_full{service="test"} 1');
});
