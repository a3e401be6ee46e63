/** Stages of a plan at most: the certificate lists every one of them, with all that it discloses. */
export const stagesMost = 400;
