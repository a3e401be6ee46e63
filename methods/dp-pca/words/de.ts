import type { Words } from "@consilium/words/said";
import type { DpPcaSays } from "../says.js";

export const de: Words<DpPcaSays> = {
  "dp-pca.rectangle": ({ columns, directions, rows }, { say, number }) =>
    `Produkte der ${number(columns)} Spalten mit ${number(directions)} verteilten Richtungen, mit dem Mittelwert und der Anzahl der Zeilen, über alle Standorte summiert; von ${say(rows)}`,
  "dp-pca.square": ({ columns, label, rows }, { say }) =>
    `die ${columns} × ${columns} Produkte der Spalten, mit ihren Summen und der Anzahl der Zeilen, über alle Standorte summiert${label === null ? "" : `, getrennt für jeden Wert von ${label}`}; von ${say(rows)}`,
  "dp-pca.reduced": ({ directions, label, rows }, { say, number }) =>
    `die ${directions} × ${directions} Produkte der Koordinaten der reduzierten Zeilen, mit ihren Summen und der Anzahl der Zeilen, über alle Standorte summiert${label === null ? "" : `, getrennt für jeden Wert von ${label}`}; von ${say(rows)}, auf ${number(directions)} verteilte Richtungen projiziert`,
  "dp-pca.rows": ({ chosen }) =>
    `Zeilen der Tabelle, mit den deklarierten Grenzen auf 0 bis 1 abgebildet, ${chosen === 0 ? "mit öffentlichen Zahlen zentriert" : "mit dem gewählten Zentrum zentriert, durch den gewählten Radius geteilt"}, auf Länge 1 begrenzt`,
  "dp-pca.declared": ({ what, reason }, { say }) =>
    `${say(what)}. Zentrum und Radius sind die deklarierten (ball: auto): ${say(reason)}`,
  "dp-pca.noise": ({ deviation, exponent }, { number }) =>
    `diskretes Gauß-Rauschen, ein Anteil von jedem Standort: Standardabweichung auf der Diagonale mindestens ${number(deviation)} in der Summe der wenigsten Standorte ohne die kolludierenden; jede Zeile auf Vielfache von 2^-${exponent} gerundet und ihre Länge in ganzen Zahlen geprüft`,
  "dp-pca.centre": ({ columns, reason, rows }, { say, number }) =>
    `zur Wahl eines Zentrums und eines Radius${reason === null ? "" : ` (ball: auto lässt sie wählen: ${say(reason)})`} die Summen der ${number(columns)} Spalten und die Anzahl der Zeilen; von ${say(rows)}`,
  "dp-pca.radius": ({ ranges }, { number }) =>
    `zur Wahl eines Radius, wie viele Zeilen der Tabelle in jedem von ${number(ranges)} Bereichen des Abstands vom verteilten Zentrum liegen`,
  "dp-pca.ball-no-noise": () => "ohne Rauschen bringt eine kleinere Kugel nichts",
  "dp-pca.ball-category": () =>
    "die 0/1-Spalten einer Kategorie füllen ihre Bereiche, und eine kleinere Kugel brächte wenig",
  "dp-pca.ball-rows-unknown": () =>
    "participation.expectedRows sagt nicht, ob es genug Zeilen gibt, um andere zu wählen",
  "dp-pca.ball-rows": ({ rows, needed }, { number }) =>
    `${number(rows)} erwartete Zeilen sind ${rows < needed ? "weniger als" : "mindestens"} die ${number(needed)}, die eine Wahl braucht`,
  "dp-pca.few-rows": ({ components, needed, units, expected }, { say, number }) =>
    `${number(components)} Komponenten heben sich nur mit weit mehr als insgesamt ${number(needed)} ${say(units)} vom Rauschen ab; ${say(expected)} sind Richtungen des Rauschens zu erwarten: erhöhen Sie epsilon, fragen Sie nach weniger Komponenten oder Spalten, oder laden Sie mehr Standorte ein`,
  "dp-pca.ball-noise": ({ expected, needed, units, patients }, { say, number }) =>
    `${say(expected)} wählt das Rauschen Zentrum und Radius mehr als die ${say(units)}: dafür braucht es ${number(needed)} ${say(units)}; verwenden Sie ball: declared, erhöhen Sie epsilon oder ballShare${patients === 0 ? "" : ", verringern Sie patient.maxRows"}, deklarieren Sie weniger Spalten, oder laden Sie mehr Standorte ein`,
  "dp-pca.centre-length": ({ numbers, columns }) =>
    `${numbers} Zahlen für ${columns} Spalten; geben Sie eine Zahl an, oder ${columns}`,
  "dp-pca.iterations": () => "nur mit form: iteration",
  "dp-pca.long-stage": ({ numbers, max }) =>
    `eine Stufe von ${numbers} Zahlen ist größer als die zulässigen ${max}; verwenden Sie form: auto oder iteration`,
  "dp-pca.ball-share": () =>
    "nur mit ball: private oder auto; verlangen Sie eines davon, oder entfernen Sie den Schlüssel",
  "dp-pca.ball-invalid": ({ what }, { say }) => `die Verteilung der Kugel ist ungültig (${say(what)})`,
  "dp-pca.ball-length": ({ numbers, columns }) => `${numbers} Zahlen eines Mittelpunkts statt ${columns}`,
  "dp-pca.ball-centre": ({ exponent }) =>
    `ein Mittelpunkt, der kein Vielfaches von 2^-${exponent} von 0 bis 1 ist`,
  "dp-pca.ball-radius": ({ radii }) => `ein Radius außerhalb der ${radii} erlaubten`,
  "dp-pca.directions-invalid": ({ what }, { say }) =>
    `die Verteilung der Richtungen ist ungültig (${say(what)})`,
  "dp-pca.directions-length": ({ numbers, expected }) => `${numbers} Zahlen statt ${expected}`,
  "dp-pca.directions-values": ({ exponent }) => `keine Vielfachen von 2^-${exponent} von -1 bis 1`,
  "dp-pca.not-orthonormal": ({ first, second }) => `${first} und ${second} sind nicht orthonormal`,
};
