/** What a reader is told. */
export const toyNotes = ["Both counts carry the sites' noise."];
