import type { StudySummary } from "@consilium/core/operator/views";
import { Badge } from "../../shared/components";
import { statusTones, statusWords, waitingWords } from "./wording";

/** A study's status; what it waits for, where that is nothing that sites do. */
export function StudyBadge({ study }: { readonly study: Pick<StudySummary, "status" | "waiting"> }) {
  if (study.waiting !== null) return <Badge tone="warn">{waitingWords(study.waiting.code)}</Badge>;
  return <Badge tone={statusTones[study.status]}>{statusWords[study.status]}</Badge>;
}
