import type { DryRunView, PolicyCheckView } from "@consilium/core/hospital/policyViews";
import { planStudy } from "@consilium/core/study/plan";
import { policyYamlLimits } from "@consilium/core/yamlLimits";
import { countedFor } from "@consilium/gate/account";
import { readForeignConfig } from "@consilium/runtime/foreignConfig";
import { accountsOf } from "../ledger/accounts.js";
import { epsilonOf } from "../ledger/epsilon.js";
import { decisionOn } from "../policy/decision.js";
import {
  type Policy,
  type PopulationBudget,
  policySchema as policyRules,
  populationOf,
  populations,
} from "../policy/policy.js";
import { type CheckedPolicy, checkedPolicy, checkPolicy } from "../policy/policyEditor.js";
import { unansweredIn } from "../policy/populations.js";
import type { KnownTables } from "../tables/knownTables.js";
import type { PolicyContext } from "./policy.js";

/** Tries a policy out: its faults, and what waiting studies would meet; nothing is saved. */
export async function policyCheck(context: PolicyContext, text: string): Promise<PolicyCheckView> {
  const { policy, faults } = await checkEdited(text, context.knownTables);
  if (policy === null) return { faults, waiting: [], warnings: [] };
  return { faults, waiting: await dryRuns(context, policy), warnings: warningsOf(context, policy) };
}

/** As `checkPolicy`, of a text that is being edited: on a thread, so that no text stops the agent. */
async function checkEdited(text: string, tables: KnownTables): Promise<CheckedPolicy> {
  if (text.trim() === "") return checkPolicy(text, tables);
  return checkedPolicy(await readForeignConfig(text, policyRules, policyYamlLimits), tables);
}

/** Every study that waits for a person, judged as it would be under another policy. */
async function dryRuns(
  { records, policy, methods, allowNoPrivacy, knownTables: tables }: PolicyContext,
  edited: Policy,
): Promise<DryRunView[]> {
  const present = policy.read();
  const views: DryRunView[] = [];
  for (const { id, name, text, hash, status } of records.open()) {
    if (status !== "waiting for approval") continue;
    const read = await methods.load(text, hash);
    // Of methods that are not loaded: what it would come to is known once the policy allows them.
    if (!read.ok) continue;
    const { study } = read.value;
    const plan = planStudy(study);
    const under = (one: Policy) =>
      decisionOn(study, plan, {
        policy: one,
        allowNoPrivacy,
        tables,
        unanswered: unansweredIn(records, one, tables),
      });
    views.push({
      id,
      name,
      claim: plan.claim,
      present: present.ok ? under(present.value) : null,
      edited: under(edited),
    });
  }
  return views;
}

/** What a policy's rules alone do not say. */
function warningsOf({ ledger, policy, tables, knownTables }: PolicyContext, edited: Policy): string[] {
  const present = policy.read();
  const accounts = accountsOf(edited, knownTables);
  const isLessAsked = present.ok && present.value.approvals > edited.approvals;
  return [
    ...(isLessAsked ? ["One person alone can approve a study: until now two had to."] : []),
    ...accounts.flatMap((account) => {
      const { name, budget, tables: members } = account;
      const { committed } = countedFor(account, accounts, ledger.totals);
      const spent = budget === null ? 0 : epsilonOf(committed, budget.delta);
      return [
        ...(budget === null || spent <= budget.epsilon
          ? []
          : [
              `Population ${name} has already spent more than epsilon ${budget.epsilon}: no further study could join with its tables.`,
            ]),
        ...(present.ok ? raised(present.value, account) : []),
        ...members
          .filter((table) => !tables.names.includes(table))
          .map((table) => `Population ${name} names table ${table}, which config.yaml does not have.`),
      ];
    }),
    ...(present.ok ? tables.names.flatMap((table) => moved(table, present.value, edited)) : []),
  ];
}

/** A budget that grows is the hospital's to give, and nothing takes back what is spent of it. */
function raised(present: Policy, { name, budget }: PopulationBudget): string[] {
  const before = populations(present).find((one) => one.name === name)?.budget;
  if (before === undefined || before === null) return [];
  if (budget === null) return [`Population ${name} has no limit any more.`];
  if (budget.epsilon <= before.epsilon) return [];
  return [
    `Population ${name} may spend epsilon ${budget.epsilon} in place of ${before.epsilon}: its patients are protected less.`,
  ];
}

function moved(table: string, present: Policy, edited: Policy): string[] {
  const from = populationOf(present, table)?.name ?? null;
  const to = populationOf(edited, table)?.name ?? null;
  if (to === null)
    return [`Table ${table} belongs to no population: every study of it is refused (POLICY_POPULATION).`];
  if (from === null || from === to) return [];
  return [
    `Table ${table} moves from population ${from} to ${to}. What its records have spent counts against both from now on.`,
  ];
}
