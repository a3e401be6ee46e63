import type { AnySaid, Param } from "@consilium/words/said";

const line = /^([a-z][a-z0-9-]*(?:\.[a-z0-9-]+)+) (\{.*\})$/;

/** The sentence that a line stands for; null for any other text. */
export function readSaid(text: string): AnySaid | null {
  const [, code, params] = line.exec(text) ?? [];
  if (code === undefined || params === undefined) return null;
  try {
    return { code, params: JSON.parse(params) as Record<string, Param> };
  } catch {
    return null;
  }
}
