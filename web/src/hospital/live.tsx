import type { SiteEventView } from "@consilium/core/hospital/eventViews";
import { useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect, useRef } from "react";
import { useEvents } from "../shared/events";
import { staleKeys } from "./staleKeys";

interface Live {
  readonly event: SiteEventView | null;
  readonly isLost: boolean;
}

const Current = createContext<Live>({ event: null, isLost: false });

/** The site's current state; only below `LiveSite`. */
export function useLiveSite(): Live {
  return useContext(Current);
}

/** Keeps its children up to date: refetches what the agent reports as changed. */
export function LiveSite({ children }: { readonly children: ReactNode }) {
  const queries = useQueryClient();
  const { value, state } = useEvents<SiteEventView>("/api/events");
  const before = useRef<SiteEventView | null>(null);
  useEffect(() => {
    if (value === null) return;
    for (const key of staleKeys(before.current, value)) void queries.invalidateQueries({ queryKey: [key] });
    before.current = value;
  }, [value, queries]);
  return <Current value={{ event: value, isLost: state === "lost" }}>{children}</Current>;
}
