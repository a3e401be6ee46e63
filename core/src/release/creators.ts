/** Somebody to cite: a person, or an institution by its name. */
export type Creator =
  | {
      readonly kind: "person";
      readonly family: string;
      readonly given: string;
      readonly affiliation: string | null;
    }
  | { readonly kind: "institution"; readonly name: string };

/** `Family, Given`, and where they work in brackets. */
const person = /^([^,;()]+), ([^,;()]+?)(?: \(([^()]+)\))?$/;

/**
 * Whom a release names as its creators: persons as `Family, Given (affiliation)`, separated by semicolons. Any other text is
 * the name of one institution.
 */
export function creatorsOf(text: string): Creator[] {
  const people = text.split(";").map((part) => person.exec(part.trim()));
  return people.every((found) => found !== null)
    ? people.map(([, family, given, affiliation]) => ({
        kind: "person",
        family: family!,
        given: given!,
        affiliation: affiliation ?? null,
      }))
    : [{ kind: "institution", name: text }];
}
