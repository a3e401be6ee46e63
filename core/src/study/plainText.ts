/** Blanks, no-break and zero-width ones among them. */
export const blanks = " \t\r\n\v\f\u00a0\u202f\u200b\u200c\u200d\u2060\ufeff";
const isBlank = (character: string) => blanks.includes(character);

/** Takes time in proportion to the text, as all that reads a cell must: of a regular expression, blanks within a long text would take its square. */
export function trimBlanks(text: string): string {
  let [from, to] = [0, text.length];
  while (from < to && isBlank(text[from]!)) from++;
  while (from < to && isBlank(text[to - 1]!)) to--;
  return text.slice(from, to);
}

/** Text as it is compared: letters that look alike are one, in Unicode's normal form C. */
export function plainText(text: string): string {
  return trimBlanks(text).normalize("NFC");
}
