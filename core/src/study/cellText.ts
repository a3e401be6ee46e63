/**
 * Which texts a spreadsheet would compute instead of show. Levels and names of columns are the operator's own words, and
 * stand in the cells and headers of a release's `data.csv`, which must hold them exactly: so they are refused in the
 * study, where an apostrophe put before them would be another level.
 *
 * What Excel does with a cell of a CSV file, quoted or not, and LibreOffice where formulas are evaluated on import:
 * - `=` begins a formula, `@` as well (Lotus 1-2-3 began functions with it).
 * - `+` and `-` begin one unless a plain number follows, which is that number. Signs that nothing follows are no
 *   expression and stay text: `-`, `+`, `+++` and `+/-` are levels of real tables.
 * - White space before any of these is skipped, by some imports, and the wide forms of East Asian keyboards count as the
 *   narrow ones.
 * - Where the list separator is a semicolon, as in much of Europe, a semicolon begins a cell. A comma does not: the file
 *   has fields that hold one in quotes, and levels such as `(-1.5, -0.5]` are common.
 */
export function isFormula(text: string): boolean {
  return text.split(";").some((cell) => {
    const narrow = cell.trimStart().normalize("NFKC");
    if (/^[=@]/.test(narrow)) return true;
    return /^[+-]/.test(narrow) && !plainNumber.test(narrow) && !signsAlone.test(narrow);
  });
}

const plainNumber = /^[+-](?:\d+[.,]?\d*|[.,]\d+)(?:e[+-]?\d+)?\s*%?\s*$/i;
const signsAlone = /^[+\-/\s]+$/;
