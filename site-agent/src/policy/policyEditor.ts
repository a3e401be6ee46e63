import { createHash } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import { faults } from "@consilium/core/fault";
import type { PolicyFaultView, PolicyVersionView } from "@consilium/core/hospital/policyViews";
import { unwrap } from "@consilium/core/result";
import { nameOf, sentences } from "@consilium/core/said";
import { readConfig } from "@consilium/runtime/config";
import { makePrivateFolder, readFileIfThere, writeFileDurable } from "@consilium/runtime/store/durableFile";
import type { SiteSays } from "@consilium/words/says/site";
import type { KnownTables } from "../tables/knownTables.js";
import { type Policy, policySchema } from "./policy.js";
import { parsePolicy } from "./policyFile.js";
import { populationFaults } from "./populations.js";

const fault = faults<SiteSays>();
const said = sentences<SiteSays>();

/** In the agent's state folder. */
export const policyHistoryFolder = "policy-history";

/**
 * The policy file as people edit it: written whole or not at all, every version that was replaced kept beside it in
 * `policy-history/`.
 */
export class PolicyEditor {
  readonly #path: string;
  readonly #folder: string;
  readonly #now: () => number;
  readonly #tables: KnownTables;
  /** One saving at a time: the version that is compared is the one that is replaced. */
  #saving: Promise<unknown> = Promise.resolve();

  constructor(options: {
    readonly path: string;
    /** Versions that were replaced are in a folder of it. */
    readonly stateFolder: string;
    readonly now: () => number;
    /** That the populations are held against. */
    readonly tables: KnownTables;
  }) {
    this.#tables = options.tables;
    this.#path = options.path;
    this.#folder = join(options.stateFolder, policyHistoryFolder);
    this.#now = options.now;
  }

  /** The file as it stands; null where there is none. */
  async read(): Promise<{ readonly text: string; readonly version: string } | null> {
    const bytes = await readFileIfThere(this.#path);
    return bytes === null ? null : { text: bytes.toString("utf8"), version: versionOf(bytes) };
  }

  /**
   * @param edit.version - that was edited; null where there was no file
   * @param edit.by - the account that saves
   * @throws ConsiliumError POLICY_INVALID for a text with faults, POLICY_CHANGED when the file is another one by now
   */
  async save(edit: {
    readonly text: string;
    readonly version: string | null;
    readonly by: string;
  }): Promise<void> {
    const policy = unwrap(parsePolicy(edit.text, "the policy"));
    const [found] = populationFaults(policy, this.#tables);
    if (found !== undefined) throw new ConsiliumError("POLICY_INVALID", `the policy: ${found.message}`);
    const saved = this.#saving.then(() => this.#save(edit));
    this.#saving = saved.catch(() => undefined);
    return saved;
  }

  async #save({ text, version, by }: { text: string; version: string | null; by: string }): Promise<void> {
    const before = await this.read();
    if ((before?.version ?? null) !== version) {
      throw fault("POLICY_CHANGED", "policy-file.changed", {});
    }
    if (before?.text === text) return;
    try {
      if (before !== null) {
        await makePrivateFolder(this.#folder);
        const kept = join(this.#folder, this.#nameFor(before.version, by));
        await writeFileDurable(kept, before.text, { mode: 0o600 });
      }
      await writeFileDurable(this.#path, text, { mode: await modeOf(this.#path) });
    } catch (cause) {
      const params = { path: nameOf(this.#path), code: nameOf(systemCode(cause)) };
      throw fault("POLICY_UNWRITABLE", "policy-file.unwritable", params, { cause });
    }
  }

  /** Versions that were replaced, the newest first. */
  async history(): Promise<PolicyVersionView[]> {
    const names = await readdir(this.#folder).catch((cause: unknown) => {
      if (systemCode(cause) === "ENOENT") return [];
      throw cause;
    });
    return names
      .map(versionView)
      .filter((one) => one !== null)
      .sort((a, b) => (a.id < b.id ? 1 : -1));
  }

  /** @throws ConsiliumError ADDRESS_UNKNOWN for what is no kept version */
  async kept(id: string): Promise<PolicyVersionView & { readonly text: string }> {
    const view = versionView(`${id}.yaml`);
    const known = view !== null && (await this.history()).some((one) => one.id === id);
    if (!known) {
      const remedy = said("policy-file.choose", {});
      throw fault("ADDRESS_UNKNOWN", "policy-file.no-version", {}, { remedy });
    }
    return { ...view, text: await readFile(join(this.#folder, `${id}.yaml`), "utf8") };
  }

  #nameFor(version: string, by: string): string {
    const at = new Date(this.#now()).toISOString().replaceAll(":", "-");
    return `${at}_${version}_${by.replace(/[^A-Za-z0-9.@-]/g, "-").slice(0, 64)}.yaml`;
  }
}

/** `2026-11-21T17-40-00.000Z_<SHA-256>_<account>.yaml` */
const keptName =
  /^(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-(\d\d\.\d{3}Z)_([0-9a-f]{64})_([A-Za-z0-9.@-]{1,64})\.yaml$/;

function versionView(name: string): PolicyVersionView | null {
  const found = keptName.exec(name);
  if (found === null) return null;
  const [, day, hour, minute, rest, sha256, by] = found;
  return {
    id: name.slice(0, -".yaml".length),
    replacedAt: `${day}${hour}:${minute}:${rest}`,
    replacedBy: by!,
    sha256: sha256!,
  };
}

/** A file that is replaced keeps who may read it. */
async function modeOf(path: string): Promise<number> {
  const found = await stat(path).catch(() => null);
  return found === null ? 0o600 : found.mode & 0o777;
}

function systemCode(cause: unknown): string {
  return cause instanceof Error && "code" in cause ? String(cause.code) : "unwritable";
}

function versionOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** A policy's text with every fault and its line, what its populations and the hospital's tables say together included. */
export function checkPolicy(text: string, tables: KnownTables): CheckedPolicy {
  if (text.trim() === "") {
    const message =
      "the file is empty: write it anew, or remove it; without one a person approves every study";
    return { policy: null, faults: [{ line: null, message }] };
  }
  return checkedPolicy(readConfig(text, policySchema), tables);
}

export interface CheckedPolicy {
  readonly policy: Policy | null;
  readonly faults: PolicyFaultView[];
}

/** @param read - a policy's text as it was read, here or on a thread */
export function checkedPolicy(
  read: ReturnType<typeof readConfig<typeof policySchema>>,
  tables: KnownTables,
): CheckedPolicy {
  if (read.ok) {
    const faults = populationFaults(read.value, tables);
    return { policy: faults.length === 0 ? read.value : null, faults };
  }
  const inOrder = [...read.error.faults].sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
  return { policy: null, faults: inOrder.map((fault) => ({ ...fault })) };
}
