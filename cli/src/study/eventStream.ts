/** One event of a server-sent event stream. */
interface ServerSentEvent {
  readonly type: string;
  readonly data: string;
  readonly lastEventId: string;
}

/** A single event's text is never larger: a stream without line ends must not exhaust memory. */
const bufferMaxChars = 64 * 1024 * 1024;

/**
 * Parses `text/event-stream` as it arrives, in pieces cut anywhere (HTML Living Standard, section 9.2.6).
 * An event that the stream's end cuts off is dropped, as the standard says.
 */
export class EventStreamParser {
  #buffer = "";
  #started = false;
  #type = "";
  #data: string[] = [];
  #lastEventId = "";
  /** The server's requested pause before reconnecting, if any. */
  retryMs: number | undefined;

  /** Accepts the next piece and returns the completed events. */
  push(piece: string): ServerSentEvent[] {
    this.#buffer += piece;
    if (this.#buffer.length > bufferMaxChars) throw new RangeError("an event exceeds its size limit");
    if (!this.#started && this.#buffer !== "") {
      this.#started = true;
      if (this.#buffer.startsWith("\ufeff")) this.#buffer = this.#buffer.slice(1);
    }
    const events: ServerSentEvent[] = [];
    let from = 0;
    for (;;) {
      const end = lineEnd(this.#buffer, from);
      if (end === undefined) break;
      const event = this.#line(this.#buffer.slice(from, end.at));
      if (event !== undefined) events.push(event);
      from = end.next;
    }
    this.#buffer = this.#buffer.slice(from);
    return events;
  }

  #line(line: string): ServerSentEvent | undefined {
    if (line === "") return this.#dispatch();
    const colon = line.indexOf(":");
    if (colon === 0) return undefined;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (field === "data") this.#data.push(value);
    else if (field === "event") this.#type = value;
    else if (field === "id" && !value.includes("\0")) this.#lastEventId = value;
    else if (field === "retry" && /^\d+$/.test(value)) this.retryMs = Number(value);
    return undefined;
  }

  #dispatch(): ServerSentEvent | undefined {
    const event =
      this.#data.length === 0
        ? undefined
        : { type: this.#type || "message", data: this.#data.join("\n"), lastEventId: this.#lastEventId };
    this.#data = [];
    this.#type = "";
    return event;
  }
}

/** A line ends with LF, CR LF or CR; a CR at the buffer's end may be half of CR LF, so it waits for more. */
function lineEnd(text: string, from: number): { at: number; next: number } | undefined {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 10) return { at, next: at + 1 };
    if (code === 13) {
      if (at + 1 === text.length) return undefined;
      return { at, next: text.charCodeAt(at + 1) === 10 ? at + 2 : at + 1 };
    }
  }
  return undefined;
}
