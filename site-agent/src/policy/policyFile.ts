import { readFileSync } from "node:fs";
import { canonicalJson } from "@consilium/core/canonicalJson";
import { ConsiliumError } from "@consilium/core/errors";
import { faults } from "@consilium/core/fault";
import type { Sha256 } from "@consilium/core/ids";
import { err, ok, type Result } from "@consilium/core/result";
import { nameOf, sentences } from "@consilium/core/said";
import { parseConfig } from "@consilium/runtime/config";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import type { SiteSays } from "@consilium/words/says/site";
import { z } from "zod";
import type { KnownTables } from "../tables/knownTables.js";
import { defaultPolicy, type Policy, policySchema } from "./policy.js";
import { populationFaults } from "./populations.js";

const fault = faults<SiteSays>();
const said = sentences<SiteSays>();

export const policyFileName = "policy.yaml";
const policyMaxBytes = 1 << 20;

/** How the policy stands, for the hospital's own eyes. */
export interface PolicyStatus {
  readonly path: string;
  /** `absent`: the defaults hold. `invalid`: every study is refused. */
  readonly state: "read" | "absent" | "invalid";
  /** Of the file's bytes. */
  readonly sha256: Sha256 | null;
  /** Why it is invalid. */
  readonly fault: string | null;
}

/** The file as it was read last, and what its text alone comes to. */
interface Reading {
  readonly text: string | null;
  readonly policy: Result<Policy, ConsiliumError>;
}

/** A policy, and what of it the hospital has written. */
export interface WrittenPolicy {
  readonly policy: Policy;
  /** SHA-256 of the file's content without comments and layout, and without what this version adds to it; null where there is no file. */
  readonly written: Sha256 | null;
  /** What that is the SHA-256 of: canonical JSON. */
  readonly text: string | null;
}

/**
 * The policy file. It is read again before each judgement, so that a change needs no restart; while it is invalid
 * nothing is judged.
 */
export class PolicyFile {
  readonly path: string;
  #seen: Reading | null = null;
  /** What `#seen` says of the tables as they were known last. */
  #standing: Result<Policy, ConsiliumError> | null = null;
  readonly #tables: KnownTables | null;
  readonly #onChange: (status: PolicyStatus) => void;

  /**
   * @param options.tables - that the populations are held against; left out, the file's own rules alone are judged
   * @param options.onChange - called at the first reading and whenever the file, or whether it holds, is another than before
   */
  constructor(
    path: string,
    options: {
      readonly tables?: KnownTables;
      readonly onChange?: (status: PolicyStatus) => void;
    } = {},
  ) {
    this.path = path;
    this.#tables = options.tables ?? null;
    this.#onChange = options.onChange ?? (() => undefined);
  }

  /** @returns the policy as it stands now; POLICY_INVALID with every fault and its line */
  read(): Result<Policy, ConsiliumError> {
    const text = this.#text();
    if (text instanceof ConsiliumError) {
      this.#keep(`unreadable: ${text.message}`, err(text));
      return err(text);
    }
    const isSeen = this.#seen !== null && this.#seen.text === text;
    return this.#keep(text, isSeen ? this.#seen!.policy : parsePolicy(text, this.path));
  }

  /** As `read`. */
  readWritten(): Result<WrittenPolicy, ConsiliumError> {
    const policy = this.read();
    if (!policy.ok) return policy;
    const { text: file } = this.#seen!;
    const text = file === null ? null : canonicalJson(parseConfig(file, this.path, z.json()));
    return ok({ policy: policy.value, written: text === null ? null : sha256(text), text });
  }

  status(): PolicyStatus {
    this.read();
    return this.#status();
  }

  #keep(text: string | null, policy: Result<Policy, ConsiliumError>): Result<Policy, ConsiliumError> {
    const before = this.#seen?.text === text ? this.#standing : null;
    const standing = this.#judged(policy);
    this.#seen = { text, policy };
    this.#standing = standing;
    if (before === null || before.ok !== standing.ok) this.#onChange(this.#status());
    return standing;
  }

  /** The tables' sources may have moved since the file was read. */
  #judged(policy: Result<Policy, ConsiliumError>): Result<Policy, ConsiliumError> {
    if (!policy.ok || this.#tables === null) return policy;
    const [found] = populationFaults(policy.value, this.#tables);
    return found === undefined
      ? policy
      : err(new ConsiliumError("POLICY_INVALID", `${this.path}: ${found.message}`));
  }

  #status(): PolicyStatus {
    const { text } = this.#seen!;
    const policy = this.#standing!;
    const state = policy.ok ? (text === null ? "absent" : "read") : "invalid";
    return {
      path: this.path,
      state,
      sha256: text === null || state === "invalid" ? null : sha256(text),
      fault: policy.ok ? null : policy.error.message,
    };
  }

  #text(): string | null | ConsiliumError {
    try {
      const bytes = readFileSync(this.path);
      if (bytes.length <= policyMaxBytes) return bytes.toString("utf8");
      return fault("POLICY_INVALID", "policy-file.large", { path: nameOf(this.path), max: policyMaxBytes });
    } catch (cause) {
      const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unreadable";
      if (code === "ENOENT") return null;
      const params = { path: nameOf(this.path), code: nameOf(code) };
      const remedy = said("policy-file.permissions", {});
      return fault("POLICY_INVALID", "policy-file.unreadable", params, { remedy, cause });
    }
  }
}

/**
 * Reads a policy's text. None at all is the default policy; an empty file was not written by the hospital.
 * @param name - stands for the file in messages
 */
export function parsePolicy(text: string | null, name: string): Result<Policy, ConsiliumError> {
  if (text === null) return ok(defaultPolicy);
  if (text.trim() === "") {
    const remedy = said("policy-file.write-anew", {});
    return err(fault("POLICY_INVALID", "policy-file.empty", { path: nameOf(name) }, { remedy }));
  }
  try {
    return ok(parseConfig(text, name, policySchema));
  } catch (thrown) {
    if (!(thrown instanceof ConsiliumError)) throw thrown;
    return err(new ConsiliumError("POLICY_INVALID", thrown.message, { cause: thrown }));
  }
}
