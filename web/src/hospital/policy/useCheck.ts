import type { PolicyCheckView } from "@consilium/core/hospital/policyViews";
import { useEffect, useState } from "react";
import { hospital } from "../api";

export interface Check {
  /** For the text that was checked last; null before the first check. */
  readonly view: PolicyCheckView | null;
  readonly state: "checking" | "checked";
  readonly error: unknown;
}

const pauseMs = 400;

/**
 * Has the agent check a policy's text whenever typing pauses.
 * @param version - of the file in force: the effect of a text depends on it
 */
export function useCheck(text: string, version: string | null): Check {
  const [check, setCheck] = useState<Check>({ view: null, state: "checking", error: null });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the answer also depends on the file in force
  useEffect(() => {
    const stop = new AbortController();
    setCheck((before) => ({ ...before, state: "checking" }));
    const timer = setTimeout(() => {
      hospital.checkPolicy(text, stop.signal).then(
        (view) => setCheck({ view, state: "checked", error: null }),
        (error: unknown) => {
          if (!stop.signal.aborted) setCheck((before) => ({ ...before, state: "checked", error }));
        },
      );
    }, pauseMs);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [text, version]);
  return check;
}
