import { nameOf } from "@consilium/core/said";
import { fault } from "../fault.js";
import type { BackupRole } from "./manifest.js";

/** How many of the newest backups are kept: one of each day, ISO week and month, in UTC, that has any. */
export interface Rotation {
  readonly daily: number;
  readonly weekly: number;
  readonly monthly: number;
}

export const defaultRotation = "daily=7,weekly=4,monthly=12";

const dayMs = 86_400_000;
const keptMax = 1_000;

/**
 * @param written - such as `daily=7,weekly=4`; a key that is left out keeps none
 * @throws ConsiliumError USAGE
 */
export function parseRotation(written: string): Rotation {
  const rotation = { daily: 0, weekly: 0, monthly: 0 };
  const seen = new Set<string>();
  for (const part of written.split(",")) {
    const found = /^(daily|weekly|monthly)=(\d{1,4})$/.exec(part.trim());
    const [, key, count] = found ?? [];
    if (key === undefined || seen.has(key) || Number(count) > keptMax) refuse(written);
    seen.add(key);
    rotation[key as keyof Rotation] = Number(count);
  }
  if (rotation.daily + rotation.weekly + rotation.monthly === 0) refuse(written);
  return rotation;
}

function refuse(written: string): never {
  throw fault(
    "USAGE",
    "backup.rotation",
    { written: nameOf(written) },
    { remedy: { code: "backup.give-rotation", params: { max: keptMax, example: nameOf(defaultRotation) } } },
  );
}

/** Of one role, and of one site: `site-st-mary`. */
export function backupPrefix(role: BackupRole, site: string | null): string {
  return site === null ? role : `${role}-${site}`;
}

/** @param now - milliseconds since 1970 @returns such as `site-st-mary-20260102T030405Z.tar.age` */
export function backupName(prefix: string, now: number, encrypted: boolean): string {
  const time = new Date(now).toISOString().replace(/[-:]|\.\d+/g, "");
  return `${prefix}-${time}.tar${encrypted ? ".age" : ""}`;
}

/**
 * The names among a folder's that a rotation removes. Names that `backupName` would not give for this prefix are never among them,
 * and the newest backup is not either.
 */
export function expiredBackups(names: readonly string[], prefix: string, rotation: Rotation): string[] {
  const backups = names
    .flatMap((name) => {
      const at = madeAt(name, prefix);
      return at === null ? [] : [{ name, at }];
    })
    .sort((a, b) => b.at - a.at);
  const kept = new Set(backups.slice(0, 1).map(({ name }) => name));
  const keep = (count: number, periodOf: (at: number) => string | number) => {
    const periods = new Set<string | number>();
    for (const { name, at } of backups) {
      if (periods.has(periodOf(at))) continue;
      if (periods.size === count) return;
      periods.add(periodOf(at));
      kept.add(name);
    }
  };
  keep(rotation.daily, (at) => Math.floor(at / dayMs));
  // 1 January 1970 was a Thursday: weeks begin on Mondays.
  keep(rotation.weekly, (at) => Math.floor((at / dayMs + 3) / 7));
  keep(rotation.monthly, (at) => new Date(at).toISOString().slice(0, 7));
  return backups.flatMap(({ name }) => (kept.has(name) ? [] : [name]));
}

/** @returns milliseconds since 1970, or null for a name of anything else */
function madeAt(name: string, prefix: string): number | null {
  if (!name.startsWith(`${prefix}-`)) return null;
  const rest = name.slice(prefix.length + 1);
  const found = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.tar(?:\.age)?$/.exec(rest);
  if (found === null) return null;
  const [year, month, day, hour, minute, second] = found.slice(1);
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(at) ? null : at;
}
