import { scrypt, timingSafeEqual } from "node:crypto";
import type { RandomSource } from "@consilium/core/random";
import { fault } from "../../fault.js";

/**
 * Passwords by scrypt (RFC 7914) with N = 2^17, r = 8, p = 1, the parameters of OWASP's Password Storage Cheat Sheet:
 * 128 MiB and about a third of a second each. A process checks one at a time and lets few wait, so that a flood of
 * sign-ins holds neither memory nor the threads that files are read with.
 */
const defaultCost = { log2N: 17, r: 8, p: 1 } as const;
const saltBytes = 16;
const keyBytes = 32;

interface PasswordCost {
  readonly log2N: number;
  readonly r: number;
  readonly p: number;
}

export interface PasswordLimits {
  readonly cost?: PasswordCost;
  /** The queue's length; further sign-ins are refused. */
  readonly maxWaiting?: number;
  /** Of these, how many places only those may take who are known to be the account's owner. */
  readonly reserved?: number;
}

interface Waiting {
  readonly known: boolean;
  readonly begin: () => void;
}

export class Passwords {
  readonly #random: RandomSource;
  readonly #cost: PasswordCost;
  readonly #maxWaiting: number;
  readonly #reserved: number;
  readonly #waiting: Waiting[] = [];
  #running = false;
  #unknown: Promise<string> | undefined;

  constructor(random: RandomSource, limits: PasswordLimits = {}) {
    this.#random = random;
    this.#cost = limits.cost ?? defaultCost;
    this.#maxWaiting = limits.maxWaiting ?? 16;
    this.#reserved = limits.reserved ?? 4;
  }

  /**
   * @returns `scrypt$log2N$r$p$salt$key`, salt and key in base64url
   * @throws ConsiliumError SIGN_IN_BUSY when too many wait
   */
  hash(password: string): Promise<string> {
    const salt = this.#random.bytes(saltBytes);
    return this.#queued(true, async () =>
      formatHash(this.#cost, salt, await derive(password, salt, this.#cost)),
    );
  }

  /**
   * Whether it is the account's password. Takes the same time where there is no account, or one without password.
   * @param stored - what `hash` returned, or null
   * @param known - whether the browser has signed in to this account before: it waits in a shorter line
   * @throws ConsiliumError SIGN_IN_BUSY when too many wait
   */
  async verify(password: string, stored: string | null, known: boolean): Promise<boolean> {
    const { cost, salt, key } = parseHash(stored ?? (await this.#ofNobody()));
    const derived = await this.#queued(known, () => derive(password, salt, cost));
    return timingSafeEqual(derived, key) && stored !== null;
  }

  /** Hashes that run or wait at this moment. */
  get load(): number {
    return this.#waiting.length + (this.#running ? 1 : 0);
  }

  /** A hash that no password has: of no password, with a random key. */
  #ofNobody(): Promise<string> {
    this.#unknown ??= Promise.resolve(
      formatHash(this.#cost, this.#random.bytes(saltBytes), Buffer.from(this.#random.bytes(keyBytes))),
    );
    return this.#unknown;
  }

  async #queued<T>(known: boolean, work: () => Promise<T>): Promise<T> {
    if (this.#running) await this.#turn(known);
    this.#running = true;
    try {
      return await work();
    } finally {
      this.#running = false;
      this.#next();
    }
  }

  #turn(known: boolean): Promise<void> {
    const places = known ? this.#maxWaiting : this.#maxWaiting - this.#reserved;
    if (this.#waiting.length >= places) {
      throw fault("SIGN_IN_BUSY", "access.busy", { others: this.#waiting.length });
    }
    return new Promise((begin) => this.#waiting.push({ known, begin }));
  }

  #next(): void {
    const first = this.#waiting.findIndex(({ known }) => known);
    const [turn] = this.#waiting.splice(Math.max(first, 0), 1);
    if (turn === undefined) return;
    // Taken for the one whose turn it is, so that nobody who comes at this moment goes before.
    this.#running = true;
    turn.begin();
  }
}

function derive(password: string, salt: Uint8Array, { log2N, r, p }: PasswordCost): Promise<Buffer> {
  const N = 2 ** log2N;
  // 128·N·r bytes for the table, 128·r·p and some more for the rest (RFC 7914, section 2).
  const maxmem = 128 * N * r + 128 * r * (p + 2) + (1 << 20);
  return new Promise((resolve, reject) =>
    scrypt(password.normalize("NFKC"), salt, keyBytes, { N, r, p, maxmem }, (fault, key) =>
      fault === null ? resolve(key) : reject(fault),
    ),
  );
}

function formatHash({ log2N, r, p }: PasswordCost, salt: Uint8Array, key: Buffer): string {
  return ["scrypt", log2N, r, p, Buffer.from(salt).toString("base64url"), key.toString("base64url")].join(
    "$",
  );
}

function parseHash(text: string): { cost: PasswordCost; salt: Buffer; key: Buffer } {
  const match = /^scrypt\$(\d{1,2})\$(\d{1,2})\$(\d{1,2})\$([\w-]{22})\$([\w-]{43})$/.exec(text);
  const [log2N, r, p] = (match?.slice(1, 4) ?? []).map(Number);
  if (match === null || log2N! < 1 || log2N! > 20 || r! < 1 || r! > 16 || p! < 1 || p! > 4) {
    throw new RangeError("unknown format of the stored password hash");
  }
  return {
    cost: { log2N: log2N!, r: r!, p: p! },
    salt: Buffer.from(match[4]!, "base64url"),
    key: Buffer.from(match[5]!, "base64url"),
  };
}
