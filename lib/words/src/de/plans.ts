import type { Words } from "../said.js";
import type { PlanSays } from "../says/plans.js";

export const plans: Words<PlanSays> = {
  "plan.hospitals-pooled": () =>
    "alle Krankenhäuser zählen als eine Population: wo sich die Zielgröße zwischen ihnen aus anderen Gründen als denen der Spalten unterscheidet, vermischen Koeffizienten, was mit dem Patienten und was mit dem Krankenhaus zusammenhängt",
  "plan.counts-beyond-max": ({ outcome, max }, { number }) =>
    `eine Anzahl von ${outcome} über ${number(max)} zählt als ${number(max)}: deklarieren Sie ein max, über dem höchstens eines von 500 Ereignissen liegt, sonst hält kein Intervall, was es verspricht`,
  "plan.unweighted-rows": ({ rows }, { number }) =>
    `Intervalle nehmen Zeilen als unabhängig an, und bis zu ${number(rows)} Zeilen eines Patienten sind es nicht; schreiben Sie weighting: patients oder maxRows: 1`,
};
