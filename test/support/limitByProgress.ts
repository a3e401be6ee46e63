import { vi } from "vitest";

/** For tests whose waiting is under watchdogs: what these do not cover ends after half an hour. */
export function limitByProgress(): void {
  vi.setConfig({ testTimeout: 1_800_000, hookTimeout: 1_800_000 });
}
