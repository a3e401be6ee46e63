import type { Name, Say, Words } from "@consilium/words/said";
import type { RegressionSays } from "../says.js";

const adjusted = (what: string) =>
  `Jeder Koeffizient ist die Änderung ${what} bei einem Anstieg einer Variable um ihren Schritt (\`per\`; 1, wo keiner angegeben ist), oder einer Ausprägung gegenüber der Referenz, adjustiert für die anderen Variablen`;

const at = "wo jede Zahl 0 ist und jede Kategorie bei ihrer Referenz";

const listed = (
  {
    terms,
    more,
  }: { readonly terms: RegressionSays["regression.few-events"]["terms"]; readonly more: number },
  { list, number }: Say,
) => (more === 0 ? list(terms) : `${terms.join(", ")} und ${number(more)} weitere`);

const percent = (share: number, { number }: Say) => `${number(Number((100 * share).toPrecision(2)))} %`;

const interval = ({ low, high }: { readonly low: number; readonly high: number }, say: Say) =>
  low === high ? "" : ` (95-%-Rauschintervall ${percent(low, say)} bis ${percent(high, say)})`;

const families: Readonly<Record<string, string>> = {
  logistic: "logistische Regression",
  linear: "lineare Regression",
  poisson: "Poisson-Regression",
  cox: "Cox-Regression",
};
const familyName = (family: Name) => families[family] ?? family;

export const de: Words<RegressionSays> = {
  "regression.gram": ({ columns, outcome }, { number }) =>
    `die Produkte der ${number(columns)} Spalten und der Zielgröße ${outcome} miteinander`,
  "regression.squares": ({ columns }, { number }) =>
    `quadrierte Residuen mal Produkte der ${number(columns)} Spalten miteinander`,
  "regression.exposures": () => "Anzahlen und Expositionen",
  "regression.follow-up": ({ intervals }, { number }) =>
    `Ereignisse und Nachbeobachtungszeiten in ${number(intervals)} Intervallen`,
  "regression.sums-logistic": ({ parameters }, { number }) =>
    `erste und zweite Ableitungen des logarithmischen Verlusts der Zeilen für die ${number(parameters)} Koeffizienten`,
  "regression.sums-poisson": ({ parameters }, { number }) =>
    `erste und zweite Ableitungen der Poisson-Likelihood der Zeilen für die ${number(parameters)} Koeffizienten`,
  "regression.sums-cox": ({ parameters }, { number }) =>
    `erste und zweite Ableitungen der Likelihood der Zeilen für die ${number(parameters)} Koeffizienten`,
  "regression.log-odds": ({ label, level, reference }) =>
    `${adjusted(`der Log-Odds von ${label} = ${level} gegenüber ${reference}`)}; exp(Koeffizient) ist die Odds Ratio. Der Achsenabschnitt sind die Log-Odds, ${at} ist.`,
  "regression.mean": ({ outcome, residual, rSquared }, { number }) =>
    `${adjusted(`des Mittelwerts von ${outcome}`)}. Der Achsenabschnitt ist der Mittelwert, ${at} ist. Standardabweichung der Residuen ${number(residual)}; R² = ${number(rSquared)} auf den Zeilen der Schätzung.`,
  "regression.log-rate": ({ outcome, exposure }) =>
    `${adjusted(`der logarithmierten Rate von ${outcome}`)}; exp(Koeffizient) ist das Ratenverhältnis. Der Achsenabschnitt ist die logarithmierte Rate ${exposure === null ? "einer Zeile" : `je Einheit von ${exposure}`}, ${at} ist.`,
  "regression.log-hazard": ({ label, event, time }) =>
    `${adjusted(`des logarithmierten Hazards von ${label} = ${event}`)}; exp(Koeffizient) ist die Hazard Ratio. baseline.csv enthält den Hazard in jedem Intervall von ${time}, ${at} ist.`,
  "regression.events": ({ events, time }, { number }) =>
    `Etwa ${number(events)} Ereignisse. Stückweise exponentielles Modell: konstanter Hazard innerhalb der Intervalle von ${time}, proportionale Hazards. Wo ein anderer Ausgang das Ereignis ausschließt (ein konkurrierendes Risiko), ist der Hazard ursachenspezifisch.`,
  "regression.cut": (params, say) =>
    `Bei ${percent(params.share, say)} der Patienten${interval(params, say)} endete die Nachbeobachtung bei einem kumulativen Hazard von ${say.number(params.cap)}. Wo Hazards nicht proportional sind, gelten die Verhältnisse innerhalb dieser Nachbeobachtung.`,
  "regression.counts": ({ outcome, total, dispersion }, { number }) =>
    `Die Summe von ${outcome} ist etwa ${number(total)}. Die Anzahlen streuen ${number(dispersion)}-mal so stark wie bei einer Poisson-Verteilung; die Standardfehler berücksichtigen das.`,
  "regression.at-bound": (params, say) =>
    `Höchstens ${percent(params.share, say)} der Zeilen${interval(params, say)} lagen um ${say.number(params.cap)} oder mehr unter ihrem Mittelwert und wurden auf diese Grenze gesetzt: wo der Anteil nicht klein ist, sind Raten zu niedrig.`,
  "regression.equal-variances": () =>
    "Gleiche Varianzen angenommen: die Standardfehler setzen für alle Zeilen dieselbe Varianz der Residuen voraus.",
  "regression.intervals": ({ noise }) =>
    noise === 0
      ? "Es wurde kein Rauschen hinzugefügt. Die 95-%-Konfidenzintervalle und p-Werte berücksichtigen die Stichprobe. Sie kehren einen Score-Test um."
      : "Die 95-%-Konfidenzintervalle und p-Werte berücksichtigen Stichprobe und Rauschen. Sie kehren einen Score-Test um. In 95 % der Veröffentlichungen enthält ein Intervall den wahren Wert, wobei ein zu ungenauer Koeffizient als enthalten zählt. Sie setzen voraus, dass kein anderer Koeffizient über die angegebene Spanne seiner Variable weiter als 40 von dort entfernt ist, wo die letzte Summe gebildet wurde.",
  "regression.weighted-rows": () =>
    "Jede Zeile wiegt 1 durch die Anzahl der Zeilen ihres Patienten. Intervalle nehmen die Zeilen eines Patienten als gleich an und sind zu breit, wo sie es nicht sind.",
  "regression.associations": () =>
    "Dies sind Zusammenhänge, keine Ursachen. Eine Zahl außerhalb ihrer angegebenen Grenzen wurde auf die nähere Grenze gesetzt.",
  "regression.pooled": () =>
    "Alle Krankenhäuser zählen als eine Population. Wo sich die Zielgröße zwischen Krankenhäusern aus anderen Gründen als den Variablen unterscheidet, vermischen Koeffizienten Unterschiede zwischen Patienten mit solchen zwischen Krankenhäusern.",
  "regression.predicting": () =>
    "model.onnx sagt mit Koeffizienten voraus, die gegen 0 geschrumpft sind (`predicting` in model.json). Sie haben keine Intervalle und sind nicht die von coefficients.csv.",
  "regression.calibrated": ({ intercept, slope }, { number }) =>
    `model.onnx ist kalibriert: seine Log-Odds sind ${number(intercept)} + ${number(slope)} × die seiner Koeffizienten.`,
  "regression.not-calibrated": () =>
    "model.onnx gibt die Wahrscheinlichkeiten seiner Koeffizienten an: die zurückgehaltenen Zeilen sind neben dem Rauschen zu wenige, um sie zu kalibrieren.",
  "regression.convergence": ({ sums, change, misfit, freedom }, { number }) =>
    `Konvergenz: ${number(sums)} Summen; die letzte ändert den linearen Prädiktor noch um ${number(change)} (quadratisches Mittel), und ihr Gradient weicht mit χ² = ${number(misfit)} bei ${number(freedom)} Freiheitsgraden von 0 ab.`,
  "regression.separated": ({ label }) =>
    `Separation: die Variablen bestimmen ${label} fast ohne Ausnahme. Gibt es keine, sind keine endlichen Koeffizienten die wahrscheinlichsten. Suchen Sie eine Variable, die aus der Zielgröße folgt, bevor Sie sie deuten.`,
  "regression.few-outcomes": ({ what, count }, { number }) =>
    `Etwa ${number(count)} ${what} über alle Krankenhäuser: zu wenige neben Rauschen oder Zufall. Die Koeffizienten sind nicht aussagekräftig.`,
  "regression.unbounded": (params, say) =>
    `Zu ungenau, um sie zu deuten: ${listed(params, say)}. ${params.noise === 0 ? "Eine Variable folgt aus anderen, oder eine Ausprägung hat keine Ereignisse: entfernen Sie sie, oder fassen Sie Ausprägungen zusammen." : "Mehr Zeilen, ein größeres epsilon oder weniger Variablen würden helfen."}`,
  "regression.few-events": (terms, say) =>
    `Zu ungenau, um sie zu deuten, weil eine Ausprägung weniger als etwa zehn Ereignisse hat: ${listed(terms, say)}. Die Ausprägung mit einer anderen zusammenzufassen würde helfen.`,
  "regression.wide-bounds": (terms, say) =>
    `Zu ungenau, um sie zu deuten, weil die angegebenen Grenzen neben der Streuung der Werte weit sind: ${listed(terms, say)}. Engere Grenzen würden helfen.`,
  "regression.not-arrived": () =>
    "Zu ungenau, um sie zu deuten: jeder Koeffizient, weil die Schätzung im Rauschen nicht konvergiert ist. Mehr Zeilen, ein größeres epsilon oder weniger Variablen würden helfen.",
  "regression.elsewhere": () =>
    "Auf den Zeilen dieser Krankenhäuser geschätzt. Anderswo oder später kann es schlechter sein; prüfen Sie es dort, bevor Sie sich darauf verlassen.",
  "regression.no-device": () =>
    "Zusammenhänge, keine Ursachen. Kein Medizinprodukt: keine Entscheidung über einen Patienten darf allein darauf beruhen.",
  "regression.few-rows": ({ expected, bearable, of }, { say, number }) =>
    `${say(expected)} können höchstens ${number(bearable)} von ${number(of)} Koeffizienten ein brauchbares Intervall haben: erhöhen Sie epsilon, deklarieren Sie weniger Merkmale oder Ausprägungen, oder laden Sie mehr Standorte ein`,
  "regression.variant": () =>
    "regression ist `sound`; eine Variante nach einer Veröffentlichung gibt es nicht",
  "regression.many-coefficients": ({ coefficients, max }) =>
    `${coefficients} Koeffizienten sind mehr als die zulässigen ${max}; deklarieren Sie weniger Merkmale oder Ausprägungen`,
  "regression.no-interval": ({ rows, units, coefficients }, { say }) =>
    `selbst mit allen ${rows} ${say(units)}, die es geben darf, lässt das Rauschen keinem von ${coefficients} Koeffizienten ein brauchbares Intervall; erhöhen Sie epsilon, deklarieren Sie weniger Merkmale, oder laden Sie mehr Standorte ein`,
  "regression.other-parameter": ({ families, family }) =>
    `nur mit family: ${families.join(" oder ")}; eine ${familyName(family)} hat das nicht`,
  "regression.holds-none-out": ({ family }) =>
    `nur mit family: logistic; eine ${familyName(family)} hält keine Zeilen zurück: schreiben Sie none`,
  "regression.feature-needed": () => "deklarieren Sie neben dem Ergebnis mindestens ein Merkmal",
  "regression.no-label": ({ family }) =>
    `nur mit family: logistic oder cox; eine ${familyName(family)} erklärt parameters.outcome`,
  "regression.label-missing": ({ family }) =>
    family === "cox"
      ? "fehlt: eine Cox-Regression erklärt, wann die Ausprägung `event` der Zielgröße (label) eintritt; deklarieren Sie sie"
      : "fehlt: eine logistische Regression erklärt eine Zielgröße (label) mit zwei Ausprägungen; deklarieren Sie sie",
  "regression.two-levels": ({ levels }) =>
    `${levels} Ausprägungen; eine logistische Regression erklärt genau zwei`,
  "regression.event-missing": ({ levels }) => `fehlt; nehmen Sie eine von: ${levels.join(", ")}`,
  "regression.role-missing": ({ role }) =>
    `fehlt: ${role === "time" ? "nennen Sie die Zeit der Nachbeobachtung" : "nennen Sie das zahlenwertige Merkmal, das erklärt werden soll"}`,
  "regression.not-numeric": ({ column }) => `„${column}“ ist kein zahlenwertiges Merkmal der Studie`,
  "regression.is-counted": ({ column }) => `„${column}“ ist das, was gezählt wird`,
  "regression.exposure-zero": () =>
    "über 0: eine Anzahl ist proportional zu ihrer Exposition, und eine Zeile ohne sie sagt nichts",
  "regression.time-zero": () => "0: dort beginnt die Nachbeobachtung; max ist der Horizont",
  "regression.counts-zero": () => "0: dort beginnen Anzahlen",
  "regression.value-below": ({ min }) =>
    `reject-row: ein Wert unter ${String(min).replace(".", ",")} ist ein Fehler im Datensatz und wird nicht verwendet`,
  "regression.value-missing": () => "reject-row: für nicht Erfasstes steht keine Konstante",
};
