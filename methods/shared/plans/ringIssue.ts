import type { MethodIssue } from "@consilium/core/method/method";
import { sentences } from "@consilium/core/said";
import type { StudyFaultSays } from "@consilium/words/says/studyFaults";

/** Of a study whose noise or sums are too large for the ring. */
export const ringIssue: MethodIssue = [["privacy", "epsilon"], sentences<StudyFaultSays>()("fault.ring", {})];
