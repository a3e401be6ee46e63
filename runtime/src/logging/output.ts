import { type CatalogueEvent, events, isEventMessage } from "@consilium/core/logging/events";
import type { DestinationStream } from "pino";
import { destination } from "pino";
import { type EcsLine, ecsLine, type LogOrigin, type LogRecord, textLine } from "./ecs.js";
import type { LogsSettings } from "./settings.js";

/** Tells whether a line stays where it is written. */
function isLocal(message: string): boolean {
  const event: CatalogueEvent | null = isEventMessage(message) ? events[message] : null;
  return event?.isLocal === true;
}

/** Where else lines go, in ECS fields. */
type TakesLines = (line: EcsLine, record: LogRecord) => void;

/**
 * What takes a logger's lines: writes each at once, in the configured format, and hands it to those that send it.
 * @param stream - for tests
 */
export function logOutput(
  { format, stream: named }: Pick<LogsSettings, "format" | "stream">,
  {
    origin,
    sends = [],
    stream = destination({ dest: named === "stdout" ? 1 : 2, sync: true }),
  }: {
    readonly origin: LogOrigin;
    readonly sends?: readonly TakesLines[];
    readonly stream?: DestinationStream;
  },
): DestinationStream {
  return {
    write: (text) => {
      if (format === "json" && sends.length === 0) {
        stream.write(text);
        return;
      }
      const record = JSON.parse(text) as LogRecord;
      const line = ecsLine(record, origin);
      if (format === "json") stream.write(text);
      else stream.write(`${format === "ecs" ? JSON.stringify(line) : textLine(record)}\n`);
      if (isLocal(record.msg)) return;
      for (const send of sends) send(line, record);
    },
  };
}
