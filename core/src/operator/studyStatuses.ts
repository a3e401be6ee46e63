/** What a study may be, in the order in which it comes to be so. */
export const studyStatuses = [
  "inviting",
  "running",
  "publishing",
  "released",
  "failed",
  "cancelled",
] as const;
export type StudyStatus = (typeof studyStatuses)[number];
