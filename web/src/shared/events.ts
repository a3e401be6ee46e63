import { useEffect, useRef, useState } from "react";
import { asLines } from "./said";

/** `lost`: the browser reconnects. `ended`: the service closed the stream. */
export type StreamState = "opening" | "live" | "lost" | "ended";

const reopenMs = 3_000;

/**
 * Server-sent events, each a JSON value; reconnects automatically, and keeps the newest value.
 * @param url - null: no stream
 * @param isLast - whether a value is the last one, after which the service closes the stream
 */
export function useEvents<T>(
  url: string | null,
  isLast: (value: T) => boolean = () => false,
): { readonly value: T | null; readonly state: StreamState } {
  const [value, setValue] = useState<T | null>(null);
  const [state, setState] = useState<StreamState>("opening");
  const last = useRef(isLast);
  last.current = isLast;
  useEffect(() => {
    if (url === null) return;
    setValue(null);
    setState("opening");
    let source: EventSource;
    let again: ReturnType<typeof setTimeout> | undefined;
    const open = () => {
      source = new EventSource(url);
      source.onopen = () => setState("live");
      source.onmessage = (event: MessageEvent<string>) => {
        const received = asLines(JSON.parse(event.data)) as T;
        setValue(received);
        if (!last.current(received)) return;
        setState("ended");
        source.close();
      };
      source.onerror = () => {
        setState("lost");
        // A response that is not a stream, such as a proxy's while the service restarts, ends the browser's own
        // reconnects.
        if (source.readyState === EventSource.CLOSED) again = setTimeout(open, reopenMs);
      };
    };
    open();
    return () => {
      clearTimeout(again);
      source.close();
    };
  }, [url]);
  return { value, state };
}
