import { isIPv6 } from "node:net";
import { fault } from "../../fault.js";

/**
 * Limits failed sign-ins. Failures are counted by where they come from and by whose account they are at, as in OWASP's
 * device cookies: a browser that has signed in to an account before has an allowance of its own there, so that
 * strangers cannot exhaust it, and accounts are never locked.
 */
interface Allowance {
  /** Failures that are free at once. */
  readonly burst: number;
  /** One more comes back after so long. */
  readonly refillMs: number;
}

const allowances = {
  /** Of one address, over all accounts. */
  address: { burst: 10, refillMs: 60_000 },
  /** Of one address at one account. */
  addressAtAccount: { burst: 5, refillMs: 120_000 },
  /** Of all strangers at one account: many addresses that guess together. */
  strangersAtAccount: { burst: 100, refillMs: 60_000 },
  /** Of a browser that has signed in before. */
  device: { burst: 10, refillMs: 120_000 },
} as const satisfies Record<string, Allowance>;

/** Counters kept, in two generations: when the younger is full, the older, which was not used since, is dropped. */
const maxCounters = 20_000;

export interface Attempt {
  readonly address: string;
  readonly account: string;
  /** The hash of the device cookie, if it is this account's. */
  readonly device: string | null;
}

interface Counter {
  /** Failures on the account at `at`; they melt with time. */
  readonly used: number;
  readonly at: number;
}

export class Attempts {
  readonly #now: () => number;
  #recent = new Map<string, Counter>();
  #former = new Map<string, Counter>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Counts an attempt as a failure before it is known to be one, so that many at once are not free.
   * @returns what takes it back once it has succeeded
   * @throws ConsiliumError RATE_LIMITED with the seconds to wait
   */
  begin(attempt: Attempt): () => void {
    const counted = countersOf(attempt).map(([key, allowance]) => ({
      key,
      allowance,
      used: this.#used(key, allowance),
    }));
    const waitMs = Math.max(
      ...counted.map(({ used, allowance }) => (used + 1 - allowance.burst) * allowance.refillMs),
    );
    if (waitMs > 0) {
      const seconds = Math.ceil(waitMs / 1000);
      throw fault(
        "RATE_LIMITED",
        "access.failed-often",
        {},
        { remedy: { code: "access.wait", params: { seconds } } },
      );
    }
    for (const { key, used } of counted) this.#set(key, used + 1);
    return () => {
      for (const { key, allowance } of counted) this.#set(key, Math.max(0, this.#used(key, allowance) - 1));
    };
  }

  /** For a test of how much memory this takes. */
  get size(): number {
    return this.#recent.size + this.#former.size;
  }

  #used(key: string, { refillMs }: Allowance): number {
    const counter = this.#recent.get(key) ?? this.#former.get(key);
    if (counter === undefined) return 0;
    return Math.max(0, counter.used - (this.#now() - counter.at) / refillMs);
  }

  #set(key: string, used: number): void {
    if (this.#recent.size >= maxCounters / 2) {
      this.#former = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(key, { used, at: this.#now() });
  }
}

function countersOf({ address, account, device }: Attempt): [string, Allowance][] {
  if (device !== null) return [[`device ${device}`, allowances.device]];
  const from = networkOf(address);
  return [
    [`address ${from}`, allowances.address],
    [`address ${from} at ${account}`, allowances.addressAtAccount],
    [`strangers at ${account}`, allowances.strangersAtAccount],
  ];
}

/** An IPv6 host has a whole /64 to choose addresses from, so they count as one. */
function networkOf(address: string): string {
  const mapped = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address;
  const [head, tail] = address.split("%")[0]!.split("::");
  const left = head === "" ? [] : head!.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length;
  const groups = [...left, ...Array<string>(Math.max(zeros, 0)).fill("0"), ...right];
  return `${groups
    .slice(0, 4)
    .map((group) => group.toLowerCase().replace(/^0+(?=.)/, ""))
    .join(":")}::/64`;
}
