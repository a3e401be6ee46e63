/** What `consilium study new` writes where only a person knows what belongs there: a study with it is refused. */
export const placeholder = "TODO";
