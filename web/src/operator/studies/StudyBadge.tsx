import type { StudySummary } from "@consilium/core/operator/views";
import { Badge } from "../../shared/components";
import { statusTones, statusWords, waitingWords } from "./wording";

/** A study's status; or what it waits for, if that is not a site. */
export function StudyBadge({ study }: { readonly study: Pick<StudySummary, "status" | "waiting"> }) {
  if (study.waiting !== null) return <Badge tone="warn">{waitingWords(study.waiting.code)}</Badge>;
  return <Badge tone={statusTones[study.status]}>{statusWords[study.status]}</Badge>;
}
