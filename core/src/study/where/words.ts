import { assertNever } from "../../result.js";
import type { Expression, Sign, Term } from "./expression.js";

/** An expression in words, for the people who decide about it. */
export function expressionWords(expression: Expression): string {
  return words(expression, false);
}

const signWords: Readonly<Record<Sign, string>> = {
  "=": "is",
  "!=": "is not",
  "<": "is below",
  "<=": "is at most",
  ">": "is above",
  ">=": "is at least",
};

function words(expression: Expression, isNot: boolean): string {
  const not = isNot ? " not" : "";
  switch (expression.op) {
    case "and":
    case "or":
      return expression.of.map((one) => inner(one)).join(`, ${expression.op} `);
    case "not": {
      const { of } = expression;
      if (of.op === "in" || of.op === "between" || of.op === "missing") return words(of, true);
      return `it is not true that ${inner(of)}`;
    }
    case "compare":
      return `${shown(expression.left)} ${signWords[expression.sign]} ${shown(expression.right)}`;
    case "between":
      return `${shown(expression.left)} is${not} from ${shown(expression.least)} to ${shown(expression.most)}, both included`;
    case "in":
      return `${shown(expression.left)} is${not} one of ${expression.values.map(shown).join(", ")}`;
    case "missing":
      return `${shown(expression.left)} is${not} missing`;
    default:
      return assertNever(expression);
  }
}

const inner = (one: Expression) =>
  one.op === "and" || one.op === "or" ? `(${words(one, false)})` : words(one, false);

const shown = ({ kind, value }: Term) => (kind === "text" ? `"${value}"` : String(value));
