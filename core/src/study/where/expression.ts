/** A cohort's condition as a tree. `at` is a term's offset in the text that it was read from, for messages. */

export const signs = ["=", "!=", "<", "<=", ">", ">="] as const;
export type Sign = (typeof signs)[number];

interface Placed {
  readonly at: number;
}
export interface Name extends Placed {
  readonly kind: "column";
  readonly value: string;
}
export type Literal = Placed &
  (
    | { readonly kind: "number"; readonly value: number }
    | { readonly kind: "text"; readonly value: string }
    /** As it is written, `2015-01-31`. */
    | { readonly kind: "date"; readonly value: string }
  );
export type Term = Name | Literal;

export type Expression =
  | { readonly op: "and" | "or"; readonly of: readonly Expression[] }
  | { readonly op: "not"; readonly of: Expression }
  | { readonly op: "compare"; readonly left: Name; readonly sign: Sign; readonly right: Term }
  | { readonly op: "between"; readonly left: Name; readonly least: Term; readonly most: Term }
  | { readonly op: "in"; readonly left: Name; readonly values: readonly Literal[] }
  | { readonly op: "missing"; readonly left: Name };

export const keywords: ReadonlySet<string> = new Set(["and", "or", "not", "in", "between", "is", "missing"]);
