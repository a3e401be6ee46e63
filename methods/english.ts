import { en as describe } from "./describe/words/en.js";
import { en as regression } from "./regression/words/en.js";
import { en as survival } from "./survival/words/en.js";

/** Every method's own sentences in English. */
export const english = {
  ...describe,
  ...regression,
  ...survival,
};
