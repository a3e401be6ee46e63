import type { Words } from "../said.js";
import type { StageSays } from "../says/stages.js";

export const stages: Words<StageSays> = {
  "sent.summed": ({ what }, { say }) => `${say(what)}, über alle Standorte summiert`,
  "sent.weighed": ({ what }, { say }) =>
    `${say(what)}, wobei jede Zeile 1 geteilt durch die Zahl der verwendeten Zeilen ihres Patienten wiegt, sodass Patienten gezählt werden`,
  "sent.precise": ({ what, min, max }, { say, number }) =>
    `${say(what)} (jede Anzahl weicht bei 95 % um höchstens ${number(min)}${min === max ? "" : ` bis ${number(max)}, je nach Tabelle,`} von der wahren ab)`,
  "sent.flow": ({ units, bounded }, { say }) =>
    `wie viele ${say(units)} die Studie verwendet und auslässt, nach Grund${bounded === 0 ? "" : ", und wie viele der verwendeten einen Wert jenseits einer Grenze haben"}`,
  "sent.evaluation": ({ heldOut, ranges }, { number }) =>
    `Anzahlen der zurückgehaltenen Zeilen (etwa ${number(heldOut)} von allen) nach ${ranges === 0 ? "vorhergesagter Klasse" : `${number(ranges)} Bereichen des Modellwerts`} und nach Klasse`,
  "sent.bins": ({ features, label }, { number }) =>
    `Anzahlen der Zeilen nach den Klassen jedes der ${number(features)} Merkmale und nach ${label}`,
  "sent.leaves": ({ leaves, label }, { number }) =>
    `Anzahlen der Zeilen nach den ${number(leaves)} Blättern des Baums und nach ${label}`,
  "sent.derivatives": ({ level, features, of }, { number }) =>
    `erste und zweite Ableitungen des logarithmischen Verlusts der Zeilen an jedem Knoten der Ebene ${level} eines Baums, getrennt für jede Klasse ${features === of ? "jedes" : `von ${number(features)}`} der ${number(of)} Merkmale`,
  "sent.intervals": ({ features, hessians }, { number }) =>
    `Anzahlen der Zeilen${hessians === 0 ? "" : " und die zweiten Ableitungen ihres logarithmischen Verlusts"} nach dem deklarierten Intervall jedes von ${number(features)} numerischen Merkmalen`,
  "learns.sum": ({ noise }) =>
    `der Aggregator, und jeder Standort und Leser durch das daraus Berechnete: die Summe über alle Standorte${noise === 0 ? "" : " mit dem Rauschen darin"}`,
  "learns.shuffled": () =>
    "der Aggregator, Standort für Standort; nach dem Mischen jeder, der die Veröffentlichung liest",
  "noise.none": () => "keines: die Summe ist exakt",
  "noise.gaussian": ({ deviation }, { number }) =>
    `diskretes Gauß-Rauschen, ein Anteil von jedem Standort: Standardabweichung mindestens ${number(deviation)} in der Summe der wenigsten Standorte ohne die kolludierenden`,
};
