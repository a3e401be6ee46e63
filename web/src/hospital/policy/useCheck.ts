import type { PolicyCheckView } from "@consilium/core/hospital/policyViews";
import { useEffect, useState } from "react";
import { hospital } from "../api";

export interface Check {
  /** Of the text as it was when it was last checked; null before the first time. */
  readonly view: PolicyCheckView | null;
  readonly state: "checking" | "checked";
  readonly error: unknown;
}

const pauseMs = 400;

/** Has a policy's text checked by the agent whenever nobody has typed for a moment. */
export function useCheck(text: string): Check {
  const [check, setCheck] = useState<Check>({ view: null, state: "checking", error: null });
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
  }, [text]);
  return check;
}
