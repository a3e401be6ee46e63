import type { ProtectionTable } from "@consilium/core/hospital/dataProtectionViews";
import { listed } from "@consilium/core/words";
import { sourceWords } from "../data/sources/words.js";
import { columnsOf } from "../policy/judge.js";
import { type Policy, populationOf } from "../policy/policy.js";
import type { SiteFacts } from "./facts.js";

/** The tables that studies may name: where they come from and what they hold, without a value, a path or a query. */
export function tablesNamed(facts: SiteFacts): ProtectionTable[] {
  return facts.config.tables.map((config) => {
    const { name } = config;
    const described = facts.descriptions.find((one) => one.name === name);
    const studies = facts.studies.filter(({ study }) => study.table === name);
    const joined = studies.filter(({ record }) => record.exchangeKey !== null);
    return {
      name,
      source: sourceWords(config),
      columns: (described?.columns ?? []).map((column) => ({ ...column })),
      population: populationOf(facts.policy, name)?.name ?? "none: studies of this table are refused",
      columnRule: ruleWords(facts.policy, name),
      columnsRead: distinct(joined.flatMap(({ study }) => columnsOf(study))),
      patientColumns: distinct(
        studies.flatMap(({ study }) => (study.patient === undefined ? [] : [study.patient.column])),
      ),
    };
  });
}

function ruleWords(policy: Policy, table: string): string | null {
  const rule = Object.hasOwn(policy.columns, table) ? policy.columns[table] : undefined;
  if (rule === undefined) return null;
  if (rule.deny !== undefined) return `all but ${listed(rule.deny)}`;
  return `${listed(rule.allow ?? []) || "none"}; no other`;
}

function distinct(names: readonly string[]): string[] {
  return [...new Set(names)];
}
