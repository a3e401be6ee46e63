/** Header of a list that has pages: how many entries there are on all of them. */
export const totalHeader = "x-total-count";
