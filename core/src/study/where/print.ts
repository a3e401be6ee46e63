import { type Expression, keywords, type Term } from "./expression.js";

const bareName = /^[\p{L}_][\p{L}\p{N}_]*$/u;

/** The text that reads as this expression and no other. */
export function printExpression(expression: Expression): string {
  return print(expression, "");
}

/** @param not - `not ` within the predicate: `age not in (1, 2)` */
function print(expression: Expression, not: "" | "not "): string {
  switch (expression.op) {
    case "and":
    case "or":
      return expression.of.map(inner).join(` ${expression.op} `);
    case "not": {
      const { op } = expression.of;
      const isWithin = op === "in" || op === "between" || op === "missing";
      return isWithin ? print(expression.of, "not ") : `not ${inner(expression.of)}`;
    }
    case "compare":
      return `${term(expression.left)} ${expression.sign} ${term(expression.right)}`;
    case "between":
      return `${term(expression.left)} ${not}between ${term(expression.least)} and ${term(expression.most)}`;
    case "in":
      return `${term(expression.left)} ${not}in (${expression.values.map(term).join(", ")})`;
    case "missing":
      return `${term(expression.left)} is ${not}missing`;
  }
}

const inner = (one: Expression) =>
  one.op === "and" || one.op === "or" ? `(${print(one, "")})` : print(one, "");

function term({ kind, value }: Term): string {
  if (kind === "text") return `"${value.replaceAll('"', '""')}"`;
  if (kind !== "column") return String(value);
  return bareName.test(value) && !keywords.has(value.toLowerCase())
    ? value
    : `\`${value.replaceAll("`", "``")}\``;
}
