import type { AnySaid, Name, None } from "../said.js";

/** A bound, and the type of what it bounds as the schema calls it: texts are counted in characters, lists in entries. */
type Bound = { readonly bound: number; readonly of: Name };
type Column = { readonly column: Name };
/** Of what was written, with the names that are near it. */
type Near = { readonly text: Name; readonly near: readonly Name[] };
/** Kind of a column's values: `number`, `date` or `level`. */
type Kind = Name;

/** Errors in a study's text that methods share: what a value is to be. A name of the text is cut after 128 characters. */
export interface StudyFaultSays {
  readonly "fault.no-such-key": None;
  readonly "fault.missing": None;
  /** @param wanted, got - types as the schema calls them: `string`, `int` */
  readonly "fault.type": { readonly wanted: Name; readonly got: Name };
  readonly "fault.value": { readonly allowed: readonly Name[] };
  readonly "fault.form": { readonly got: Name };
  readonly "fault.format": { readonly format: Name };
  readonly "fault.at-least": Bound;
  readonly "fault.above": Bound;
  readonly "fault.at-most": Bound;
  readonly "fault.below": Bound;
  readonly "fault.from-to": { readonly min: number; readonly max: number };
  readonly "fault.whole-number": None;
  /** @param min, max - in milliseconds */
  readonly "fault.duration": { readonly min: number; readonly max: number };
  readonly "fault.unstorable": None;
  readonly "fault.blank": None;

  readonly "fault.analysis": { readonly known: readonly Name[] };
  readonly "fault.method": { readonly analysis: Name; readonly known: readonly Name[] };
  readonly "fault.edition": { readonly method: Name; readonly edition: number };
  readonly "fault.first-edition": None;
  readonly "fault.flow": None;
  readonly "fault.study-name": None;
  readonly "fault.table-name": None;

  /** @param of - `column` or `level` */
  readonly "fault.cell-controls": { readonly of: Name };
  readonly "fault.cell-surrogate": { readonly of: Name };
  readonly "fault.cell-formula": None;
  readonly "fault.feature-needed": None;
  readonly "fault.levels-needed": None;
  readonly "fault.levels-differ": None;
  /** Levels that hospitals cannot tell apart, in quotation marks. */
  readonly "fault.levels-alike": { readonly first: Name; readonly second: Name };
  readonly "fault.levels-unquoted": None;
  readonly "fault.feature-type": None;
  readonly "fault.column-type": None;
  readonly "fault.missing-rule": None;
  readonly "fault.missing-constant": None;
  readonly "fault.missing-uncounted": { readonly method: Name };
  readonly "fault.detection-rule": None;
  readonly "fault.edge-needed": None;
  readonly "fault.edges-ascend": None;
  readonly "fault.edges-within": None;
  readonly "fault.edges-lacking": Column;
  readonly "fault.increase": None;
  readonly "fault.max-min": None;
  /** @param feature - index of the feature that declares it first */
  readonly "fault.declared-twice": Column & { readonly feature: number };
  readonly "fault.label-twice": Column & { readonly feature: number };
  readonly "fault.undeclared": Column;
  readonly "fault.letter-case": { readonly first: Name; readonly second: Name };
  readonly "fault.no-level": Column & { readonly level: Name; readonly levels: readonly Name[] };

  readonly "fault.map-form": None;
  readonly "fault.map-intervals": None;
  readonly "fault.map-ascend": None;
  readonly "fault.map-level": { readonly level: Name };
  readonly "fault.map-idle": { readonly level: Name };
  readonly "fault.date-form": None;
  readonly "fault.other-level": { readonly level: Name };
  readonly "fault.date-as": Column;
  readonly "fault.date-undeclared": { readonly text: Name; readonly near: readonly Name[] };
  readonly "fault.no-day": { readonly text: Name };
  readonly "fault.no-date": { readonly text: Name };
  readonly "fault.omop-made": Column;
  readonly "fault.omop-columns": None;
  readonly "fault.column-known": Column;
  readonly "fault.column-unread": Column;

  readonly "fault.patient-read": Column;
  readonly "fault.patient-weights": { readonly method: Name };
  readonly "fault.patient-one-row": None;
  readonly "fault.sites-three": None;
  readonly "fault.sites-once": None;
  readonly "fault.sites-few": None;
  readonly "fault.colluding-honest": None;
  readonly "fault.colluding-noise": None;
  readonly "fault.rows-beyond": None;
  readonly "fault.events-beyond": None;
  readonly "fault.privacy": None;
  readonly "fault.delta": { readonly max: number };
  readonly "fault.rho-paper": None;
  /** ε of a ρ that the study sets. @param allowed - its own ε */
  readonly "fault.rho-exact": { readonly rho: number; readonly epsilon: number; readonly allowed: number };
  /** @param lower - ρ that zCDP allows */
  readonly "fault.rho-zcdp": { readonly rho: number; readonly epsilon: number; readonly lower: number };
  readonly "fault.sums-without-noise": None;
  readonly "fault.sums-paper": None;
  readonly "fault.sums-stage": { readonly stage: Name };
  readonly "fault.ring": None;
  readonly "fault.title": None;
  /** @param key - of the value that is still to be written */
  readonly "fault.placeholder": { readonly key: Name };

  readonly "fault.centre": None;
  readonly "fault.evaluation": None;
  readonly "fault.classes-missing": None;
  readonly "fault.two-classes": { readonly levels: number };
  readonly "fault.components": { readonly components: number; readonly columns: number };
  readonly "fault.select": { readonly select: number; readonly features: number };
  readonly "fault.newton": { readonly max: number; readonly features: number };
  readonly "fault.held-table": { readonly rows: number; readonly columns: number; readonly max: number };
  readonly "fault.depth": { readonly depth: number; readonly features: number };
  readonly "fault.group-one-row": None;
  readonly "fault.group-rows": { readonly k: number; readonly rows: number };
  readonly "fault.stages": { readonly stages: number; readonly max: number };
  readonly "fault.histogram": { readonly numbers: number; readonly max: number };
  readonly "fault.last-level": { readonly numbers: number; readonly max: number };
  readonly "fault.cuts": { readonly numbers: number; readonly max: number };
  readonly "fault.follow-up-edges": { readonly edges: number; readonly max: number };
  readonly "fault.horizon-edge": None;

  /** @param line - of a data dictionary, from 1 */
  readonly "dictionary.line": { readonly line: number; readonly what: AnySaid };
  readonly "dictionary.key": { readonly key: Name; readonly what: AnySaid };
  readonly "dictionary.name-twice": { readonly name: Name };
  readonly "dictionary.type": { readonly type: Name; readonly known: readonly Name[] };
  readonly "dictionary.header": { readonly lacking: readonly Name[]; readonly known: readonly Name[] };
  readonly "dictionary.no-feature": None;
  readonly "dictionary.no-label": { readonly name: Name };

  /** @param line, character - where in the condition's text, from 1 */
  readonly "where.at": { readonly line: number; readonly character: number; readonly what: AnySaid };
  readonly "where.written-otherwise": { readonly text: Name; readonly own: Name };
  readonly "where.no-end": { readonly mark: Name };
  readonly "where.means-nothing": { readonly text: Name };
  /** @param text - in quotation marks; null at the text's end */
  readonly "where.joined": Near;
  readonly "where.nested": { readonly max: number };
  readonly "where.column-first": None;
  /** @param negated - 1 after `not` */
  readonly "where.compared": Near & Column & { readonly negated: number };
  readonly "where.list": Column;
  /** @param keyword - of the language, as a column might be called; null where it is none */
  readonly "where.term": { readonly text: Name | null; readonly keyword: Name | null };
  readonly "where.too-large": None;
  readonly "where.expected": { readonly wanted: Name; readonly text: Name | null };
  readonly "where.no-order": Column;
  readonly "where.no-column": Near;
  readonly "where.column-level": Column & { readonly level: Name };
  readonly "where.kinds": Column & { readonly kind: Kind; readonly other: Name; readonly otherKind: Kind };
  readonly "where.text-needed": Column & { readonly text: Name };
  readonly "where.no-level": Near & Column;
  readonly "where.number-or-date": Column & { readonly kind: Kind };
  readonly "fault.sound-alone": { readonly methods: readonly Name[] };
  readonly "fault.sound": { readonly methods: readonly Name[]; readonly paper: readonly Name[] };
  readonly "fault.sound-published": { readonly method: Name; readonly paper: Name };
  readonly "fault.paper": { readonly methods: readonly Name[]; readonly proven: Name };
}
