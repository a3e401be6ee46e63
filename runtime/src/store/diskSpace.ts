import { setTimeout as delay } from "node:timers/promises";
import { formatBytes } from "@consilium/core/units";
import { z } from "zod";
import type { Metrics } from "../metrics.js";
import { DiskFull, freeBytesOf, writeFailure, writeFault } from "./diskFull.js";
import type { OpenStore } from "./store.js";

const mebibyte = 1024 ** 2;

/** Keys of a process's `config.yaml` on the room that it keeps. */
export const diskConfigShape = {
  /**
   * Below so many MiB free in the state folder nothing new is begun, so that what is under way can still be written
   * down. 0: only a write that fails counts.
   */
  diskReserveMiB: z.int().min(0).max(1_048_576).default(64),
};

/** How often a full disk is tried again. */
const tryAgainMs = 1_000;

/**
 * Disk space of a process's state folder: free bytes, reserve, and whether the last write failed for lack of space.
 */
export class DiskSpace {
  readonly folder: string;
  readonly reserveBytes: number;
  readonly #free: (folder: string) => number | null;
  readonly #stores: OpenStore[] = [];
  #failed: DiskFull | null = null;
  #triedAt = Number.NEGATIVE_INFINITY;

  /** @param options.free - how the system is asked: for tests */
  constructor(options: {
    readonly folder: string;
    readonly reserveMiB: number;
    readonly free?: (folder: string) => number | null;
  }) {
    this.folder = options.folder;
    this.reserveBytes = options.reserveMiB * mebibyte;
    this.#free = options.free ?? freeBytesOf;
  }

  /** Bytes that are free; null where the system does not say. */
  get freeBytes(): number | null {
    return this.#free(this.folder);
  }

  /** Hears of the store's failures, and tries it when it asks whether there is room again. */
  watch(store: OpenStore): void {
    this.#stores.push(store);
    store.observeFull((fault) => this.#note(fault));
  }

  /**
   * Before something new is begun.
   * @param what - it is, for the message: `a study`
   * @param bytes - that it writes, as far as is known
   * @throws DISK_FULL if it would use the reserve
   */
  demand(what: string, bytes = 0): void {
    const fault = this.#shortage(bytes, what);
    if (fault !== null) throw fault;
  }

  /** What was thrown while something was written: DISK_FULL, noted, if the disk was full. */
  failure(thrown: unknown): unknown {
    const failure = writeFailure(thrown, this.folder);
    if (failure instanceof DiskFull) this.#note(failure);
    return failure;
  }

  /** Why this process is not ready for anything new; null while there is room. Tries again what failed before. */
  fault(): DiskFull | null {
    this.#tryAgain(0);
    return this.#failed ?? this.#shortage(0, null);
  }

  /**
   * Resolves once there is space for the reserve and the needed bytes, and writes succeed.
   * @throws the signal's reason when that is aborted
   */
  async room(neededBytes: number, signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      this.#tryAgain(neededBytes);
      if (this.#failed === null && this.#shortage(neededBytes, null) === null) return;
      await delay(tryAgainMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  #note(fault: DiskFull): void {
    // A refusal below the reserve is no failed write: what is free says the same, for as long as it lasts.
    if (fault instanceof Shortage) return;
    this.#failed = fault;
    this.#triedAt = performance.now();
  }

  #shortage(bytes: number, what: string | null): DiskFull | null {
    const free = this.freeBytes;
    if (free === null || this.reserveBytes === 0 || free >= this.reserveBytes + bytes) return null;
    const needs = [
      `${formatBytes(this.reserveBytes)} kept in reserve`,
      ...(bytes > 0 ? [`${formatBytes(bytes)} needed${what === null ? "" : ` for ${what}`}`] : []),
    ];
    const without = what === null || bytes > 0 ? "" : `, not enough for ${what}`;
    return new Shortage(`${this.folder}: ${formatBytes(free)} free${without}; ${needs.join(" and ")}`, bytes);
  }

  /** A write that succeeds ends the failure; not tried more often than is worth its flush to the disk. */
  #tryAgain(neededBytes: number): void {
    if (this.#failed === null || performance.now() - this.#triedAt < tryAgainMs) return;
    this.#triedAt = performance.now();
    const bytes = Math.min(mebibyte, Math.max(neededBytes, this.#failed.neededBytes, 64 * 1024));
    const code = writeFault(this.folder, bytes);
    if (code !== null) return;
    try {
      for (const store of this.#stores) store.probe();
      this.#failed = null;
    } catch {
      // It is full as before; the store has told of it.
    }
  }
}

/** Less than the reserve: nothing has failed yet. */
class Shortage extends DiskFull {
  constructor(message: string, neededBytes: number) {
    super(message, { neededBytes });
  }
}

/** Free bytes and reserve of a process's state folder. */
export function measureDisk(metrics: Metrics, disk: DiskSpace): void {
  metrics.gauge({
    name: "consilium_disk_free_bytes",
    help: "Free bytes on the state folder's disk.",
    collect() {
      this.set(disk.freeBytes ?? Number.NaN);
    },
  });
  metrics.gauge({
    name: "consilium_disk_reserve_bytes",
    help: "Free bytes below which nothing new is started.",
    collect() {
      this.set(disk.reserveBytes);
    },
  });
  metrics.gauge({
    name: "consilium_disk_full",
    help: "1 while less than the reserve is free, or after a write failed for lack of space; otherwise 0.",
    collect() {
      this.set(disk.fault() === null ? 0 : 1);
    },
  });
}
