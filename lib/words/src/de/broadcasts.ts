import type { Words } from "../said.js";
import type { BroadcastSays } from "../says/broadcasts.js";

export const broadcasts: Words<BroadcastSays> = {
  "broadcast.no-stage": ({ method, kind, stage }) =>
    `${method} hat keine Stufe ${stage}${kind === null ? "" : ` der Art ${kind}`}`,
  "broadcast.not-sent": ({ stage, name }) => `der Stufe ${stage} wurde „${name}“ nicht gesendet`,
  "broadcast.no-group": ({ site }) => `der Standort ${site} gehört zu keiner Gruppe der Studie`,
  "broadcast.at": ({ stage, what }, { say }) =>
    `die Verteilung der Stufe ${stage} ist ungültig (${say(what)})`,
  "broadcast.ascending": ({ name, count }) => `„${name}“ müssen ${count} aufsteigende Zahlen sein`,
  "broadcast.multiples": ({ name, count, exponent, max }) =>
    `„${name}“ müssen ${count} Vielfache von 2^-${exponent} von -${max} bis ${max} sein`,
  "broadcast.above-zero": ({ name }) => `„${name}“ muss über 0 liegen`,
  "broadcast.joint-cells": ({ max }) => `die Merkmale haben mehr als ${max} gemeinsame Zellen`,
  "broadcast.parents": ({ columns }) => `erwartet war zu jeder von ${columns} Spalten die übergeordnete`,
  "broadcast.untested": () => "es sind Merkmale ausgewählt, die nie geprüft wurden",
  "broadcast.not-standing": () =>
    "die ausgewählten Merkmale sind nicht die, die am Ende des Durchgangs standen",
  "broadcast.candidate": () => "ein Kandidat ist nicht ein neues Merkmal neben denen, die standen",
  "broadcast.no-set": ({ name, features }) => `„${name}“ ist keine Menge der ${features} Merkmale der Studie`,
  "broadcast.empty-set": ({ name }) => `„${name}“ ist leer`,
  "broadcast.leaf-values": () => "die Werte der Blätter sind keine Zahlen von 0 bis 1",
  "broadcast.nodes": ({ stage, nodes, expected }) =>
    `die Stufe ${stage} teilt ${nodes} Knoten${expected === null ? "" : `, erwartet waren ${expected}`}`,
  "broadcast.feature-twice": ({ feature }) => `ein Pfad fragt das Merkmal „${feature}“ zweimal`,
  "row.not-finite": ({ column }) => `Spalte „${column}“ enthält NaN oder einen unendlichen Wert`,
  "model.no-column": ({ column }) => `die Zeile hat keine Spalte „${column}“`,
  "model.no-value": ({ column }) => `Spalte „${column}“ hat keinen Wert`,
  "model.text": ({ column }) => `Spalte „${column}“ ist numerisch und enthält einen Text`,
  "model.not-finite": ({ column }) => `Spalte „${column}“ enthält NaN oder einen unendlichen Wert`,
  "model.no-level": ({ column }) => `Spalte „${column}“ enthält eine Ausprägung, die das Modell nicht kennt`,
};
