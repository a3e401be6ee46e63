/** Receivers of a log, for tests: syslog over TLS as RFC 5425 has it, and OTLP over HTTP. */
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo, Server, Socket } from "node:net";
import { createServer as createTlsServer, type TlsOptions } from "node:tls";

interface TestReceiver<T> {
  readonly port: number;
  readonly received: readonly T[];
  close(): Promise<void>;
}

export interface SyslogMessage {
  readonly facility: number;
  readonly severity: number;
  readonly timestamp: string;
  readonly appName: string;
  readonly processId: string;
  readonly messageId: string;
  readonly line: Readonly<Record<string, unknown>>;
}

/** The messages of a stream of octet-counted frames, and the bytes that are still none. Throws at any other byte. */
export function takeFrames(bytes: Buffer): { readonly messages: SyslogMessage[]; readonly rest: Buffer } {
  const messages: SyslogMessage[] = [];
  let rest = bytes;
  for (;;) {
    const space = rest.indexOf(0x20);
    if (space === -1) return { messages, rest };
    const count = rest.subarray(0, space).toString("latin1");
    if (!/^[1-9]\d{0,6}$/.test(count)) throw new Error("a frame does not begin with its length");
    const end = space + 1 + Number(count);
    if (rest.length < end) return { messages, rest };
    messages.push(readSyslog(rest.subarray(space + 1, end).toString("utf8")));
    rest = rest.subarray(end);
  }
}

/** RFC 5424 §6, with the message as JSON. */
export function readSyslog(text: string): SyslogMessage {
  const header =
    /^<(\d{1,3})>1 (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{1,6}Z) ([\x21-\x7e]{1,255}) ([\x21-\x7e]{1,48}) ([\x21-\x7e]{1,128}) ([\x21-\x7e]{1,32}) - /.exec(
      text,
    );
  if (header === null) throw new Error("the header is not RFC 5424's");
  const [whole, priority, timestamp, , appName, processId, messageId] = header;
  return {
    facility: Math.floor(Number(priority) / 8),
    severity: Number(priority) % 8,
    timestamp: timestamp!,
    appName: appName!,
    processId: processId!,
    messageId: messageId!,
    line: JSON.parse(text.slice(whole.length)) as SyslogMessage["line"],
  };
}

/** @param options.port - 0 takes a free one */
export async function syslogReceiverForTests(
  tls: TlsOptions,
  { port = 0 } = {},
): Promise<TestReceiver<SyslogMessage>> {
  const received: SyslogMessage[] = [];
  const sockets = new Set<Socket>();
  const server = createTlsServer(tls, (socket) => {
    let rest = Buffer.alloc(0);
    socket.on("data", (bytes) => {
      const taken = takeFrames(Buffer.concat([rest, bytes]));
      received.push(...taken.messages);
      rest = Buffer.from(taken.rest);
    });
    socket.on("error", () => undefined);
  });
  return listening(server, port, received, sockets);
}

export interface OtlpRecord {
  readonly resource: Readonly<Record<string, unknown>>;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly record: {
    readonly timeUnixNano: string;
    readonly severityNumber: number;
    readonly severityText: string;
    readonly body: { readonly stringValue: string };
    readonly eventName?: string;
    readonly traceId?: string;
  };
  readonly authorization: string | undefined;
}

/** @param statusOf - the answer to each request; what is not 200 is not taken */
export async function otlpReceiverForTests(
  statusOf: () => number = () => 200,
  { port = 0 } = {},
): Promise<TestReceiver<OtlpRecord>> {
  const received: OtlpRecord[] = [];
  const sockets = new Set<Socket>();
  const server = createHttpServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const status = request.method === "POST" && request.url === "/v1/logs" ? statusOf() : 404;
    if (status === 200) {
      const { authorization } = request.headers;
      received.push(
        ...recordsOf(JSON.parse(Buffer.concat(chunks).toString("utf8"))).map((one) => ({
          ...one,
          authorization,
        })),
      );
    }
    response.writeHead(status, { "content-type": "application/json" }).end("{}");
  });
  return listening(server, port, received, sockets);
}

interface KeyValue {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

function recordsOf(request: {
  readonly resourceLogs: readonly {
    readonly resource: { readonly attributes: readonly KeyValue[] };
    readonly scopeLogs: readonly {
      readonly logRecords: readonly (OtlpRecord["record"] & { readonly attributes: readonly KeyValue[] })[];
    }[];
  }[];
}): Omit<OtlpRecord, "authorization">[] {
  return request.resourceLogs.flatMap(({ resource, scopeLogs }) =>
    scopeLogs.flatMap(({ logRecords }) =>
      logRecords.map((record) => ({
        record,
        resource: valuesOf(resource.attributes),
        attributes: valuesOf(record.attributes),
      })),
    ),
  );
}

const valuesOf = (attributes: readonly KeyValue[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    attributes.map(({ key, value }) => {
      const { stringValue, intValue, boolValue, arrayValue } = value as {
        stringValue?: string;
        intValue?: string;
        boolValue?: boolean;
        arrayValue?: { values: readonly { stringValue: string }[] };
      };
      const read = intValue === undefined ? (stringValue ?? boolValue) : Number(intValue);
      return [key, read ?? arrayValue?.values.map((one) => one.stringValue)];
    }),
  );

async function listening<T>(
  server: Server,
  port: number,
  received: readonly T[],
  sockets: Set<Socket>,
): Promise<TestReceiver<T>> {
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    received,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
