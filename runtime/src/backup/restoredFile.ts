/** The file by which a site agent knows that its folder came from a backup; see `restoredCopy.ts` there. */
export const restoredFile = "restored.json";
