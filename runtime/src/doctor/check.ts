import type { DoctorCheck } from "@consilium/core/hospital/doctorView";
import { readSaid } from "@consilium/core/readSaid";

/** A check's result, without its id and title. */
export type Verdict = Omit<DoctorCheck, "id" | "title">;

export const ok = (found: string): Verdict => ({ status: "ok", found, remedy: null, forIt: null });

export const skipped = (why: string): Verdict => ({
  status: "skipped",
  found: why,
  remedy: null,
  forIt: null,
});

export const warn = (found: string, remedy: string, forIt: string | null = null): Verdict => ({
  status: "warn",
  found,
  remedy,
  forIt,
});

export const fail = (found: string, remedy: string, forIt: string | null = null): Verdict => ({
  status: "fail",
  found,
  remedy,
  forIt,
});

export function check(id: string, title: string, verdict: Verdict): DoctorCheck {
  // A message of ours without a code has no full stop; as a sentence of its own it gets one.
  return {
    id,
    title,
    ...verdict,
    found: sentence(verdict.found),
    remedy: verdict.remedy && sentence(verdict.remedy),
  };
}

function sentence(text: string): string {
  if (readSaid(text) !== null) return text;
  const trimmed = text.trim().slice(0, 1_900);
  const capital = /^[a-z]+ /.test(trimmed) ? trimmed.charAt(0).toUpperCase() + trimmed.slice(1) : trimmed;
  return /[.!?]$/.test(capital) ? capital : `${capital}.`;
}
