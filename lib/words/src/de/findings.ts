import { oneOf } from "../oneOf.js";
import type { Say, Words } from "../said.js";
import type { Association, CountedParams, FindingSays, Step } from "../says/findings.js";

function stepText({ step, unit }: Step, { number }: Say): string {
  if (step === null || (step === 1 && unit === null)) return "";
  if (unit === null) return ` (je ${number(step)})`;
  if (step !== 1) return ` (je ${number(step)} ${unit})`;
  const one = oneOf(unit, "de");
  return one === null ? ` (je Anstieg um 1; Einheit: ${unit})` : ` (pro ${one})`;
}

const association = (measure: string, it: Association, say: Say) => {
  const { pValue, estimate } = say;
  const against = it.reference === null ? "" : ` gegenüber ${it.reference}`;
  const chosen =
    it.of === 1
      ? pValue(it.chosen)
      : `der deutlichste von ${say.number(it.of)} Termen, ${pValue(it.chosen)} unter Berücksichtigung dieser Auswahl`;
  return `${it.clear === 0 ? `Kein eindeutiger Zusammenhang mit ${it.outcome}. ` : ""}${measure} von ${it.outcome}, ${it.term}${against}${stepText(it, say)}: ${estimate(it)}; ${chosen}. Test des ganzen Modells: ${pValue(it.whole)}.`;
};

const until = ({ until: end, unit }: { until: number; unit: string | null }, { number }: Say) =>
  `bis ${number(end)}${unit === null ? "" : ` ${unit}`}`;

const medians = (all: FindingSays["finding.survival-imprecise"]["medians"], { list }: Say) =>
  all.length === 0 ? "" : ` Medianes Überleben: ${list(all)}.`;

const timed = (value: number, unit: string | null, { number }: Say) =>
  `${number(value)}${unit === null ? "" : ` ${unit}`}`;

const counted = (what: string, it: CountedParams, { noisy }: Say) =>
  `${what}${it.name === null ? "" : ` (${it.name})`}: ${noisy(it)}`;

export const findings: Words<FindingSays> = {
  "finding.odds-ratio": (it, say) => association("Odds Ratio", it, say),
  "finding.rate-ratio": (it, say) => association("Ratenverhältnis", it, say),
  "finding.hazard-ratio": (it, say) => association("Hazard Ratio", it, say),
  "finding.difference": (it, say) => association("Unterschied im Mittelwert", it, say),
  "finding.term": (it, say) => `${it.term}${stepText(it, say)}`,
  "finding.share-per": ({ unit }) =>
    `Anteil der Datensätze mit einem Wert, je ${unit === null ? "Einheit" : (oneOf(unit, "de") ?? `Einheit (${unit})`)}`,
  "finding.no-coefficient": ({ outcome, terms }, { number }) =>
    `Zu ungenau, um es zu deuten: keiner der ${number(terms)} Zusammenhänge mit ${outcome} lässt sich angeben.`,
  "finding.jointly": ({ outcome, terms, whole }, { number, pValue }) =>
    `Gemeinsam hängen die Variablen mit ${outcome} zusammen (Test des ganzen Modells: ${pValue(whole)}); jeder der ${number(terms)} Zusammenhänge für sich ist zu ungenau, um ihn zu deuten.`,
  "finding.survival-differs": (it, say) =>
    `Das Überleben unterscheidet sich nach ${it.column} (Log-Rank-Test: ${say.pValue(it.pValue)}, ${until(it, say)}). Das ist ein Zusammenhang, kein Beleg für eine Ursache.${medians(it.medians, say)}`,
  "finding.survival-alike": (it, say) =>
    `Kein Hinweis darauf, dass sich das Überleben nach ${it.column} unterscheidet (Log-Rank-Test: ${say.pValue(it.pValue)}, ${until(it, say)}). Das zeigt nicht, dass die Gruppen gleich sind.${medians(it.medians, say)}`,
  "finding.survival-imprecise": ({ column, medians: all }, say) =>
    `Zu ungenau, um es zu deuten: ob sich das Überleben nach ${column} unterscheidet, lässt sich nicht prüfen.${medians(all, say)}`,
  "finding.median": (it, { estimate }) => {
    const { group } = it;
    const shown = estimate(it, it.unit);
    return group === null ? `Medianes Überleben: ${shown}.` : `${shown} für ${group}`;
  },
  "finding.survival-at": (it, say) =>
    `Medianes Überleben nicht erreicht; Überleben bei ${timed(it.time, it.unit, say)}: ${say.share(it)}.`,
  "finding.no-curve": () =>
    "Zu ungenau, um es zu deuten: die Zahl der Datensätze hebt sich nicht vom Rauschen ab, darum gibt es keine Überlebenskurve.",
  "finding.counts": ({ units, counts, more, none }, { list, number, say }) =>
    `Anzahl der ${say(units)}: ${list(counts)}${more === 0 ? "" : `; ${number(more)} weitere Bedingungen in der Tabelle`}.${none === 0 ? "" : ` ${number(none)} der Bedingungen treffen vielleicht auf niemanden zu.`}`,
  "finding.count": (it, { noisy }) => `${it.name} ${noisy(it)}`,
  "finding.rows": () => "Zeilen",
  "finding.patients": () => "Patienten",
  "finding.described": (it, { noisy, number, say }) => {
    const { units, largest, of } = it;
    const total = `${noisy(it)} ${say(units)}.`;
    if (of === null) return total;
    if (largest === null) return `${total} Kein eindeutiger Unterschied zwischen den Gruppen.`;
    return `${total} ${of === 1 ? "Der eindeutige Unterschied" : `Der größte von ${number(of)} eindeutigen Unterschieden`} zwischen den Gruppen: ${say(largest)}.`;
  },
  "finding.means": ({ column, first, second }, { say }) =>
    `Mittelwert von ${column} ${say(first)} und ${say(second)}`,
  "finding.shares": ({ column, level, first, second }, { say }) =>
    `${column} = ${level}, ${say(first)} und ${say(second)}`,
  "finding.in-group": (it, { estimate }) => `${estimate(it)} bei ${it.group}`,
  "finding.share-in-group": (it, { share }) => `${share(it)} bei ${it.group}`,
  "finding.used": (it, say) => counted(`Verwendete ${say.list([it.unit])}`, it, say),
  "finding.excluded": (it, say) => counted(`Ausgeschlossene ${say.list([it.unit])}`, it, say),
  "finding.training": (it, say) => counted(`${say.list([it.unit])} der Schätzung`, it, say),
  "finding.held-out": (it, say) => counted(`Zur Prüfung zurückgehaltene ${say.list([it.unit])}`, it, say),
  "finding.events": (it, say) => counted("Ereignisse", it, say),
  "finding.exposure": (it, say) =>
    it.unit === "years"
      ? counted("Personenjahre", it, say)
      : counted(`Beobachtung${it.unit === null ? "" : `, ${say.list([it.unit])}`}`, it, say),
  "flow.used": (it, { noisy, list }) => `Verwendete ${list([it.unit])}: ${noisy(it)}`,
  "flow.used-imprecise": ({ unit }, { list }) => `Verwendete ${list([unit])}: zu ungenau für eine Aussage`,
  "flow.read": (it, { noisy, list, number }) =>
    `Gelesene ${list([it.unit])} in ${it.hospitals === 1 ? "einem Krankenhaus" : `${number(it.hospitals)} Krankenhäusern`}: ${noisy(it)}`,
  "flow.left-out": ({ unit, causes }, { list }) => `Ausgelassene ${list([unit])}: ${list(causes)}`,
  "flow.where": (it, { noisy }) => `nicht im where der Studie: ${noisy(it)}`,
  "flow.label": (it, { noisy }) => `ohne Zielgröße: ${noisy(it)}`,
  "flow.level": (it, { noisy }) => `ein nicht deklarierter Wert: ${noisy(it)}`,
  "flow.type": (it, { noisy }) => `keine Zahl, wo eine deklariert ist: ${noisy(it)}`,
  "flow.missing": (it, { noisy }) => `ein fehlender Wert: ${noisy(it)}`,
  "flow.beyond": ({ unit, values }, { list }) =>
    `Verwendete ${list([unit])} mit einer Zahl, die auf ihre Grenze gesetzt wurde: ${list(values)}`,
  "flow.below": (it, { noisy, number }) => `${it.column} unter ${number(it.bound)}: ${noisy(it)}`,
  "flow.above": (it, { noisy, number }) => `${it.column} über ${number(it.bound)}: ${noisy(it)}`,
  "flow.hospitals": ({ invited, taking }, { number }) =>
    `Krankenhäuser: ${number(invited)} eingeladen, ${number(taking)} nahmen teil`,
  "flow.refused": ({ reasons }, { list }) =>
    `Gründe, nicht teilzunehmen, vom Aggregator berichtet und von keinem Krankenhaus unterschrieben: ${list(reasons)}`,
  "flow.refused-by": ({ hospitals, code }, { count }) =>
    `${code} (${count(hospitals, "Krankenhaus", "Krankenhäuser")})`,
  "flow.gone": ({ counted, finished }, { number }) =>
    `Von diesen ${number(counted)} Krankenhäusern schieden ${number(counted - finished)} danach aus: spätere Ergebnisse sind ohne ihre Daten`,
  "flow.box-invited": ({ hospitals }, { number }) => `Eingeladene Krankenhäuser: ${number(hospitals)}`,
  "flow.box-others": ({ hospitals }, { number }) =>
    `Krankenhäuser, die nicht teilnahmen: ${number(hospitals)}`,
  "flow.box-read": (it, { noisy, list }) => `Gelesene ${list([it.unit])}: ${noisy(it)}`,
  "flow.box-counted": ({ hospitals }, { number }) =>
    hospitals === 1 ? "in einem Krankenhaus" : `in ${number(hospitals)} Krankenhäusern`,
  "flow.box-left-out": ({ unit }, { list }) => `Ausgelassene ${list([unit])}, nach dem ersten Grund:`,
  "flow.box-used": (it, { noisy, list }) => `Verwendete ${list([it.unit])}: ${noisy(it)}`,
  "finding.clear": () => "eindeutig",
  "finding.inconclusive": () => "nicht eindeutig",
  "finding.noise": () =>
    "Nichts gefunden: das Rauschen ist so groß wie die Zahl der Datensätze. Mehr Zeilen oder ein größeres epsilon würden helfen.",
  "finding.components": ({ count: n, share }, { count, share: percent }) =>
    `${count(n, "Hauptkomponente", "Hauptkomponenten")} der Spalten ${n === 1 ? "erklärt" : "erklären"} ${percent({ value: share, low: share, high: share })} ihrer Varianz, geschätzt aus verrauschten Summen.`,
  "finding.no-components": ({ rows, needed }, { number }) =>
    `Zu ungenau, um es zu deuten: Komponenten heben sich ab ${number(needed)} Zeilen vom Rauschen ab, und etwa ${number(rows)} haben teilgenommen.`,
  "finding.correlated": (it, { noisy, number }) =>
    `${it.clear === 0 ? `Kein eindeutiger Zusammenhang mit ${it.outcome}. ` : ""}${it.column} hängt am stärksten mit ${it.outcome} zusammen: |φ| = ${noisy(it)}${it.of === 1 ? "" : `, die stärkste von ${number(it.of)} Spalten`}.`,
  "finding.no-split": ({ outcome }) =>
    `Keine Spalte trennt die Gruppen von ${outcome} deutlicher als das Rauschen: der Baum ist ein einziges Blatt.`,
  "finding.ranked": ({ outcome, columns, of, again }, { list, number, share }) =>
    `Am stärksten mit ${outcome} verbunden, von ${number(of)} Spalten: ${list(columns)}.${again === null ? "" : ` Mit neuem Rauschen gleicher Größe würde jede wieder ausgewählt, in mindestens ${share({ value: again, low: again, high: again })} der Läufe.`}`,
  "finding.not-ranked": ({ outcome }) =>
    `Keine Spalte hebt sich vom Rauschen ab: die Reihenfolge der Spalten nach ihrem Zusammenhang mit ${outcome} kann Zufall sein.`,
  "finding.together": ({ columns, more, outcome, first, k }, { list, number }) =>
    `Gemeinsam veröffentlichte Spalten, jede Kombination mit mindestens ${number(k)} gemeinsam: ${list(columns)}${more === 0 ? "" : ` und ${number(more)} weitere`}. ${first === null ? `Keine Spalte hebt sich durch ihren Zusammenhang mit ${outcome} vom Rauschen ab` : `Am stärksten mit ${outcome} verbunden: ${first}`}.`,
  "finding.none-together": ({ k }, { number }) =>
    `Keine Spalte ließ sich in Gruppen von mindestens ${number(k)} veröffentlichen.`,
  "finding.auc": (it, { estimate }) =>
    `${it.clear === 0 ? "Kein Hinweis darauf, dass das Modell besser als der Zufall vorhersagt" : "Das Modell sagt besser als der Zufall voraus"}: AUC für ${it.outcome} ${estimate(it)} auf zurückgehaltenen Zeilen.`,
  "finding.balanced-accuracy": (it, { share }) =>
    `${it.clear === 0 ? "Kein Hinweis darauf, dass das Modell besser als der Zufall vorhersagt" : "Das Modell sagt besser als der Zufall voraus"}: balancierte Genauigkeit für ${it.outcome} ${share(it)} auf zurückgehaltenen Zeilen, wo der Zufall ${share({ value: it.chance, low: it.chance, high: it.chance })} erreicht.`,
  "finding.imprecise-model": ({ outcome }) =>
    `Wie gut das Modell ${outcome} vorhersagt, ist zu ungenau, um es zu deuten: es gibt zu wenige zurückgehaltene Zeilen für das Rauschen.`,
  "finding.unmeasured-model": ({ outcome, first }) =>
    first === null
      ? `Kein Zusammenhang mit ${outcome} hebt sich vom Rauschen ab, und das Modell wurde nicht geprüft.`
      : `Das Modell von ${outcome} stützt sich am meisten auf ${first}. Wie gut es vorhersagt, wurde nicht gemessen.`,
  "finding.synthetic": ({ rows, first, second, dependence }, { number, share }) =>
    `${number(rows)} synthetische Zeilen; keine ist ein Patient. ${
      first === null || second === null
        ? "Keine zwei Spalten hängen deutlicher als das Rauschen zusammen, so dass die Zeilen nur einzelne Spalten zeigen."
        : `Stärkster Zusammenhang, den sie wiedergeben: ${first} mit ${second} (${share({ value: dependence, low: dependence, high: dependence })} der Zeilen müssten andere sein, damit beide unabhängig wären).`
    } Daraus berechnete Standardfehler und p-Werte sind zu klein.`,
};
