import { ConsiliumError } from "@consilium/core/errors";
import type { PolicyStanding } from "@consilium/core/hospital/policyViews";
import { policyYamlLimits } from "@consilium/core/yamlLimits";
import { yamlReader } from "@consilium/runtime/yaml/yamlReader";
import type { Ledger } from "../ledger/ledger.js";
import { checkPolicy, type PolicyEditor } from "../policy/policyEditor.js";
import type { PolicyFile } from "../policy/policyFile.js";
import type { SiteRecords } from "../studies/records.js";
import type { SiteMethods } from "../studies/siteMethods.js";
import type { KnownTables } from "../tables/knownTables.js";

export interface PolicyContext {
  readonly policy: PolicyFile;
  readonly methods: Pick<SiteMethods, "load">;
  /** Loaded when a person looks at the policy. */
  readonly editor: () => Promise<PolicyEditor>;
  readonly records: Pick<SiteRecords, "open" | "unanswered">;
  readonly ledger: Pick<Ledger, "totals">;
  readonly tables: { readonly names: readonly string[] };
  readonly knownTables: KnownTables;
  readonly allowNoPrivacy: boolean;
}

/** Saves the policy; the version before it is kept. A text with faults is not saved. */
export async function savePolicy(
  context: PolicyContext,
  edit: { readonly text: string; readonly version: string | null; readonly by: string },
): Promise<PolicyStanding> {
  await requireReadable(edit.text);
  await (await context.editor()).save(edit);
  return policyView(context);
}

export async function policyView({
  policy,
  editor,
  tables,
  knownTables,
  allowNoPrivacy,
}: PolicyContext): Promise<PolicyStanding> {
  const status = policy.status();
  const file = await (await editor()).read();
  return {
    status,
    text: file?.text ?? null,
    version: file?.version ?? null,
    faults: file === null ? [] : checkPolicy(file.text, knownTables).faults,
    tables: [...tables.names],
    allowNoPrivacy,
  };
}

/**
 * What is saved is read again where it is used, at once and without a thread.
 * @throws ConsiliumError POLICY_INVALID for a text that is no YAML or beyond its limits
 */
async function requireReadable(text: string): Promise<void> {
  const read = await yamlReader.read(text, policyYamlLimits);
  if (read.ok) return;
  const { line, message } = read.error;
  const where = line === null ? "" : ` line ${line}`;
  throw new ConsiliumError("POLICY_INVALID", `the policy${where}: this is not YAML (${message})`);
}
