import type { Words } from "../said.js";
import type { ProfileSays } from "../says/profile.js";

const further = (more: number) => (more === 0 ? "" : ` und ${more} weitere`);
const valued = (value: number | null, number: (value: number) => string) =>
  value === null ? "ein und denselben Wert" : `den Wert ${number(value)}`;

export const profile: Words<ProfileSays> = {
  "profile.none-used": ({ rows }, { count }) =>
    `Von ${count(rows, "Zeile", "Zeilen")} kann die Studie keine verwenden: Dieses Krankenhaus nähme ohne Daten teil.`,
  "profile.few-used": ({ used, rows, percent }, { number, count }) =>
    `Die Studie kann ${number(used)} von ${count(rows, "Zeile", "Zeilen")} verwenden (${percent} %).`,
  "profile.unreadable": ({ rows }, { count }) =>
    `${count(rows, "Zeile lässt", "Zeilen lassen")} sich nicht zerlegen und ${rows === 1 ? "fällt" : "fallen"} weg: \`consilium site table test\` nennt die erste davon und den Schlüssel, der es behebt.`,
  "profile.rejects": ({ column, rows }, { count }) =>
    `${column} schließt ${count(rows, "Zeile", "Zeilen")} aus: Der Wert fehlt, oder die Studie lehnt ihn ab.`,
  "profile.wrong-type": ({ column, cells }, { count }) =>
    `${column}: In ${count(cells, "Zelle", "Zellen")} steht keine Zahl oder kein Datum in der Schreibweise der Studie.`,
  "profile.undeclared": ({ column, cells }, { count }) =>
    `${column}: In ${count(cells, "Zelle", "Zellen")} steht keine Ausprägung der Studie. Werden sie hier anders geschrieben?`,
  "profile.above": ({ column, percent, max, unit }, { number }) =>
    `${column}: ${percent} % der Werte liegen über dem Maximum von ${number(max)}${unit === null ? "" : ` ${unit}`} und zählen als dieses. Verwendet dieses Krankenhaus eine andere Einheit${unit === "years" ? ", etwa Tage statt Jahre" : ""}?`,
  "profile.below": ({ column, percent, min, unit }, { number }) =>
    `${column}: ${percent} % der Werte liegen unter dem Minimum von ${number(min)}${unit === null ? "" : ` ${unit}`} und zählen als dieses. Verwendet dieses Krankenhaus eine andere Einheit?`,
  "profile.one-value-above": ({ column, rows, max, value }, { number, count }) =>
    `${column}: ${count(rows, "Zeile hat", "Zeilen haben")} ${valued(value, number)} über dem Maximum von ${number(max)}. Wenn er für einen fehlenden Wert steht, nennen Sie ihn unter nullValues der Tabelle.`,
  "profile.one-value-below": ({ column, rows, min, value }, { number, count }) =>
    `${column}: ${count(rows, "Zeile hat", "Zeilen haben")} ${valued(value, number)} unter dem Minimum von ${number(min)}. Wenn er für einen fehlenden Wert steht, nennen Sie ihn unter nullValues der Tabelle.`,
  "profile.levels-unused": ({ column, levels, more }, { list }) =>
    `${column}: Keine verwendete Zeile hat ${list(levels)}${further(more)}.`,
  "profile.outcome-unused": ({ column, levels, more }, { list }) =>
    `Keine verwendete Zeile hat ${column} = ${list(levels)}${further(more)}: Ist die Zielgröße hier anders kodiert?`,
};
