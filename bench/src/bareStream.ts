/**
 * The floor of a round: as many bytes as the sites upload, by the same gRPC with mutual TLS, added at the other end, and nothing
 * else. The receiver is a process, and so is each sender; all stand, and are connected, before anything is timed.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { testFederation } from "@consilium/runtime/testing/identity/federation";
import {
  addend,
  type BareStreamIdentity,
  type FromClient,
  type FromServer,
  type ToClient,
  type ToServer,
  wordBytes,
} from "./bareStreamWire.js";

/** A process of this bench that is told something and answers. */
class Peer<To extends object, From extends { readonly kind: string }> {
  readonly #child: ChildProcess;

  constructor(program: string) {
    const path = fileURLToPath(new URL(program, import.meta.url));
    this.#child = spawn(process.execPath, ["--import", import.meta.resolve("tsx"), path], {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
  }

  tell(message: To): void {
    this.#child.send(message);
  }

  /** The next message, which must be of this kind. */
  async next<Kind extends From["kind"]>(kind: Kind): Promise<Extract<From, { kind: Kind }>> {
    const ended = new AbortController();
    const { signal } = ended;
    try {
      const message = await Promise.race([
        once(this.#child, "message", { signal }).then(([one]) => one as From),
        once(this.#child, "exit", { signal }).then(() => null),
      ]);
      if (message?.kind !== kind)
        throw new Error(`a process of the bare stream ended, where "${kind}" was expected`);
      return message as Extract<From, { kind: Kind }>;
    } finally {
      ended.abort();
    }
  }

  async ask<Kind extends From["kind"]>(message: To, kind: Kind): Promise<Extract<From, { kind: Kind }>> {
    const answer = this.next(kind);
    this.tell(message);
    return answer;
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = once(this.#child, "exit");
    this.#child.disconnect();
    await gone;
  }
}

export class BareStream {
  readonly #server = new Peer<ToServer, FromServer>("./bareStreamServer.ts");
  readonly #clients: readonly Peer<ToClient, FromClient>[];

  private constructor(sites: number) {
    this.#clients = Array.from({ length: sites }, () => new Peer("./bareStreamClient.ts"));
  }

  static async start(sites: number): Promise<BareStream> {
    const stream = new BareStream(sites);
    const federation = await testFederation("bare-stream");
    const rootPem = federation.root.certificatePem;
    const identityOf = async (role: "aggregator" | "site", id: string): Promise<BareStreamIdentity> => {
      const { tlsKeyPem, chainPem } = await federation.leaf(role, id);
      return { tlsKeyPem, chainPem, rootPem };
    };
    const identity = await identityOf("aggregator", "aggregator");
    const { port } = await stream.#server.ask({ kind: "listen", identity }, "listening");
    await Promise.all(
      stream.#clients.map(async (client, i) =>
        client.ask({ kind: "connect", identity: await identityOf("site", `site-${i}`), port }, "ready"),
      ),
    );
    return stream;
  }

  /** @param bytes - of each site's upload @returns seconds from the word to begin to the sum */
  async round(bytes: number): Promise<number> {
    const sites = this.#clients.length;
    await this.#server.ask({ kind: "expect", sites, bytes }, "ready");
    await Promise.all(this.#clients.map((client) => client.ask({ kind: "prepare", bytes }, "ready")));
    const sum = this.#server.next("sum");
    const from = performance.now();
    for (const client of this.#clients) client.tell({ kind: "go" });
    const { first, last } = await sum;
    const seconds = (performance.now() - from) / 1000;
    const last8 = bytes % wordBytes;
    const lastAddend = last8 === 0 ? addend : BigInt.asUintN(8 * last8, addend);
    const right = (word: bigint) => BigInt.asUintN(64, BigInt(sites) * word).toString();
    if (first !== right(addend) || last !== right(lastAddend))
      throw new Error("the bare stream's sum is wrong");
    return seconds;
  }

  async close(): Promise<void> {
    await Promise.all([this.#server, ...this.#clients].map((peer) => peer.close()));
  }
}
