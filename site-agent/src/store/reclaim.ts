import type { Store } from "@consilium/runtime/store/store";

/** Free room within the file below this is left for what comes next. */
const worthBytes = 16 * 1024 * 1024;

/**
 * Gives the disk back what lies unused in the store's file, such as after texts were removed. It writes the store anew,
 * so it is for the agent's start.
 * @returns whether it did so
 */
export function reclaimSpace(store: Store): boolean {
  const pragma = (name: string) => Number(Object.values(store.get(`PRAGMA ${name}`) ?? {})[0] ?? 0);
  const [free, pages, size] = [pragma("freelist_count"), pragma("page_count"), pragma("page_size")];
  if (free * size < worthBytes || free * 2 < pages) return false;
  store.run("VACUUM");
  store.get("PRAGMA wal_checkpoint(TRUNCATE)");
  return true;
}
