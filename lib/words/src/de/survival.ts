import type { Words } from "../said.js";
import type { SurvivalSays } from "../says/survival.js";

const inEach = (groups: number) => (groups === 1 ? "" : ` in ${groups} gleich großen Gruppen`);

export const survival: Words<SurvivalSays> = {
  "survival.noise-as-large": ({ rows, groups, needed }, { number }) =>
    `das Rauschen ist so groß wie die Anzahlen von ${number(rows)} Zeilen${inEach(groups)}: mit weniger als ${number(needed)} begänne keine Kurve; erhöhen Sie epsilon, oder erwarten Sie mehr Zeilen`,
  "survival.too-few-rows": ({ rows, groups, needed, declared }, { number }) =>
    `${declared === 1 ? `die ${number(rows)} Zeilen, die die Studie erwartet,` : `${number(rows)} Zeilen, die Hälfte der höchstens möglichen,`} sind zu wenige${inEach(groups)}: erst ab etwa ${number(needed)} Zeilen lässt das Rauschen eine Kurve innerhalb von 0,1, wo die Hälfte überlebt; erhöhen Sie epsilon`,
  "survival.few-intervals": ({ intervals }) =>
    `${intervals} Intervalle sind zu wenige für den Log-Rank-Test von Gruppen, die verschieden lange beobachtet werden: er findet vielleicht einen Unterschied, wo keiner ist; verlangen Sie 10 oder mehr, oder lassen Sie die Anzahl weg`,
  "survival.competing-event": ({ level }) => `„${level}“ ist das Ereignis; lassen Sie es weg`,
  "survival.no-level": ({ level, column, levels }) =>
    `„${level}“ ist keine Ausprägung von ${column}; möglich sind: ${levels.join(", ")}`,
  "survival.test-imprecise": ({ half, constant }, { number }) =>
    `Der Log-Rank-Test ist zu ungenau, um ihn zu deuten: seine zwei Regeln für ein Intervall ergeben p = ${number(half)} und p = ${number(constant)}, auf beiden Seiten von 0,05. Mehr Intervalle, oder engere Grenzen, wo die Beobachtung endet, würden helfen.`,
  "survival.few-records": ({ records, groups, needed }, { list, number }) =>
    `Wenige Datensätze: etwa ${list(records)}${groups.length === 0 ? "" : ` von ${list(groups)}`}, wo dieses Rauschen etwa ${number(needed)} verlangt. Das Rauschen kann eine solche Kurve um mehr als 0,1 verschieben, und sie kann früh enden; mehr Zeilen oder ein größeres epsilon würden helfen.`,
  "survival.curves": ({ status, event, time, censored, more, horizon, unit }, { list, number }) =>
    `data.csv enthält die Kurven: das Überleben ist die Wahrscheinlichkeit, dass ${status} bis zum Ende jedes Intervalls von ${time} nicht ${event} geworden ist, geschätzt aus gruppierten Zeiten, mit konstantem Hazard innerhalb eines Intervalls. Datensätze mit ${status} ${list(censored)}${more === 0 ? "" : ` und ${number(more)} weiteren`} sind zu ihrer Zeit zensiert, alle übrigen bei ${number(horizon)}${unit === null ? "" : ` ${unit}`}.`,
  "survival.competing": ({ event, competing }, { list }) =>
    `Das Überleben ist die Wahrscheinlichkeit, dass weder ${event} noch ${list(competing)} eingetreten ist. Die kumulative Inzidenz ist die Wahrscheinlichkeit, dass ein Ereignis eingetreten ist, und vor den anderen (Aalen-Johansen); mit dem Überleben ergeben sie zusammen 1. Der Log-Rank-Test vergleicht allein die Hazards von ${event}.`,
};
