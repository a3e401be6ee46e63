import { ConsiliumError } from "@consilium/core/errors";
import type { Session } from "../session.js";

/** Asks a person on the terminal. @throws ConsiliumError USAGE without a terminal to ask on */
export async function confirmed(
  session: Session,
  question: { readonly ask: string; readonly otherwise: string; readonly remedy: string },
): Promise<boolean> {
  const answer = session.json ? null : await session.io.ask(`${question.ask} Type yes: `);
  if (answer === null) {
    throw new ConsiliumError("USAGE", "this decision needs a confirmation on a terminal", {
      remedy: question.remedy,
    });
  }
  if (answer.trim().toLowerCase() === "yes") return true;
  session.print(question.otherwise);
  return false;
}
