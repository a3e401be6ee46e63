import type { Name, Words } from "../said.js";
import type { StudyFaultSays } from "../says/studyFaults.js";

/** Types of the schema and of values; one that is not here is called as the schema calls it. */
const types: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  tuple: "a list",
  object: "keys and values",
  record: "keys and values",
  null: "nothing",
  undefined: "nothing",
  nan: "not a number",
  date: "a date",
};
const typed = (type: Name) => types[type] ?? type;

const counted: Readonly<Record<string, readonly [one: string, many: string]>> = {
  string: ["character", "characters"],
  array: ["entry", "entries"],
  object: ["key", "keys"],
  record: ["key", "keys"],
};
function bounded({ bound, of }: { readonly bound: number; readonly of: Name }): string {
  const units = counted[of];
  return units === undefined ? `${bound}` : `${bound} ${units[bound === 1 ? 0 : 1]}`;
}

const cells: Readonly<Record<string, string>> = { column: "a column's name", level: "a level" };
const kinds: Readonly<Record<string, string>> = { number: "a number", date: "a date", level: "a level" };
const either = (names: readonly Name[]) => `did you mean ${names.join(" or ")}?`;

const roundNumber = (side: string) =>
  `write a round number that no plausible value lies ${side}; public knowledge, never read from records`;
const toWrite: Readonly<Record<string, string>> = {
  type: "write numeric with min and max, or categorical with levels",
  min: roundNumber("below"),
  max: roundNumber("above"),
  levels: "write every value that it may have; public knowledge, never read from records",
};

export const studyFaults: Words<StudyFaultSays> = {
  "fault.no-such-key": () => "no such key; remove it or correct its spelling",
  "fault.missing": () => "missing",
  "fault.type": ({ wanted, got }) => `expected ${typed(wanted)}, got ${typed(got)}`,
  "fault.value": ({ allowed }) =>
    allowed.length === 1 ? `expected ${allowed[0]}` : `expected one of: ${allowed.join(", ")}`,
  "fault.form": ({ got }) => `expected another form, got ${typed(got)}`,
  "fault.format": ({ format }) => `not a valid ${format === "regex" ? "name" : format}`,
  "fault.at-least": (params) => `at least ${bounded(params)}`,
  "fault.above": (params) => `greater than ${bounded(params)}`,
  "fault.at-most": (params) => `at most ${bounded(params)}`,
  "fault.below": (params) => `less than ${bounded(params)}`,
  "fault.from-to": ({ min, max }) => `from ${min} to ${max}`,
  "fault.whole-number": () => "a whole number",
  "fault.duration": ({ min, max }) => `must lie between ${min / 1000}s and ${max / 86_400_000}d`,
  "fault.unstorable": () => "NUL characters and halves of surrogate pairs are not allowed",
  "fault.blank": () => "write it, or leave the key out",

  "fault.analysis": ({ known }) => `analysis must be one of: ${known.join(", ")}`,
  "fault.method": ({ analysis, known }) => `method of ${analysis} must be one of: ${known.join(", ")}`,
  "fault.edition": ({ method, edition }) => `${method} has no edition ${edition} in this version`,
  "fault.first-edition": () => "2 or more; leave it out for the first edition",
  "fault.flow": () => "true, or left out",
  "fault.study-name": () => "a study's name holds a-z, 0-9 and single hyphens",
  "fault.table-name": () => "a table's name holds letters, digits, _ and -",

  "fault.cell-controls": ({ of }) => `${cells[of]} holds no control characters`,
  "fault.cell-surrogate": ({ of }) => `${cells[of]} holds no half of a surrogate pair`,
  "fault.cell-formula": () =>
    "a spreadsheet would compute it: it may not begin with = or @, nor with + or - unless a number or nothing follows",
  "fault.feature-needed": () => "declare at least one feature",
  "fault.levels-needed": () => "declare at least two levels",
  "fault.levels-differ": () => "levels must differ from each other",
  "fault.levels-alike": ({ first, second }) =>
    `${first} and ${second} are one level to every hospital: blanks around a text and forms of accents are not told apart; write it once`,
  "fault.levels-unquoted": () => 'levels are text: put them in quotes, such as "1"',
  "fault.feature-type": () => "type must be numeric or categorical",
  "fault.column-type": () => "type must be numeric, categorical or date",
  "fault.missing-rule": () => "`reject-row`, `own-level` or { constant }",
  "fault.missing-constant": () => "the constant must lie between min and max",
  "fault.missing-uncounted": ({ method }) =>
    `${method} cannot compute with missing numbers; write reject-row or a constant`,
  "fault.detection-rule": () => "`half`, `bound`, `missing` or a number",
  "fault.edge-needed": () => "declare at least one edge",
  "fault.edges-ascend": () => "edges must ascend, each greater than the one before",
  "fault.edges-within": () => "edges must be greater than min and at most max",
  "fault.edges-lacking": ({ column }) =>
    `numeric column "${column}" has no edges; declare them, or set parameters.bins for intervals of equal width`,
  "fault.increase": () => "per is at most max less min",
  "fault.max-min": () => "max must be greater than min",
  "fault.declared-twice": ({ column, feature }) =>
    `column "${column}" is declared already at features[${feature}]`,
  "fault.label-twice": ({ column, feature }) => `column "${column}" is a feature too (features[${feature}])`,
  "fault.undeclared": ({ column }) =>
    `column "${column}" is not declared in features; declare it, or correct its name`,
  "fault.letter-case": ({ first, second }) =>
    `columns "${first}" and "${second}" differ in letter case alone; a release needs other names`,
  "fault.no-level": ({ level, column, levels }) =>
    `"${level}" is not a level of ${column}; take one of: ${levels.join(", ")}`,

  "fault.map-form": () =>
    "{ text of the table: level, … }, or for numbers [{ below: number, level }, …, { level }]",
  "fault.map-intervals": () => "declare at least two intervals",
  "fault.map-ascend": () => "intervals ascend by `below`, which only the last may leave out",
  "fault.map-level": ({ level }) => `"${level}" is not among the levels`,
  "fault.map-idle": ({ level }) => `nothing becomes "${level}"; remove the level, or say what does`,
  "fault.date-form": () => "`year`, { days-since: … } or { age-at: … }",
  "fault.other-level": ({ level }) => `${level} is what undeclared values count as: call the level otherwise`,
  "fault.date-as": ({ column }) => `${column} is a date: write as: year, days-since or age-at`,
  "fault.date-undeclared": ({ text, near }) =>
    near.length > 0
      ? `columns declares no date "${text}"; ${either(near)}`
      : `declare "${text}" under columns, with type: date`,
  "fault.no-day": ({ text }) => `${text} is no day of the calendar`,
  "fault.no-date": ({ text }) => `${text} is no date: a date is written 2015-01-31`,
  "fault.omop-made": ({ column }) =>
    `an OMOP plan makes column "${column}" itself; leave from, map and as out`,
  "fault.omop-columns": () => "a table in OMOP has the plan's columns alone; remove it",
  "fault.column-known": ({ column }) =>
    `"${column}" is declared already; give the feature or label another name, with from: ${column}`,
  "fault.column-unread": ({ column }) => `nothing reads "${column}"; remove it`,

  "fault.patient-read": ({ column }) =>
    `column "${column}" is read as a feature, the label or for where too: whose row it is must not enter the computation`,
  "fault.patient-weights": ({ method }) =>
    `${method} cannot weigh rows by patient; write weighting: rows, or remove it`,
  "fault.patient-one-row": () => "1: a patient has one time of follow-up, so one row",
  "fault.sites-three": () => "at least 3: with two sites a sum shows each one the other's part",
  "fault.sites-once": () => "name each site once",
  "fault.sites-few": () => "fewer sites named than minimumSites",
  "fault.colluding-honest": () => "at most minimumSites - 2: two honest sites at least must remain",
  "fault.colluding-noise": () =>
    "at least 1: every site knows its own share of the noise and must not count on it",
  "fault.rows-beyond": () => "more than maxRowsPerSite times the sites; correct either",
  "fault.events-beyond": () => "more than expectedRows; correct either",
  "fault.privacy": () => "either `none` or { epsilon, delta } with epsilon > 0 and 0 < delta < 1",
  "fault.delta": ({ max }) =>
    `at most ${max} for variant sound: with probability delta the guarantee may fail altogether; choose one well below 1 in the number of patients, such as 1e-6`,
  "fault.rho-paper": () => "only for variant sound, whose stages share a proven ρ; remove it",
  "fault.rho-exact": ({ rho, epsilon, allowed }) =>
    `at rho ${rho} the plan costs epsilon ${epsilon}, the study allows ${allowed}; lower rho`,
  "fault.rho-zcdp": ({ rho, epsilon, lower }) =>
    `at rho ${rho} the plan costs epsilon ${epsilon} by zCDP, and no exact accounting of it is proven; lower rho to ${lower}, or remove it`,
  "fault.sums-without-noise": () =>
    "false where privacy is none: without noise a sum shows records; remove it, or write privacy: { epsilon, delta }",
  "fault.sums-paper": () =>
    "false for variant paper: what its sums show of a record is not proven; remove it",
  "fault.sums-stage": ({ stage }) => `stage ${stage} is no proven sum with noise; remove it`,
  "fault.ring": () =>
    "noise of this size does not fit 64-bit numbers; raise epsilon, or lower maxRowsPerSite or patient.maxRows",
  "fault.title": () => "give a title that says what this release is about",
  "fault.placeholder": ({ key }) =>
    `still a placeholder: ${toWrite[key] ?? "write what it is to say, or remove the key"}`,

  "fault.centre": () => "one number from 0 to 1, or a list of them",
  "fault.evaluation": () => "either `none` or { heldOut, share }",
  "fault.classes-missing": () =>
    "missing: boosted trees learn to tell the two levels of a label apart; declare it",
  "fault.two-classes": ({ levels }) =>
    `${levels} levels; boosted trees tell exactly two apart: use correlation-tree, or make the label two levels`,
  "fault.components": ({ components, columns }) =>
    `${components} components asked of ${columns} columns; ask at most ${columns}`,
  "fault.select": ({ select, features }) =>
    `${select} features asked of ${features}; ask at most ${features}`,
  "fault.newton": ({ max, features }) =>
    `newton takes at most ${max} features, here are ${features}; use lbfgs`,
  "fault.held-table": ({ rows, columns, max }) =>
    `${rows} rows of ${columns} design columns do not fit in a site's memory, and nearest neighbours need all of them; at most ${max} rows, or use felp-a, which reads row by row`,
  "fault.depth": ({ depth, features }) =>
    `${depth} levels of ${features} ${features === 1 ? "feature" : "features"}, each asked once on a path; ask at most ${features}`,
  "fault.group-one-row": () => "at least 1, which tests nothing",
  "fault.group-rows": ({ k, rows }) =>
    `groups of ${k} rows where there are at most ${rows} in all; lower k, or raise maxRowsPerSite`,
  "fault.stages": ({ stages, max }) =>
    `${stages} stages, one for each level of a tree and one for each feature, over the limit of ${max}; declare fewer features, or lower trees or depth`,
  "fault.histogram": ({ numbers, max }) =>
    `a histogram of ${numbers} numbers is over the limit of ${max}; lower bins, or declare fewer features`,
  "fault.last-level": ({ numbers, max }) =>
    `the last level of a tree takes ${numbers} numbers, over the limit of ${max}; lower depth, or declare fewer bins`,
  "fault.cuts": ({ numbers, max }) =>
    `choosing cuts takes ${numbers} numbers, over the limit of ${max}; declare fewer bins`,
  "fault.follow-up-edges": ({ edges, max }) => `${edges} edges; at most ${max}`,
  "fault.horizon-edge": () => "the last edge is the horizon, which ends the last interval anyway; remove it",

  "dictionary.line": ({ line, what }, { say }) => `line ${line}: ${say(what)}`,
  "dictionary.key": ({ key, what }, { say }) => `${key}: ${say(what)}`,
  "dictionary.name-twice": ({ name }) => `a line above has the name ${name}`,
  "dictionary.type": ({ type, known }, { list }) => `type ${type}: expected ${list(known)}`,
  "dictionary.header": ({ lacking, known }, { list }) =>
    `the header has no column ${list(lacking)}; a dictionary has ${list(known)}`,
  "dictionary.no-feature": () => "no line names a feature",
  "dictionary.no-label": ({ name }) => `no line has the name ${name} of --label`,

  "where.at": ({ line, character, what }, { say }) => `line ${line}, column ${character}: ${say(what)}`,
  "where.written-otherwise": ({ text, own }) => `${text} is written ${own} here`,
  "where.no-end": ({ mark }) => `the quotation that begins with ${mark} has no end`,
  "where.means-nothing": ({ text }) => `${text} means nothing here`,
  "where.joined": ({ text, near }) =>
    `expected and, or or the end, not ${text}${near.length === 0 ? "" : `; ${either(near)}`}`,
  "where.nested": ({ max }) => `conditions are nested more than ${max} deep`,
  "where.column-first": () => "a condition begins with a column: write age >= 18, not 18 <= age",
  "where.compared": ({ column, text, near, negated }) =>
    `expected ${negated === 1 ? "in or between" : "=, !=, <, <=, >, >=, in, between or is missing"} behind ${column}, not ${text}${near.length === 0 ? "" : `; ${either(near)}`}`,
  "where.list": ({ column }) => `a list holds numbers, dates or text in quotation marks: write "${column}"`,
  "where.term": ({ text, keyword }) =>
    `expected a column, a number, a date or text in quotation marks, not ${text ?? "the end"}${keyword === null ? "" : `; a column of this name is written \`${keyword}\``}`,
  "where.too-large": () => "the number is too large",
  "where.expected": ({ wanted, text }) => `expected ${wanted}, not ${text ?? "the end"}`,
  "where.no-order": ({ column }) => `${column} has levels, which have no order: compare with =, != or in`,
  "where.no-column": ({ text, near }) =>
    `the study declares no column ${text}: ${near.length === 0 ? "declare it under features or columns, and write text in quotation marks" : either(near)}`,
  "where.column-level": ({ column, level }) =>
    `${column} has levels: write one in quotation marks, such as "${level}"`,
  "where.kinds": ({ column, kind, other, otherKind }) =>
    `${column} is ${kinds[kind]} and ${other} is ${kinds[otherKind]}`,
  "where.text-needed": ({ column, text }) => `${column} has levels, which are text: write "${text}"`,
  "where.no-level": ({ column, text, near }) =>
    `${column} has no level ${text}: ${near.length === 0 ? "declare it" : either(near)}`,
  "where.number-or-date": ({ column, kind }) =>
    `${column} is ${kinds[kind]}: compare it with ${kind === "date" ? "a date without quotation marks, such as 2015-01-31" : "a number, such as 18"}`,
  "fault.sound-alone": ({ methods }, { list }) =>
    `${list(methods)} ${methods.length === 1 ? "is" : "are"} \`sound\`: nobody published another variant`,
  "fault.sound": ({ methods, paper }, { list }) =>
    `${list(methods)} ${methods.length === 1 ? "is" : "are"} \`sound\`; the ${paper.length === 1 ? "method" : "methods"} of \`variant: paper\` ${paper.length === 1 ? "is" : "are"} ${list(paper)}`,
  "fault.sound-published": ({ method, paper }) =>
    `${method} is \`sound\`; the published method is ${paper}, of \`variant: paper\``,
  "fault.paper": ({ methods, proven }, { list }) =>
    `${list(methods)} ${methods.length === 1 ? "is" : "are"} of \`variant: paper\`, ${methods.length === 1 ? "its" : "their"} privacy is not proven; write that, or use ${proven}`,
};
