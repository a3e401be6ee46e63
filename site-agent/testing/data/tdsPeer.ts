import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { Duplex } from "node:stream";
import { TLSSocket } from "node:tls";

/**
 * What a SQL Server says on the wire, written by hand after [MS-TDS] 7.4, for tests of how its driver is used: it signs in
 * one user, begins and ends transactions, and answers statements from a list. It is no database and proves nothing about
 * SQL Server's own SQL.
 */

export interface TdsColumn {
  readonly name: string;
  readonly type: "nvarchar" | "float" | "int" | "decimal";
}

export interface TdsAnswer {
  /** Part of the statement's text. */
  readonly to: string;
  readonly columns?: readonly TdsColumn[];
  readonly rows?: readonly (readonly (string | number | null)[])[];
  readonly error?: { readonly number: number; readonly message: string };
}

export interface TdsPeerOptions {
  /** Left out, the server offers no encryption. */
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly password: string;
  readonly answers: readonly TdsAnswer[];
}

const packet = {
  sqlBatch: 1,
  rpc: 3,
  response: 4,
  attention: 6,
  transaction: 0x0e,
  login: 0x10,
  prelogin: 0x12,
};
const packetMax = 4096;
/** How a record of TLS with data begins. */
const tlsData = 0x17;
const transactionId = Buffer.from("0102030405060708", "hex");

const utf16 = (text: string) => Buffer.from(text, "utf16le");
const u16 = (value: number) => Buffer.from(Uint16Array.of(value).buffer);
const u32 = (value: number) => Buffer.from(Uint32Array.of(value).buffer);
const shortText = (text: string) => Buffer.concat([Buffer.from([text.length]), utf16(text)]);
const longText = (text: string) => Buffer.concat([u16(text.length), utf16(text)]);

const done = (status = 0, token = 0xfd) =>
  Buffer.concat([Buffer.from([token]), u16(status), u16(0), Buffer.alloc(8)]);

function withLength(token: number, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from([token]), u16(body.length), body]);
}

function errorToken({ number, message }: { readonly number: number; readonly message: string }): Buffer {
  const body = [
    u32(number),
    Buffer.from([1, 14]),
    longText(message),
    shortText("peer"),
    shortText(""),
    u32(1),
  ];
  return withLength(0xaa, Buffer.concat(body));
}

const types: Readonly<Record<TdsColumn["type"], Buffer>> = {
  nvarchar: Buffer.concat([Buffer.from([0xe7]), u16(8000), Buffer.alloc(5)]),
  float: Buffer.from([0x6d, 8]),
  int: Buffer.from([0x26, 4]),
  decimal: Buffer.from([0x6a, 17, 38, 2]),
};

function metadata(columns: readonly TdsColumn[]): Buffer {
  const each = columns.map(({ name, type }) => Buffer.concat([u32(0), u16(1), types[type], shortText(name)]));
  return Buffer.concat([Buffer.from([0x81]), u16(columns.length), ...each]);
}

function cell(type: TdsColumn["type"], value: string | number | null): Buffer {
  if (type === "nvarchar") {
    if (value === null) return u16(0xffff);
    const bytes = utf16(String(value));
    return Buffer.concat([u16(bytes.length), bytes]);
  }
  if (type === "float") {
    if (value === null) return Buffer.from([0]);
    return Buffer.concat([Buffer.from([8]), Buffer.from(Float64Array.of(Number(value)).buffer)]);
  }
  throw new RangeError("the peer sends text and floats alone");
}

function answerTokens({ columns = [], rows = [], error }: TdsAnswer): Buffer {
  if (error !== undefined) return Buffer.concat([errorToken(error), done(2, 0xfe)]);
  const bodies = rows.map((row) =>
    Buffer.concat([Buffer.from([0xd1]), ...row.map((value, k) => cell(columns[k]!.type, value))]),
  );
  return Buffer.concat([metadata(columns), ...bodies, done(0, 0xfe)]);
}

/** The pieces of TLS in packets until the handshake is over, then as they are. */
class Wrapped extends Duplex {
  isFramed = true;
  readonly #socket: Socket;

  constructor(socket: Socket) {
    super();
    this.#socket = socket;
  }

  override _read(): void {}

  override _write(chunk: Buffer, _: BufferEncoding, callback: () => void): void {
    if (!this.isFramed) this.#socket.write(chunk);
    else for (const framed of packets(packet.prelogin, chunk)) this.#socket.write(framed);
    callback();
  }
}

function* packets(type: number, body: Buffer): Generator<Buffer> {
  const most = packetMax - 8;
  for (let from = 0; from === 0 || from < body.length; from += most) {
    const part = body.subarray(from, from + most);
    const header = Buffer.alloc(8);
    header[0] = type;
    header[1] = from + most >= body.length ? 1 : 0;
    header.writeUInt16BE(part.length + 8, 2);
    yield Buffer.concat([header, part]);
  }
}

export class TdsPeer {
  /** Statements and transactions, in their order. */
  readonly said: string[] = [];
  readonly #options: TdsPeerOptions;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(options: TdsPeerOptions) {
    this.#options = options;
    this.#server = createServer((socket) => this.#serve(socket));
  }

  static async start(options: TdsPeerOptions): Promise<TdsPeer> {
    const peer = new TdsPeer(options);
    peer.#server.listen(0, "127.0.0.1");
    await once(peer.#server, "listening");
    return peer;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** How many clients are connected. */
  get connections(): number {
    return this.#sockets.size;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => this.#sockets.delete(socket));
    const { tls } = this.#options;
    let wrapped: Wrapped | null = null;
    let pending = Buffer.alloc(0);
    let message = Buffer.alloc(0);
    let send = (body: Buffer) => {
      for (const part of packets(packet.response, body)) socket.write(part);
    };
    const take = (bytes: Buffer) => {
      pending = Buffer.concat([pending, bytes]);
      while (pending.length >= 8 && pending.length >= pending.readUInt16BE(2)) {
        const length = pending.readUInt16BE(2);
        const [type, status] = [pending[0]!, pending[1]!];
        message = Buffer.concat([message, pending.subarray(8, length)]);
        pending = pending.subarray(length);
        if ((status & 1) === 0) continue;
        const whole = message;
        message = Buffer.alloc(0);
        if (type === packet.prelogin && wrapped !== null) wrapped.push(whole);
        else if (type === packet.prelogin) {
          send(preloginAnswer(tls !== undefined));
          if (tls !== undefined) wrapped = secure();
        } else send(this.#answer(type, whole));
      }
    };
    const secure = () => {
      const wire = new Wrapped(socket);
      const inner = new TLSSocket(wire, { isServer: true, ...tls, maxVersion: "TLSv1.2" });
      inner.on("error", () => socket.destroy());
      inner.on("secure", () => {
        send = (body) => {
          for (const part of packets(packet.response, body)) inner.write(part);
        };
      });
      inner.on("data", take);
      return wire;
    };
    socket.on("data", (bytes: Buffer) => {
      // The first record of TLS that is in no packet ends the handshake.
      if (wrapped !== null && pending.length === 0 && bytes[0] === tlsData) wrapped.isFramed = false;
      if (wrapped !== null && !wrapped.isFramed) wrapped.push(bytes);
      else take(bytes);
    });
  }

  #answer(type: number, body: Buffer): Buffer {
    if (type === packet.login) {
      this.said.push("sign in");
      // [MS-TDS] 2.2.6.4: each byte's halves change places, then it is combined with 0xA5.
      const hidden = Buffer.from(
        utf16(this.#options.password).map((byte) => (((byte << 4) | (byte >> 4)) & 255) ^ 0xa5),
      );
      if (!body.includes(hidden))
        return Buffer.concat([
          errorToken({ number: 18456, message: "Login failed for user 'reader'." }),
          done(2),
        ]);
      const acknowledged = [Buffer.from([1, 0x74, 0, 0, 4]), shortText("peer"), Buffer.from([16, 0, 0, 0])];
      return Buffer.concat([withLength(0xad, Buffer.concat(acknowledged)), done()]);
    }
    if (type === packet.transaction) {
      const what = body.readUInt16LE(body.readUInt32LE(0));
      const isBegin = what === 5;
      this.said.push(
        isBegin
          ? `begin at ${body[body.readUInt32LE(0) + 2]}`
          : what === 8
            ? "rollback"
            : `transaction ${what}`,
      );
      const id = Buffer.concat([Buffer.from([8]), transactionId]);
      const none = Buffer.from([0]);
      const change = isBegin ? [Buffer.from([8]), id, none] : [Buffer.from([10]), none, id];
      return Buffer.concat([withLength(0xe3, Buffer.concat(change)), done()]);
    }
    if (type === packet.attention) return done(0x20);
    const text = body.toString("utf16le");
    const odd = body.subarray(1).toString("utf16le");
    const answer = this.#options.answers.find(({ to }) => text.includes(to) || odd.includes(to));
    if (answer === undefined) return done();
    this.said.push(answer.to);
    return answerTokens(answer);
  }
}

/** Version, encryption, instance, thread; [MS-TDS] 2.2.6.5. */
function preloginAnswer(isEncrypted: boolean): Buffer {
  const values = [Buffer.from([16, 0, 0, 0, 0, 0]), Buffer.from([isEncrypted ? 1 : 2]), Buffer.from([0])];
  const header = Buffer.alloc(5 * values.length + 1);
  let offset = header.length;
  values.forEach((value, k) => {
    header[5 * k] = k;
    header.writeUInt16BE(offset, 5 * k + 1);
    header.writeUInt16BE(value.length, 5 * k + 3);
    offset += value.length;
  });
  header[header.length - 1] = 0xff;
  return Buffer.concat([header, ...values]);
}
