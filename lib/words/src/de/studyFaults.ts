import type { Name, Words } from "../said.js";
import type { StudyFaultSays } from "../says/studyFaults.js";

/** As the English table has them. */
const types: Readonly<Record<string, string>> = {
  string: "Text",
  number: "eine Zahl",
  int: "eine ganze Zahl",
  boolean: "wahr oder falsch",
  array: "eine Liste",
  tuple: "eine Liste",
  object: "Schlüssel und Werte",
  record: "Schlüssel und Werte",
  null: "nichts",
  undefined: "nichts",
  nan: "keine Zahl",
  date: "ein Datum",
};
const typed = (type: Name) => types[type] ?? type;

const counted: Readonly<Record<string, readonly [one: string, many: string]>> = {
  string: ["Zeichen", "Zeichen"],
  array: ["Eintrag", "Einträge"],
  object: ["Schlüssel", "Schlüssel"],
  record: ["Schlüssel", "Schlüssel"],
};
/** As the study has it, with a comma. */
const written = (value: number) => String(value).replace(".", ",");
function bounded({ bound, of }: { readonly bound: number; readonly of: Name }): string {
  const units = counted[of];
  return units === undefined ? written(bound) : `${written(bound)} ${units[bound === 1 ? 0 : 1]}`;
}

const cells: Readonly<Record<string, string>> = { column: "der Name einer Spalte", level: "eine Ausprägung" };
const kinds: Readonly<Record<string, string>> = {
  number: "eine Zahl",
  date: "ein Datum",
  level: "eine Ausprägung",
};
const either = (names: readonly Name[]) => `meinten Sie ${names.join(" oder ")}?`;

const roundNumber = (side: string) =>
  `geben Sie eine runde Zahl an, ${side} der kein plausibler Wert liegt: aus allgemeinem Wissen, nie aus Datensätzen`;
const toWrite: Readonly<Record<string, string>> = {
  type: "schreiben Sie numeric mit min und max oder categorical mit levels",
  min: roundNumber("unter"),
  max: roundNumber("über"),
  levels: "geben Sie jeden möglichen Wert an: aus allgemeinem Wissen, nie aus Datensätzen",
};

export const studyFaults: Words<StudyFaultSays> = {
  "fault.no-such-key": () =>
    "diesen Schlüssel gibt es nicht; entfernen Sie ihn, oder berichtigen Sie seine Schreibweise",
  "fault.missing": () => "fehlt",
  "fault.type": ({ wanted, got }) => `erwartet ${typed(wanted)}, gefunden ${typed(got)}`,
  "fault.value": ({ allowed }) =>
    allowed.length === 1 ? `erwartet ${allowed[0]}` : `erwartet eines von: ${allowed.join(", ")}`,
  "fault.form": ({ got }) => `erwartet eine andere Form, gefunden ${typed(got)}`,
  "fault.format": ({ format }) => `nicht gültig als ${format === "regex" ? "Name" : format}`,
  "fault.at-least": (params) => `mindestens ${bounded(params)}`,
  "fault.above": (params) => `größer als ${bounded(params)}`,
  "fault.at-most": (params) => `höchstens ${bounded(params)}`,
  "fault.below": (params) => `kleiner als ${bounded(params)}`,
  "fault.from-to": ({ min, max }) => `von ${written(min)} bis ${written(max)}`,
  "fault.whole-number": () => "eine ganze Zahl",
  "fault.duration": ({ min, max }) =>
    `muss zwischen ${written(min / 1000)} s und ${written(max / 86_400_000)} d liegen`,
  "fault.unstorable": () => "NUL-Zeichen und halbe Surrogatpaare sind nicht erlaubt",
  "fault.blank": () => "schreiben Sie etwas, oder lassen Sie den Schlüssel weg",

  "fault.analysis": ({ known }) => `analysis muss eines sein von: ${known.join(", ")}`,
  "fault.method": ({ analysis, known }) => `method zu ${analysis} muss eines sein von: ${known.join(", ")}`,
  "fault.edition": ({ method, edition }) => `${method} hat in dieser Version keine Ausgabe ${edition}`,
  "fault.first-edition": () => "2 oder mehr; bei der ersten Ausgabe lassen Sie den Schlüssel weg",
  "fault.flow": () => "true, oder weggelassen",
  "fault.study-name": () => "der Name einer Studie besteht aus a-z, 0-9 und einzelnen Bindestrichen",
  "fault.table-name": () => "der Name einer Tabelle besteht aus Buchstaben, Ziffern, _ und -",

  "fault.cell-controls": ({ of }) => `${cells[of]} enthält keine Steuerzeichen`,
  "fault.cell-surrogate": ({ of }) => `${cells[of]} enthält keine halben Surrogatpaare`,
  "fault.cell-formula": () =>
    "ein Tabellenprogramm würde das berechnen: der Text darf nicht mit = oder @ beginnen, mit + oder - nur, wenn eine Zahl oder nichts folgt",
  "fault.feature-needed": () => "deklarieren Sie mindestens ein Merkmal",
  "fault.levels-needed": () => "deklarieren Sie mindestens zwei Ausprägungen",
  "fault.levels-differ": () => "die Ausprägungen müssen sich voneinander unterscheiden",
  "fault.levels-alike": ({ first, second }) =>
    `${first} und ${second} sind für jedes Krankenhaus eine Ausprägung: Leerzeichen um einen Text und Formen von Akzenten werden nicht unterschieden; schreiben Sie sie einmal`,
  "fault.levels-unquoted": () => 'Ausprägungen sind Text: setzen Sie sie in Anführungszeichen, etwa "1"',
  "fault.feature-type": () => "type muss numeric oder categorical sein",
  "fault.column-type": () => "type muss numeric, categorical oder date sein",
  "fault.missing-rule": () => "`reject-row`, `own-level` oder { constant }",
  "fault.missing-constant": () => "die Konstante muss zwischen min und max liegen",
  "fault.missing-uncounted": ({ method }) =>
    `${method} kann mit fehlenden Zahlen nicht rechnen; schreiben Sie reject-row oder eine Konstante`,
  "fault.detection-rule": () => "`half`, `bound`, `missing` oder eine Zahl",
  "fault.edge-needed": () => "deklarieren Sie mindestens eine Klassengrenze",
  "fault.edges-ascend": () => "die Klassengrenzen müssen aufsteigen, jede größer als die vorige",
  "fault.edges-within": () => "die Klassengrenzen müssen größer als min und höchstens max sein",
  "fault.edges-lacking": ({ column }) =>
    `die Zahlenspalte „${column}“ hat keine Klassengrenzen (edges); deklarieren Sie sie, oder setzen Sie parameters.bins für gleich breite Intervalle`,
  "fault.increase": () => "per ist höchstens max minus min",
  "fault.max-min": () => "max muss größer als min sein",
  "fault.declared-twice": ({ column, feature }) =>
    `die Spalte „${column}“ ist schon unter features[${feature}] deklariert`,
  "fault.label-twice": ({ column, feature }) =>
    `die Spalte „${column}“ ist auch ein Merkmal (features[${feature}])`,
  "fault.undeclared": ({ column }) =>
    `die Spalte „${column}“ ist unter features nicht deklariert; deklarieren Sie sie, oder berichtigen Sie ihren Namen`,
  "fault.letter-case": ({ first, second }) =>
    `die Spalten „${first}“ und „${second}“ unterscheiden sich nur in der Groß- und Kleinschreibung; eine Veröffentlichung braucht andere Namen`,
  "fault.no-level": ({ level, column, levels }) =>
    `„${level}“ ist keine Ausprägung von ${column}; nehmen Sie eine von: ${levels.join(", ")}`,

  "fault.map-form": () =>
    "{ Text der Tabelle: Ausprägung, … }, oder für Zahlen [{ below: Zahl, level }, …, { level }]",
  "fault.map-intervals": () => "deklarieren Sie mindestens zwei Intervalle",
  "fault.map-ascend": () => "Intervalle steigen nach `below` auf; nur beim letzten darf es fehlen",
  "fault.map-level": ({ level }) => `„${level}“ ist nicht unter den Ausprägungen`,
  "fault.map-idle": ({ level }) =>
    `nichts wird zu „${level}“; entfernen Sie die Ausprägung, oder geben Sie an, was dazu wird`,
  "fault.date-form": () => "`year`, { days-since: … } oder { age-at: … }",
  "fault.other-level": ({ level }) =>
    `als ${level} zählen nicht deklarierte Werte: nennen Sie die Ausprägung anders`,
  "fault.date-as": ({ column }) => `${column} ist ein Datum: schreiben Sie as: year, days-since oder age-at`,
  "fault.date-undeclared": ({ text, near }) =>
    near.length > 0
      ? `columns deklariert kein Datum „${text}“; ${either(near)}`
      : `deklarieren Sie „${text}“ unter columns mit type: date`,
  "fault.no-day": ({ text }) => `${text} ist kein Tag des Kalenders`,
  "fault.no-date": ({ text }) => `${text} ist kein Datum: ein Datum schreibt man 2015-01-31`,
  "fault.omop-made": ({ column }) =>
    `die Spalte „${column}“ bildet der OMOP-Plan selbst; lassen Sie \`from\`, \`map\` und \`as\` weg`,
  "fault.omop-columns": () =>
    "eine Tabelle in OMOP hat allein die Spalten des Plans; entfernen Sie den Schlüssel",
  "fault.column-known": ({ column }) =>
    `„${column}“ ist schon deklariert; geben Sie dem Merkmal oder der Zielgröße einen anderen Namen, mit \`from: ${column}\``,
  "fault.column-unread": ({ column }) => `nichts liest „${column}“; entfernen Sie die Spalte`,

  "fault.patient-read": ({ column }) =>
    `die Spalte „${column}“ wird auch als Merkmal, als Zielgröße oder für where gelesen: wessen Zeile es ist, darf nicht in die Berechnung eingehen`,
  "fault.patient-weights": ({ method }) =>
    `${method} kann Zeilen nicht nach Patienten gewichten; schreiben Sie weighting: rows, oder entfernen Sie den Schlüssel`,
  "fault.patient-one-row": () => "1: ein Patient hat eine Zeit der Nachbeobachtung, also eine Zeile",
  "fault.sites-three": () =>
    "mindestens 3: bei zwei Standorten zeigt eine Summe jedem den Anteil des anderen",
  "fault.sites-once": () => "nennen Sie jeden Standort einmal",
  "fault.sites-few": () => "es sind weniger Standorte genannt als minimumSites",
  "fault.colluding-honest": () =>
    "höchstens minimumSites - 2: mindestens zwei ehrliche Standorte müssen bleiben",
  "fault.colluding-noise": () =>
    "mindestens 1: jeder Standort kennt seinen Anteil am Rauschen und darf nicht darauf zählen",
  "fault.rows-beyond": () =>
    "mehr als maxRowsPerSite mal die Zahl der Standorte; berichtigen Sie eines von beiden",
  "fault.events-beyond": () => "mehr als expectedRows; berichtigen Sie eines von beiden",
  "fault.privacy": () => "entweder `none` oder { epsilon, delta } mit epsilon > 0 und 0 < delta < 1",
  "fault.delta": ({ max }) =>
    `höchstens ${written(max)} bei variant sound: mit der Wahrscheinlichkeit delta kann der Schutz ganz versagen; wählen Sie einen Wert weit unter 1 durch die Zahl der Patienten, etwa 1e-6`,
  "fault.rho-paper": () =>
    "nur bei variant sound, wo sich die Stufen ein bewiesenes ρ teilen; entfernen Sie den Schlüssel",
  "fault.rho-exact": ({ rho, epsilon, allowed }) =>
    `bei rho ${written(rho)} kostet der Plan epsilon ${written(epsilon)}, die Studie erlaubt ${written(allowed)}; senken Sie rho`,
  "fault.rho-zcdp": ({ rho, epsilon, lower }) =>
    `bei rho ${written(rho)} kostet der Plan nach zCDP epsilon ${written(epsilon)}, und eine genaue Abrechnung ist für ihn nicht bewiesen; senken Sie rho auf ${written(lower)}, oder entfernen Sie es`,
  "fault.sums-without-noise": () =>
    "false, wo privacy none ist: ohne Rauschen zeigt eine Summe Datensätze; entfernen Sie den Schlüssel, oder schreiben Sie privacy: { epsilon, delta }",
  "fault.sums-paper": () =>
    "false bei variant paper: was ihre Summen von einem Datensatz zeigen, ist nicht bewiesen; entfernen Sie den Schlüssel",
  "fault.sums-stage": ({ stage }) =>
    `die Stufe ${stage} ist keine bewiesene Summe mit Rauschen; entfernen Sie den Schlüssel`,
  "fault.ring": () =>
    "so großes Rauschen passt nicht in Zahlen von 64 Bit; erhöhen Sie epsilon, oder senken Sie maxRowsPerSite oder patient.maxRows",
  "fault.title": () => "geben Sie einen Titel an, der sagt, worum es in dieser Veröffentlichung geht",
  "fault.placeholder": ({ key }) =>
    `noch ein Platzhalter: ${toWrite[key] ?? "schreiben Sie, was dort stehen soll, oder entfernen Sie den Schlüssel"}`,

  "fault.centre": () => "eine Zahl von 0 bis 1, oder eine Liste davon",
  "fault.evaluation": () => "entweder `none` oder { heldOut, share }",
  "fault.classes-missing": () =>
    "fehlt: geboostete Bäume lernen, die beiden Ausprägungen einer Zielgröße (label) zu unterscheiden; deklarieren Sie sie",
  "fault.two-classes": ({ levels }) =>
    `${levels} Ausprägungen; geboostete Bäume unterscheiden genau zwei: verwenden Sie correlation-tree, oder bilden Sie zwei Ausprägungen`,
  "fault.components": ({ components, columns }) =>
    `${components} Komponenten sind verlangt, Spalten gibt es ${columns}; verlangen Sie höchstens ${columns}`,
  "fault.select": ({ select, features }) =>
    `${select} Merkmale sind verlangt, es gibt ${features}; verlangen Sie höchstens ${features}`,
  "fault.newton": ({ max, features }) =>
    `newton nimmt höchstens ${max} Merkmale, hier sind es ${features}; verwenden Sie lbfgs`,
  "fault.held-table": ({ rows, columns, max }) =>
    `${rows} Zeilen mit ${columns} Designspalten passen nicht in den Speicher eines Standorts, und nächste Nachbarn brauchen alle; höchstens ${max} Zeilen, oder verwenden Sie felp-a, das zeilenweise liest`,
  "fault.depth": ({ depth, features }) =>
    `${depth} Ebenen, und ${features === 1 ? "nur ein Merkmal, nach dem" : `${features} Merkmale, nach denen`} ein Pfad je einmal fragt; verlangen Sie höchstens ${features}`,
  "fault.group-one-row": () => "mindestens 1, womit nichts geprüft wird",
  "fault.group-rows": ({ k, rows }) =>
    `Gruppen von ${k} Zeilen, wo es insgesamt höchstens ${rows} gibt; senken Sie k, oder erhöhen Sie maxRowsPerSite`,
  "fault.stages": ({ stages, max }) =>
    `${stages} Stufen, eine je Ebene eines Baums und eine je Merkmal, sind mehr als die zulässigen ${max}; deklarieren Sie weniger Merkmale, oder senken Sie trees oder depth`,
  "fault.histogram": ({ numbers, max }) =>
    `ein Histogramm von ${numbers} Zahlen ist größer als die zulässigen ${max}; senken Sie bins, oder deklarieren Sie weniger Merkmale`,
  "fault.last-level": ({ numbers, max }) =>
    `die letzte Ebene eines Baums braucht ${numbers} Zahlen, zulässig sind ${max}; senken Sie depth, oder deklarieren Sie weniger Intervalle`,
  "fault.cuts": ({ numbers, max }) =>
    `die Wahl der Schnitte braucht ${numbers} Zahlen, zulässig sind ${max}; deklarieren Sie weniger Intervalle`,
  "fault.follow-up-edges": ({ edges, max }) => `${edges} Klassengrenzen; höchstens ${max}`,
  "fault.horizon-edge": () =>
    "die letzte Klassengrenze ist der Horizont, der das letzte Intervall ohnehin beendet; entfernen Sie sie",

  "dictionary.line": ({ line, what }, { say }) => `Zeile ${line}: ${say(what)}`,
  "dictionary.key": ({ key, what }, { say }) => `${key}: ${say(what)}`,
  "dictionary.name-twice": ({ name }) => `eine Zeile darüber hat den Namen ${name}`,
  "dictionary.type": ({ type, known }, { list }) => `Typ ${type}: erwartet ${list(known)}`,
  "dictionary.header": ({ lacking, known }, { list }) =>
    `der Kopfzeile fehlt ${list(lacking)}; ein Datenkatalog hat ${list(known)}`,
  "dictionary.no-feature": () => "keine Zeile nennt ein Merkmal",
  "dictionary.no-label": ({ name }) => `keine Zeile hat den Namen ${name} von --label`,

  "where.at": ({ line, character, what }, { say }) => `Zeile ${line}, Zeichen ${character}: ${say(what)}`,
  "where.written-otherwise": ({ text, own }) => `${text} schreibt man hier ${own}`,
  "where.no-end": ({ mark }) => `das Zitat, das mit ${mark} beginnt, hat kein Ende`,
  "where.means-nothing": ({ text }) => `${text} bedeutet hier nichts`,
  "where.joined": ({ text, near }) =>
    `erwartet \`and\`, \`or\` oder das Ende, nicht ${text}${near.length === 0 ? "" : `; ${either(near)}`}`,
  "where.nested": ({ max }) => `Bedingungen sind mehr als ${max}-fach verschachtelt`,
  "where.column-first": () =>
    "eine Bedingung beginnt mit einer Spalte: schreiben Sie age >= 18, nicht 18 <= age",
  "where.compared": ({ column, text, near, negated }) =>
    `erwartet ${negated === 1 ? "in oder between" : "=, !=, <, <=, >, >=, in, between oder `is missing`"} hinter ${column}, nicht ${text}${near.length === 0 ? "" : `; ${either(near)}`}`,
  "where.list": ({ column }) =>
    `eine Liste enthält Zahlen, Daten oder Text in Anführungszeichen: schreiben Sie "${column}"`,
  "where.term": ({ text, keyword }) =>
    `erwartet eine Spalte, eine Zahl, ein Datum oder Text in Anführungszeichen, nicht ${text ?? "das Ende"}${keyword === null ? "" : `; eine Spalte dieses Namens schreibt man \`${keyword}\``}`,
  "where.too-large": () => "die Zahl ist zu groß",
  "where.expected": ({ wanted, text }) => `erwartet ${wanted}, nicht ${text ?? "das Ende"}`,
  "where.no-order": ({ column }) =>
    `${column} hat Ausprägungen, und die haben keine Ordnung: vergleichen Sie mit =, != oder in`,
  "where.no-column": ({ text, near }) =>
    `die Studie deklariert keine Spalte ${text}: ${near.length === 0 ? "deklarieren Sie sie unter features oder columns, und setzen Sie Text in Anführungszeichen" : either(near)}`,
  "where.column-level": ({ column, level }) =>
    `${column} hat Ausprägungen: schreiben Sie eine in Anführungszeichen, etwa "${level}"`,
  "where.kinds": ({ column, kind, other, otherKind }) =>
    `${column} ist ${kinds[kind]} und ${other} ${kinds[otherKind]}`,
  "where.text-needed": ({ column, text }) =>
    `${column} hat Ausprägungen, und die sind Text: schreiben Sie "${text}"`,
  "where.no-level": ({ column, text, near }) =>
    `${column} hat keine Ausprägung ${text}: ${near.length === 0 ? "deklarieren Sie sie" : either(near)}`,
  "where.number-or-date": ({ column, kind }) =>
    `${column} ist ${kinds[kind]}: vergleichen Sie die Spalte mit ${kind === "date" ? "einem Datum ohne Anführungszeichen, etwa 2015-01-31" : "einer Zahl, etwa 18"}`,
  "fault.sound-alone": ({ methods }, { list }) =>
    `${list(methods)} ${methods.length === 1 ? "ist" : "sind"} \`sound\`: eine andere Variante hat niemand veröffentlicht`,
  "fault.sound": ({ methods, paper }, { list }) =>
    `${list(methods)} ${methods.length === 1 ? "ist" : "sind"} \`sound\`; zu \`variant: paper\` ${paper.length === 1 ? "gehört" : "gehören"} ${list(paper)}`,
  "fault.sound-published": ({ method, paper }) =>
    `${method} ist \`sound\`; die veröffentlichte Methode ist ${paper}, mit \`variant: paper\``,
  "fault.paper": ({ methods, proven }, { list }) =>
    `${list(methods)} ${methods.length === 1 ? "hat" : "haben"} \`variant: paper\`, der Schutz ist nicht bewiesen; schreiben Sie das, oder verwenden Sie ${proven}`,
};
