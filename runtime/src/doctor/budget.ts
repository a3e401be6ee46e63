import { isNearlySpent, isOfLate, usedPercent } from "@consilium/core/hospital/budgetUse";
import type { DoctorCheck } from "@consilium/core/hospital/doctorView";
import type { BudgetUse, SiteStatusView } from "@consilium/core/hospital/statusViews";
import { epsilonUp } from "@consilium/core/privacy/words";
import { check, ok, skipped, type Verdict, warn } from "./check.js";

/**
 * What is used of each privacy budget, and what was sent without a proof.
 * @param status - null where no agent runs; one of an earlier version does not say
 */
export function judgeBudgets(
  status: Partial<Pick<SiteStatusView, "budgets" | "unproven">> | null,
  now: number,
): DoctorCheck[] {
  if (status?.budgets === undefined)
    return [check("budget", "Privacy budget", skipped("not checked: no agent of this version is running"))];
  const { budgets, unproven = [] } = status;
  const late = unproven.filter((study) => isOfLate(study, now));
  return [
    ...budgets.map((use) =>
      check(`budget:${use.population}`, `Privacy budget of population ${use.population}`, judgeBudget(use)),
    ),
    ...(late.length === 0
      ? []
      : [
          check(
            "budget",
            "Studies without proven protection",
            warn(
              `data were sent, or may be, without a proof, which no budget covers: ${late.map(({ name }) => name).join(", ")}`,
              "unless these records may become known, allow only studies with a proof: `variants: [sound]` in policy.yaml",
            ),
          ),
        ]),
  ];
}

function judgeBudget({ held, limit, fits }: BudgetUse): Verdict {
  const used = epsilonUp(held);
  if (limit === null) return ok(`epsilon ${used} is used, without a limit`);
  const percent = usedPercent({ held, limit });
  if (!isNearlySpent({ held, limit })) return ok(`epsilon ${used} of ${limit} is used (${percent} %)`);
  if (fits === null || fits === 0)
    return warn(
      `epsilon ${used} of ${limit} is used (${percent} %), and no further study fits`,
      "every further study is refused, until the limit in policy.yaml is raised",
    );
  return warn(
    `epsilon ${used} of ${limit} is used (${percent} %); a study of at most epsilon ${fits} still fits`,
    "approve only the studies that matter most: what is spent never comes back",
  );
}
