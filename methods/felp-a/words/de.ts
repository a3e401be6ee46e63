import type { Words } from "@consilium/words/said";
import type { FelpASays } from "../says.js";

export const de: Words<FelpASays> = {
  "felp-a.prototypes": ({ label, columns, length }, { number }) =>
    `für jede Ausprägung von ${label} die Anzahl der Zeilen und die Summen ihrer ${number(columns)} Spalten, mit den deklarierten Grenzen auf 0 bis 1 abgebildet, mit öffentlichen Zahlen zentriert und auf Länge ${number(length)} begrenzt`,
  "felp-a.margins": ({ features, length, weighed }, { number }) =>
    `wie viel weiter Zeilen in jedem der ${number(features)} Merkmale vom nächsten verteilten Prototyp einer anderen Klasse entfernt liegen als von dem ihrer eigenen, auf Länge ${number(length)} begrenzt${weighed === 0 ? "" : ", jede Zeile danach gewichtet, wie schlecht die verteilten Gewichte ihre Klasse vorhersagen"}`,
  "felp-a.few-rows": ({ subject, needed, units, expected }, { say, number }) =>
    `${say(subject)} heben sich nur mit weit mehr als insgesamt ${number(needed)} ${say(units)} vom Rauschen ab; ${say(expected)} ist die Auswahl vor allem Zufall: erhöhen Sie epsilon, deklarieren Sie weniger Merkmale, oder laden Sie mehr Standorte ein`,
  "felp-a.features": ({ selected, of }, { number }) => `${number(selected)} von ${number(of)} Merkmalen`,
  "felp-a.classes": ({ classes, columns }, { number }) =>
    `die Prototypen von ${number(classes)} Klassen in ${number(columns)} Spalten`,
  "felp-a.centre-length": ({ numbers, columns }) =>
    `${numbers} Zahlen für ${columns} Designspalten; geben Sie eine Zahl an, oder ${columns}`,
  "felp-a.long-stage": ({ numbers, max }) =>
    `eine Stufe von ${numbers} Zahlen ist größer als die zulässigen ${max}; deklarieren Sie weniger Merkmale oder Ausprägungen`,
  "felp-a.broadcast": ({ what }, { say }) => `die Verteilung für felp-a ist ungültig (${say(what)})`,
  "felp-a.length": ({ name, length }) => `„${name}“ hat nicht ${length} Zahlen`,
  "felp-a.prototype-values": () =>
    "Prototypen, die keine Vielfachen von 2^-24 in den deklarierten Grenzen sind",
  "felp-a.presence": () => "Klassen, die weder da noch nicht da sind",
  "felp-a.weight-values": () => "Gewichte, die keine Vielfachen von 2^-24 in ihren Grenzen sind",
};
