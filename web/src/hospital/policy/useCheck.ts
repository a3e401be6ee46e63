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

/**
 * Has a policy's text checked by the agent whenever nobody has typed for a moment.
 * @param version - of the file that holds: what a text would change is another thing under another one
 */
export function useCheck(text: string, version: string | null): Check {
  const [check, setCheck] = useState<Check>({ view: null, state: "checking", error: null });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the answer rests on the file that holds, too
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
