import type { ConsoleView } from "@consilium/core/operator/consoleViews";
import { useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect } from "react";
import { Loading, Notice } from "../shared/components";
import { type StreamState, useEvents } from "../shared/events";
import { t } from "../shared/language";

interface Overview {
  /** Null until the first one arrives. */
  readonly view: ConsoleView | null;
  readonly state: StreamState;
}

const Current = createContext<Overview>({ view: null, state: "opening" });

/** One stream for all pages of the console. */
export function OverviewProvider({ children }: { readonly children: ReactNode }) {
  const { value, state } = useEvents<ConsoleView>("/api/events");
  const queries = useQueryClient();
  useEffect(() => {
    // A stream does not report why it was refused: the session may have ended.
    if (state === "lost") void queries.invalidateQueries({ queryKey: ["session"] });
  }, [state, queries]);
  return <Current value={{ view: value, state }}>{children}</Current>;
}

export function useOverview(): Overview {
  return useContext(Current);
}

/** Shows its children once the federation is loaded; keeps the last state in view while disconnected. */
export function WithOverview({ children }: { readonly children: (view: ConsoleView) => ReactNode }) {
  const { view, state } = useOverview();
  const lost =
    state === "lost" ? (
      <Notice tone="warn" title={t("Connection to the aggregator lost; reconnecting automatically.")}>
        {view === null ? null : <p>{t("The page shows the last known state.")}</p>}
      </Notice>
    ) : null;
  if (view === null) return lost ?? <Loading what={t("the federation")} />;
  return (
    <>
      {lost}
      {children(view)}
    </>
  );
}
