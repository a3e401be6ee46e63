import type { Say, Words } from "../said.js";
import type { ForecastSays } from "../says/forecast.js";

const withUnit = (value: string, unit: string | null) => (unit === null ? value : `${value} ${unit}`);
const unseen = (what: string, { epsilon, ratio }: ForecastSays["forecast.odds-unseen"], { number }: Say) =>
  `bei ε = ${number(epsilon)} lässt sich ${what} zwischen ${number(Number((1 / ratio).toPrecision(2)))} und ${number(ratio)} über den Bereich einer Spalte nicht von 1 unterscheiden`;

export const forecast: Words<ForecastSays> = {
  "forecast.count": () => "Jede Anzahl",
  "forecast.count-of": ({ column }) => `Jede Anzahl von ${column}`,
  "forecast.share-of": ({ column }) => `Anteil jeder Ausprägung von ${column}`,
  "forecast.mean-of": ({ column }) => `Mittelwert von ${column}`,
  "forecast.median-of": ({ column }) => `Medianwert von ${column}`,
  "forecast.survival": ({ at, unit }, { number }) => `Überleben nach ${withUnit(number(at), unit)}`,
  "forecast.survival-of": ({ column, at, unit }, { number }) =>
    `Überleben jeder Gruppe von ${column} nach ${withUnit(number(at), unit)}`,
  "forecast.difference-of": ({ column }) => `Differenz über den Bereich von ${column}`,
  "forecast.odds-of": ({ column }) => `Odds Ratio über den Bereich von ${column}`,
  "forecast.rate-of": ({ column }) => `Ratenverhältnis über den Bereich von ${column}`,
  "forecast.hazard-of": ({ column }) => `Hazard Ratio über den Bereich von ${column}`,
  "forecast.accuracy": () => "Genauigkeit auf zurückgehaltenen Zeilen",
  "forecast.area": () => "AUC auf zurückgehaltenen Zeilen",
  "forecast.association-of": ({ column }) => `Zusammenhang mit ${column}`,

  "forecast.within": ({ half, unit }, { number }) => `± ${withUnit(number(half), unit)}`,
  "forecast.points": ({ points }, { number }) => `± ${number(points)} Prozentpunkte`,
  "forecast.factor": ({ factor }, { number }) => `Faktor ${number(factor)} nach oben oder unten`,
  "forecast.imprecise": () => "zu ungenau für eine Aussage",

  "forecast.odds-unseen": (params, say) => unseen("eine Odds Ratio", params, say),
  "forecast.rate-unseen": (params, say) => unseen("ein Ratenverhältnis", params, say),
  "forecast.hazard-unseen": (params, say) => unseen("eine Hazard Ratio", params, say),
  "forecast.difference-unseen": ({ epsilon, difference, unit }, { number }) =>
    `bei ε = ${number(epsilon)} lässt sich eine Differenz unter ${withUnit(number(difference), unit)} über den Bereich einer Spalte nicht von 0 unterscheiden`,
  "forecast.curves-unseen": ({ epsilon, points, at, unit }, { number }) =>
    `bei ε = ${number(epsilon)} lassen sich zwei Gruppen nicht unterscheiden, deren Überleben nach ${withUnit(number(at), unit)} um weniger als ${number(points)} Prozentpunkte auseinanderliegt`,
  "forecast.nothing-seen": ({ epsilon }, { number }) =>
    `bei ε = ${number(epsilon)} ist wahrscheinlich jeder Koeffizient zu ungenau für eine Aussage`,
  "forecast.few-events": ({ events, coefficients }, { number }) =>
    `weniger als 10 Ereignisse je Koeffizient (${number(events)} für ${number(coefficients)}): Intervalle werden breit, und Ausprägungen mit wenigen Ereignissen haben keines`,
  "forecast.events-assumed": ({ percent }, { number }) =>
    `angenommen wird, dass ${number(percent)} % der Zeilen das Ereignis haben: geben Sie participation.expectedEvents an, davon hängt die Genauigkeit ab`,
  "forecast.enough": ({ wide, figures, rows, epsilon }, { number }) => {
    const ways = [
      ...(rows === null ? [] : [`etwa ${number(rows)} Zeilen`]),
      ...(epsilon === null ? [] : [`ε = ${number(epsilon)}`]),
    ];
    const begin = `${number(wide)} von ${number(figures)} Angaben ${wide === 1 ? "wird" : "werden"} wahrscheinlich zu ungenau, um zu nützen`;
    return ways.length === 0
      ? `${begin}: nicht einmal das 32-Fache an Zeilen oder ε würde reichen; deklarieren Sie engere Grenzen, weniger Variablen oder weniger Ausprägungen`
      : `${begin}: ${ways.join(" oder ")} würden reichen`;
  },

  "forecast.unproven": () =>
    "keine Vorhersage: Intervalle einer Methode in veröffentlichter Form zählen kein Rauschen",
  "forecast.no-noise": () => "keine Vorhersage: die Studie fügt kein Rauschen hinzu",
  "forecast.no-interval": () => "keine Vorhersage: die Veröffentlichung nennt keine Zahl mit Intervall",
};
