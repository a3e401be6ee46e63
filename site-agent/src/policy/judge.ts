import { ConsiliumError } from "@consilium/core/errors";
import { err, ok, type Result } from "@consilium/core/result";
import type { Plan } from "@consilium/core/study/plan";
import type { Study } from "@consilium/core/study/study";

/** What the hospital allows, of its configuration. */
export interface Policy {
  readonly allowPaperVariants: boolean;
  readonly allowNoPrivacy: boolean;
}

/** The hospital's own judgement of a study, from its own reading of the plan; before any record is read. */
export function judge(study: Study, plan: Plan, policy: Policy): Result<void, ConsiliumError> {
  switch (plan.claim.verdict) {
    case "no privacy":
      if (policy.allowNoPrivacy) return ok(undefined);
      return err(new ConsiliumError("POLICY_NO_PRIVACY", `study ${study.name} adds no noise anywhere`));
    case "claimed by the authors, not verified":
      if (policy.allowPaperVariants) return ok(undefined);
      return err(
        new ConsiliumError(
          "POLICY_VARIANT",
          `study ${study.name}: the privacy of ${study.method} is claimed, not proved`,
        ),
      );
    case "proved":
      return ok(undefined);
  }
}
