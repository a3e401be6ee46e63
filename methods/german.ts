import { de as describe } from "./describe/words/de.js";
import type { english } from "./english.js";
import { de as regression } from "./regression/words/de.js";
import { de as survival } from "./survival/words/de.js";

/** Every method's own sentences in German. */
export const german: typeof english = {
  ...describe,
  ...regression,
  ...survival,
};
