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
  "pearson-tree.depth": ({ depth, attributes }) =>
    `${depth} Ebenen, und ${attributes === 1 ? "nur ein Attribut, nach dem" : `${attributes} Attribute, nach denen`} je einmal gefragt wird; verlangen Sie höchstens ${attributes}`,
  "pearson-tree.long-stage": ({ numbers, max }) =>
    `eine Stufe von ${numbers} Zahlen ist größer als die zulässigen ${max}; senken Sie depth, oder deklarieren Sie weniger Merkmale oder Ausprägungen`,
  "pearson-tree.many-nodes": ({ depth, attributes, nodes, max }) =>
    `ein Baum in Tiefensuche mit ${depth} Ebenen und ${attributes} Attributen hat bis zu ${nodes} zu teilende Knoten, jeder eine Stufe, mehr als die zulässigen ${max}; senken Sie depth, oder setzen Sie order: breadth-first`,
  "pearson-tree.large-table": ({ rows, features, max }) =>
    `die Methode sortiert die Tabelle eines Standorts im Speicher: ${rows} Zeilen mit ${features} Merkmalen sind mehr als die zulässigen ${max} Zahlen; senken Sie den Wert, deklarieren Sie weniger Merkmale, oder verwenden Sie dp-pcc, das eine Tabelle zeilenweise liest`,
  "pearson-tree.tasks-category": ({ column }) =>
    `nennen Sie ein kategoriales Merkmal der Studie: seine Ausprägungen sind die Map-Aufgaben; „${column}“ ist keines`,
  "pearson-tree.tasks-map": ({ column }) =>
    `„${column}“ hat ein map: Map-Aufgaben sind die Werte der Spalte, wie die Tabelle sie enthält`,
  "pearson-tree.tasks-alone": () => "der Baum teilt nicht danach; deklarieren Sie weitere Merkmale",
  "pearson-tree.many-tasks": ({ column, levels, max }) =>
    `„${column}“ hat ${levels} Ausprägungen, höchstens ${max} sind Map-Aufgaben`,
  "pearson-tree.tasks-partitions": () => "anstelle von partitions: lassen Sie eines von beiden weg",
  "pearson-tree.node-after-last": ({ stage }) =>
    `die Stufe ${stage} fragt nach einem Knoten hinter dem letzten`,
  "pearson-tree.leaves-early": ({ stage }) =>
    `die Stufe ${stage} fragt nach Blättern, bevor der letzte Knoten besucht war`,
  "pearson-tree.split-after-last": ({ stage }) => `die Stufe ${stage} teilt einen Knoten hinter dem letzten`,
  "pearson-tree.no-attribute": ({ stage }) =>
    `die Stufe ${stage} teilt einen Knoten nach keinem Merkmal der Studie`,
  "pearson-tree.cut-outside": ({ stage, column }) =>
    `die Stufe ${stage} schneidet „${column}“ außerhalb der Grenzen`,
  "pearson-tree.split-below": () => "ein Knoten wird unter einem ungeteilten geteilt",
  "pearson-tree.asked-twice": () => "ein Merkmal wird im Baum zweimal gefragt",
};
