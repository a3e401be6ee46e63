import type { Words } from "@consilium/words/said";
import type { PearsonTreeSays } from "../says.js";

export const de: Words<PearsonTreeSays> = {
  "pearson-tree.node": ({ label, attributes }, { number }) =>
    `für einen Knoten des Baums Anzahlen der Zeilen nach ${label}, und für jedes der ${number(attributes)} noch nicht verwendeten Attribute die größte Korrelation eines Schnitts in jeder Teilmenge der Zeilen und der Schnitt selbst, der ein Wert einer Zeile ist`,
  "pearson-tree.level": ({ level, label, attributes }, { number }) =>
    `nach Knoten der Ebene ${level} Anzahlen der Zeilen nach ${label}, und für jedes von ${number(attributes)} Attributen die größte Korrelation eines Schnitts in jeder Teilmenge der Zeilen und der Schnitt selbst, der ein Wert einer Zeile ist`,
  "pearson-tree.learns-splits": () =>
    "der Aggregator: die exakten Summen über alle Standorte; jeder Leser: die mittleren Schnitte, die den Baum teilen",
  "pearson-tree.learns-leaves": ({ noise }) =>
    `der Aggregator${noise === 0 ? " und jeder Leser: die Summe über alle Standorte" : ": die exakte Summe über alle Standorte; jeder Leser: die Summe mit dem Rauschen, das der Aggregator hinzufügt"}`,
  "pearson-tree.noise": () =>
    "keines in der exakten Summe; der Aggregator fügt vor der Veröffentlichung Laplace-Rauschen hinzu",
  "pearson-tree.many-sums": ({ nodes, depth }, { number }) =>
    `bis zu ${number(nodes)} Knoten werden nacheinander geteilt, jeder mit einer eigenen Summe; order: breadth-first braucht ${number(depth)} Summen und ist nicht wie veröffentlicht`,
  "pearson-tree.small-subsets": ({ subsets, rows, min }, { number }) =>
    `${number(subsets)} Teilmengen von höchstens ${number(rows)} Zeilen an einem Standort enthalten je weniger als ${number(min)} Zeilen, deren größte Korrelation Zufall ist; verringern Sie partitions`,
  "pearson-tree.no-effect": () => "scoreSensitivity wirkt bei selection: argmax nicht",
  "pearson-tree.any-drawn": ({ subsets, times }, { number }) =>
    `mit höchstens ${number(subsets)} Teilmengen sind die gezogenen Attribute fast beliebig: das beste wird höchstens ${number(times)}-mal so oft gezogen wie eines ohne Korrelation; erhöhen Sie epsilon oder partitions`,
  "pearson-tree.cuts": () =>
    "Schnitte sind Werte von Datensätzen oder Mittel weniger davon und werden ohne Rauschen veröffentlicht.",
  "pearson-tree.sensitivity": () =>
    "Die Sensitivität der Korrelation ist nicht angegeben; ein Datensatz kann sie in einer beliebig großen Teilmenge um 1 ändern.",
  "pearson-tree.argmax": () =>
    "Der Artikel wählt das Attribut mit der größten Wahrscheinlichkeit, statt eines zu ziehen; das schützt nichts.",
  "pearson-tree.levels-again": () =>
    "Jede Ebene gibt das Budget der Auswahl erneut aus, daher unterschätzt die Summe beider Budgets die Gesamtkosten.",
  "pearson-tree.one-class": () =>
    "Ob ein Knoten nur eine Klasse hat, entscheidet ohne Rauschen, wo der Baum endet.",
  "pearson-tree.removed": () =>
    "Jedes Attribut wird aus dem ganzen Baum entfernt, daher sind Knoten einer Ebene keine unabhängigen Fragen an getrennte Datensätze.",
};
