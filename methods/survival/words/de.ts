import type { Name, Words } from "@consilium/words/said";
import type { SurvivalSays } from "../says.js";

const inEach = (groups: number) => (groups === 1 ? "" : ` in ${groups} gleich großen Gruppen`);

/** Of a group; nothing where all records are one. */
const ofGroup = ({ group }: { readonly group: Name | null }) => (group === null ? "" : ` von ${group}`);

const timed = (time: number, { unit }: { readonly unit: Name | null }, number: (value: number) => string) =>
  unit === null ? number(time) : `${number(time)} ${unit}`;

export const de: Words<SurvivalSays> = {
  "survival.sent": ({ time, status, events, group }) =>
    `Anzahlen der Zeilen nach dem Intervall von ${time}${group === null ? " und" : ","} danach, ob ${status} gleich ${events.join(" oder ")} ist${group === null ? "" : `, und nach ${group}`}: jede Zeile in einer Anzahl`,
  "survival.precise": ({ what, rows, groups, within }, { say, number }) =>
    `${say(what)} (wo die Hälfte von ${number(rows)} Zeilen${groups === 1 ? "" : ` in jeder von ${number(groups)} Gruppen`} überlebt, hält das Rauschen eine Kurve bei 95 % innerhalb von ±${number(within)})`,
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
  "survival.intervals": ({ noise }) =>
    `Jedes 95-%-Intervall gilt für seine eigene Zeit, für Datensätze wie diese als Stichprobe. Es berücksichtigt, was andere Datensätze ergeben hätten, ${noise === 0 ? "" : "das Rauschen, das diese schützt, "}und dass die Reihenfolge von Ereignissen und Zensierungen innerhalb eines Intervalls nicht bekannt ist.`,
  "survival.noise-errors": ({ errors }, { list }) => `Erwarteter Fehler: ${list(errors)}.`,
  "survival.noise-error": (params, { number }) =>
    `das Rauschen verschiebt das Überleben${ofGroup(params)} mit einer Standardabweichung von höchstens ${number(params.deviation)}, bei ${timed(params.time, params, number)}, wo die Stichprobe ${number(params.sampling)} ergibt${params.wider === null ? "" : ` (das Intervall ist ${number(params.wider)}-mal so breit wie ohne Rauschen)`}`,
  "survival.medians": ({ medians }, { list }) =>
    `Medianes Überleben, mit seinem 95-%-Intervall: ${list(medians)}.`,
  "survival.median": (params, { number }) => {
    const shown = (time: number | null) =>
      time === null ? "jenseits der Kurve" : timed(time, params, number);
    const { value, low, high } = params;
    return `${low === null ? shown(null) : `${shown(value)} (${shown(low)} bis ${shown(high)})`}${ofGroup(params)}`;
  },
  "survival.log-rank": (params, { count, number }) =>
    `Log-Rank-Test von ${params.column}, bis ${timed(params.until, params, number)}: χ² = ${number(params.statistic)} mit ${count(params.freedom, "Freiheitsgrad", "Freiheitsgraden")}, p = ${params.pValue < 1e-4 ? "weniger als 0,0001" : number(params.pValue)}.${params.noise === 0 ? "" : " Seine Varianz berücksichtigt das Rauschen."} Er sagt, ob sich die Hazards der Gruppen unterscheiden, nicht warum.`,
  "survival.left-out": (params, { list }) =>
    `Der Log-Rank-Test lässt ${params.column} = ${list(params.groups)} aus: ${params.noise === 0 ? "dort ist kein Datensatz" : "die Anzahl unter Risiko hebt sich dort nicht vom Rauschen ab"}.`,
  "survival.untested-nobody": ({ column }) =>
    `Es gibt keinen Log-Rank-Test von ${column}: höchstens eine Gruppe hat Datensätze unter Risiko, die sich vergleichen lassen.`,
  "survival.untested-no-events": ({ column, event }) =>
    `Es gibt keinen Log-Rank-Test von ${column}: in den Intervallen, die sich vergleichen ließen, wurde kein ${event} gezählt.`,
  "survival.untested-no-variance": ({ column }) =>
    `Es gibt keinen Log-Rank-Test von ${column}: der Zufall hätte keinen Unterschied der Gruppen ergeben können, so dass sich keiner beurteilen lässt.`,
  "survival.curve-ends": ({ ends, noise }, { list }) =>
    `Eine Kurve endet, wo ${noise === 0 ? "niemand mehr unter Risiko ist" : "am Ende des nächsten Intervalls die Anzahl unter Risiko innerhalb der doppelten Standardabweichung ihres Rauschens liegt"}: ${list(ends)}.`,
  "survival.curve-end": (params, { number }) =>
    `die${ofGroup(params)} bei ${timed(params.time, params, number)}`,
  "survival.no-curve": (params, { list }) =>
    `Es gibt keine Kurve${params.groups.length === 0 ? "" : ` von ${params.column} = ${list(params.groups)}`}: ${params.noise === 0 ? "kein Datensatz" : "die Anzahl der Datensätze hebt sich nicht vom Rauschen ab"}.`,
  "survival.variant": () => "survival ist `sound`; eine andere Variante hat es nicht",
  "survival.ring": () =>
    "so großes Rauschen passt nicht in Zahlen von 64 Bit; erhöhen Sie epsilon, oder senken Sie maxRowsPerSite",
  "survival.one-time": ({ columns }) =>
    `${columns} Zahlenspalten; deklarieren Sie eine, die Zeit der Nachbeobachtung`,
  "survival.one-group": ({ columns }) => `${columns} Kategorien; deklarieren Sie höchstens eine, die Gruppe`,
  "survival.many-groups": ({ groups, max }) => `${groups} Gruppen; höchstens ${max}`,
  "survival.time-zero": () =>
    "0: dort beginnt die Nachbeobachtung; max ist der Horizont, an dem zensiert wird, wer noch beobachtet wird",
  "survival.time-below": () =>
    "reject-row: eine negative Zeit ist ein Fehler im Datensatz und wird nicht verwendet",
  "survival.time-missing": () => "reject-row: für eine nicht erfasste Zeit steht keine Konstante",
};
