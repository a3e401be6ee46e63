import { createPrivateKey, X509Certificate } from "node:crypto";
import type { RequestListener } from "node:http";
import { createServer, type Server, type ServerOptions } from "node:https";
import { nameOf, pathOf } from "@consilium/core/said";
import type { NetworkSays } from "@consilium/words/says/network";
import { z } from "zod";
import { check, fail, ok, skipped, type Verdict, warn } from "../doctor/check.js";
import { fault } from "../fault.js";
import type { Logger } from "../log.js";
import { readSecretFile, resolveBeside } from "../secretFile.js";
import { minimumTlsVersion } from "../tls/policy.js";

const file = z.string().min(1).max(1_000);

/** `tls:` of pages: PEM files beside config.yaml. */
export const pagesTlsSchema = z.strictObject({
  /** The server's certificate, followed by those of intermediate authorities. */
  certificate: file,
  /** Its private key, not encrypted. */
  key: file,
});
type PagesTlsFiles = z.output<typeof pagesTlsSchema>;

/** A certificate and its key as they were read. */
interface ServerCertificate {
  readonly cert: string;
  readonly key: string;
  readonly minVersion: typeof minimumTlsVersion;
  /** When the certificate expires, in milliseconds. */
  readonly notAfter: number;
}

/** How often the files are read: a renewal is in use after so long, without a restart. */
const readEveryMs = 30_000;
const warnBeforeMs = 14 * 86_400_000;

/** The certificate that pages are served with. It follows its files. */
export class PagesCertificate {
  readonly #options: PagesCertificateOptions;
  readonly #servers: Server[] = [];
  #current: ServerCertificate;
  /** Of the files as they are now, where these cannot be used. */
  #fault: string | null = null;

  private constructor(options: PagesCertificateOptions, current: ServerCertificate) {
    this.#options = options;
    this.#current = current;
  }

  /** @throws ConsiliumError CONFIG_INVALID when a file cannot be read or used */
  static async open(options: PagesCertificateOptions): Promise<PagesCertificate> {
    return new PagesCertificate(options, await readCertificate(options));
  }

  /** When the certificate expires, in milliseconds. */
  get notAfter(): number {
    return this.#current.notAfter;
  }

  createServer(options: ServerOptions, handler: RequestListener): Server {
    const server = createServer({ ...options, ...this.#current }, handler);
    this.#servers.push(server);
    return server;
  }

  /** Serves renewed files from now on. Files that cannot be used are logged once, and the former certificate stays. */
  follow(everyMs = readEveryMs): { stop(): void } {
    const timer = setInterval(() => void this.refresh(), everyMs);
    timer.unref();
    return { stop: () => clearInterval(timer) };
  }

  async refresh(): Promise<void> {
    const { log } = this.#options;
    try {
      const read = await readCertificate(this.#options);
      const { cert, key } = this.#current;
      if (read.cert !== cert || read.key !== key) {
        for (const server of this.#servers) server.setSecureContext(read);
        this.#current = read;
        log.info("the pages' certificate was replaced", { notAfter: new Date(read.notAfter).toISOString() });
      }
      this.#fault = null;
    } catch (thrown) {
      const fault = thrown instanceof Error ? thrown.message : "unusable";
      if (fault !== this.#fault)
        log.warn("the pages' new certificate cannot be used; the former one stays", {}, thrown);
      this.#fault = fault;
    }
  }

  verdict(now: number): Verdict {
    const { notAfter } = this.#current;
    const until = new Date(notAfter).toISOString();
    const renew = "put a new certificate and its key into the files of console.tls; no restart is needed";
    if (this.#fault !== null) return fail(`the files have changed and cannot be used: ${this.#fault}`, renew);
    if (now > notAfter) return fail(`the certificate expired on ${until}`, renew);
    if (now > notAfter - warnBeforeMs) return warn(`the certificate expires on ${until}`, renew);
    return ok(`valid until ${until}`);
  }
}

interface PagesCertificateOptions {
  readonly files: PagesTlsFiles;
  readonly configPath: string;
  /** The configuration's key, for messages. */
  readonly key: string;
  readonly log: Logger;
}

/** For the doctor, with or without a certificate. */
export function checkPagesCertificate(certificate: PagesCertificate | null, now: number) {
  const verdict =
    certificate?.verdict(now) ?? skipped("console.tls is not configured: the pages have no TLS");
  return check("pages-certificate", "Console's certificate", verdict);
}

async function readCertificate({
  files,
  configPath,
  key,
}: PagesCertificateOptions): Promise<ServerCertificate> {
  const read = async (name: keyof PagesTlsFiles) => {
    const content = await readSecretFile(resolveBeside(configPath, files[name]), `${key}.${name}`);
    return Buffer.from(content.reveal()).toString("utf8");
  };
  const [cert, keyPem] = [await read("certificate"), await read("key")];
  const leaf = parsed("tls.no-certificate", { key: nameOf(key), file: pathOf(files.certificate) }, () => {
    return new X509Certificate(cert);
  });
  const privateKey = parsed("tls.no-key", { key: nameOf(key), file: pathOf(files.key) }, () => {
    return createPrivateKey(keyPem);
  });
  if (!leaf.checkPrivateKey(privateKey)) {
    throw fault(
      "CONFIG_INVALID",
      "tls.mismatch",
      { key: nameOf(key), file: pathOf(files.key), certificate: pathOf(files.certificate) },
      "tls.order",
    );
  }
  return { cert, key: keyPem, minVersion: minimumTlsVersion, notAfter: Date.parse(leaf.validTo) };
}

/** The cause is left out: OpenSSL's errors say nothing of use, and may name what the file holds. */
function parsed<T>(
  why: "tls.no-certificate" | "tls.no-key",
  where: NetworkSays["tls.no-key"],
  parse: () => T,
): T {
  try {
    return parse();
  } catch {
    throw fault("CONFIG_INVALID", why, where);
  }
}
