import { useEffect, useState } from "react";
import { aggregator, type StudyCheck } from "../api";

/** The file is checked after this pause in typing. */
const pauseMs = 300;

export interface Check {
  /** The newest result; it may be for an earlier text. */
  readonly result: StudyCheck | null;
  readonly isChecking: boolean;
  readonly failure: unknown;
}

/**
 * The aggregator's check of a study as it is typed: every error, or its plan and cost.
 * @param text - null while it is not valid YAML: no request is sent
 */
export function useCheck(text: string | null): Check {
  const [check, setCheck] = useState<Check>({ result: null, isChecking: true, failure: null });
  useEffect(() => {
    if (text === null) {
      setCheck((before) => ({ ...before, isChecking: false }));
      return;
    }
    const abort = new AbortController();
    setCheck((before) => ({ ...before, isChecking: true }));
    const timer = setTimeout(async () => {
      try {
        const result = await aggregator.check(text, abort.signal);
        setCheck({ result, isChecking: false, failure: null });
      } catch (failure) {
        if (!abort.signal.aborted) setCheck({ result: null, isChecking: false, failure });
      }
    }, pauseMs);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [text]);
  return check;
}
