/** A publisher as a process of its own, and an aggregator's side to deposit with. */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ReleaseContent } from "@consilium/core/release/content";
import { unwrap } from "@consilium/core/result";
import { certifierFor, type TestSigner, testSigner } from "@consilium/publisher/testing/release";
import { privateKeyToPem } from "@consilium/runtime/identity/x509";
import { type Deposit, deposit, releasesClient } from "@consilium/runtime/release/depositClient";
import {
  type TestFederation,
  type TestLeaf,
  testFederation,
} from "@consilium/runtime/testing/identity/federation";
import { parseAddress } from "@consilium/runtime/tls/address";
import { sha256 } from "@consilium/secure-sum/crypto/hash";

const root = fileURLToPath(new URL("../../", import.meta.url));

export interface PublisherProcess {
  readonly state: string;
  /** As read from addresses.json. */
  readonly grpc: string;
  /** `http://host:port`. */
  readonly http: string;
  readonly child: ChildProcess;
  /** What it has logged so far. */
  log(): string;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

export interface TestNetwork {
  readonly folder: string;
  readonly federation: TestFederation;
  readonly aggregator: TestLeaf & TestSigner;
  /** The state folder of a new publisher. */
  makePublisher(config?: string): Promise<string>;
  /** Starts the publisher's own executable, from the sources. */
  start(state: string): Promise<PublisherProcess>;
  deposit(
    publisher: PublisherProcess,
    content: ReleaseContent,
    data: Buffer,
    overrides?: Partial<Deposit>,
  ): Promise<{ releaseId: string; url: string }>;
  close(): Promise<void>;
}

export async function testNetwork(): Promise<TestNetwork> {
  const folder = await mkdtemp(join(tmpdir(), "consilium-publisher-"));
  const federation = await testFederation();
  const aggregator = await testSigner(federation);
  const running = new Set<PublisherProcess>();
  return {
    folder,
    federation,
    aggregator,
    async makePublisher(config = "") {
      const state = join(folder, `publisher-${randomBytes(4).toString("hex")}`);
      const leaf = await federation.leaf("publisher", "publisher");
      await mkdir(join(state, "identity"), { recursive: true });
      const write = (name: string, text: string) => writeFile(join(state, "identity", name), text);
      await write("tls-key.pem", leaf.tlsKeyPem);
      await write("signing-key.pem", privateKeyToPem(leaf.signingKey));
      await write("chain.pem", leaf.chainPem);
      await write("root.pem", federation.root.certificatePem);
      const listen = 'listen: { grpc: "127.0.0.1:0", http: "127.0.0.1:0" }\n';
      await writeFile(join(state, "config.yaml"), `${listen}${config}`);
      return state;
    },
    async start(state) {
      const publisher = await startProcess(state);
      running.add(publisher);
      publisher.child.once("exit", () => running.delete(publisher));
      return publisher;
    },
    async deposit(publisher, content, data, overrides = {}) {
      const dataPath = join(folder, `${randomBytes(6).toString("hex")}.bin`);
      await writeFile(dataPath, data);
      const client = releasesClient({
        address: unwrap(parseAddress(publisher.grpc)),
        identity: aggregator,
        rootPem: federation.root.certificatePem,
      });
      const certify = certifierFor(content, aggregator);
      try {
        return await deposit({
          client,
          content,
          dataPath: content.columns.length === 0 ? null : dataPath,
          dataSha256: sha256(data),
          sums: [],
          certify: (files) => {
            const { bytes, jws } = certify(files);
            return { certificate: bytes, signature: jws };
          },
          ...overrides,
        });
      } finally {
        client.close();
        await rm(dataPath, { force: true });
      }
    },
    async close() {
      await Promise.all([...running].map((publisher) => publisher.stop("SIGKILL")));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function startProcess(state: string): Promise<PublisherProcess> {
  await rm(join(state, "addresses.json"), { force: true });
  const child = spawn(process.execPath, [join(root, "publisher/dist/main.js"), "--state", state], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let log = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8");
    stream.on("data", (text: string) => {
      log += text;
    });
  }
  const ended = once(child, "exit");
  const killWithTests = () => child.kill("SIGKILL");
  process.once("exit", killWithTests);
  child.once("exit", () => process.off("exit", killWithTests));
  const giveUpAt = Date.now() + 60_000;
  for (;;) {
    const addresses = await readFile(join(state, "addresses.json"), "utf8").catch(() => undefined);
    if (addresses !== undefined) {
      const { grpc, http } = JSON.parse(addresses) as { grpc: string; http: string };
      return {
        state,
        grpc,
        http: `http://${http}`,
        child,
        log: () => log,
        stop: async (signal = "SIGTERM") => {
          if (child.exitCode === null && child.signalCode === null) child.kill(signal);
          await ended;
        },
      };
    }
    if (child.exitCode !== null || Date.now() > giveUpAt) {
      child.kill("SIGKILL");
      throw new Error(`the publisher did not start:\n${log}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
