/** The hidden command that completion scripts call. It is not in the help. */
export const completeWord = "__complete";
