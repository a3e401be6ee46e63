/** Marks a site agent's folder as restored from a backup; see `restoredCopy.ts` there. */
export const restoredFile = "restored.json";
