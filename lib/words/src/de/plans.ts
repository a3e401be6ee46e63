import type { Say, Words } from "../said.js";
import type { PlanSays } from "../says/plans.js";

const apart = ({ hospitals, more, at }: PlanSays["plan.per-hospital"], { list, number }: Say) =>
  `${list(at)} ${at.length === 1 ? "trennt" : "trennen"} ${more === 0 ? list(hospitals) : `${hospitals.join(", ")} und ${number(more)} weitere`} von den anderen Krankenhäusern`;

export const plans: Words<PlanSays> = {
  "plan.hospitals-pooled": () =>
    "alle Krankenhäuser zählen als eine Population: wo sich die Zielgröße zwischen ihnen aus anderen Gründen als denen der Spalten unterscheidet, vermischen Koeffizienten, was mit dem Patienten und was mit dem Krankenhaus zusammenhängt",
  "plan.counts-beyond-max": ({ outcome, max }, { number }) =>
    `eine Anzahl von ${outcome} über ${number(max)} zählt als ${number(max)}: deklarieren Sie ein max, über dem höchstens eines von 500 Ereignissen liegt, sonst hält kein Intervall, was es verspricht`,
  "plan.unweighted-rows": ({ rows }, { number }) =>
    `Intervalle nehmen Zeilen als unabhängig an, und bis zu ${number(rows)} Zeilen eines Patienten sind es nicht; schreiben Sie weighting: patients oder maxRows: 1`,
  "plan.sums-public": () =>
    "die verrauschten Summen aller Stufen werden mit der Veröffentlichung öffentlich, damit jeder das Ergebnis daraus nachrechnen kann; von einem Datensatz verraten sie nicht mehr, als Epsilon erlaubt, und es sind Summen über alle teilnehmenden Krankenhäuser",
  "plan.beyond-budget": ({ needs, limit, delta }, { number }) =>
    `Krankenhäuser mit dem Budget, das \`site enroll\` vorschlägt (Epsilon ${number(limit)} bei Delta ${delta}), können nicht teilnehmen: Die Studie braucht dort Epsilon ${number(needs)}`,
  "plan.per-hospital": (params, say) =>
    `${apart(params, say)}: Ergebnisse zeigen verrauschte Zahlen von weniger als ${say.number(params.least)} Krankenhäusern oder eines einzelnen; das Rauschen schützt Patienten, nicht das Krankenhaus. Die Richtlinie jedes Krankenhauses muss figures.perHospital: true enthalten`,
  "plan.per-hospital-refused": (params, say) =>
    `Studie ${params.study}: ${apart(params, say)}, und die Richtlinie erlaubt keine Zahlen von weniger als ${say.number(params.least)} Krankenhäusern`,
  "plan.policy-per-hospital": () => "Studien dürfen verrauschte Zahlen dieses Krankenhauses allein zeigen.",
  "plan.policy-together": () =>
    "Keine Studie darf dieses Krankenhaus an seiner Kennung unterscheiden: Zahlen sind von mindestens drei Krankenhäusern.",
  "plan.sites-unnamed": ({ hospitals, at }, { list }) =>
    `${list(at)} ${at.length === 1 ? "nennt" : "nennen"} ${list(hospitals)}, und die Studie lädt alle angemeldeten Standorte ein: nennen Sie ihre Standorte, damit ihr Plan sagt, was sie von einzelnen Krankenhäusern zeigt`,
  "plan.group-few": ({ group, sites, least }, { number }) =>
    `Gruppe ${group} hat ${number(sites)} der Standorte, mindestens ${number(least)} sind nötig: mit weniger würde ihre Summe einzelne Krankenhäuser zeigen`,
  "plan.rows": ({ rows, patients, stated }, { number }) =>
    `mit ${patients === 0 ? (stated === 0 ? `${number(rows)} Zeilen, der Hälfte der höchstens möglichen,` : `den ${number(rows)} Zeilen, die die Studie erwartet,`) : stated === 0 ? `${number(rows)} Patienten, der Hälfte der höchstens möglichen,` : `höchstens ${number(rows)} Patienten, so vielen, wie die Studie Zeilen erwartet,`}`,
  "plan.evaluation-weak": ({ expected, needed }, { say, number }) =>
    `${say(expected)} sagt die Bewertung wenig aus, die etwa ${number(needed)} braucht: erhöhen Sie epsilon oder evaluation.share, oder schalten Sie sie mit evaluation: none aus`,
  "plan.delta-large": ({ delta, rows, exponent }, { number }) =>
    `delta ${delta} ist zu groß für bis zu ${number(rows)} Datensätze; verwenden Sie 1e${exponent} oder weniger`,
  "plan.no-licence": () =>
    "release.license nennt keine Lizenz: die Veröffentlichung sagt das, und Leser müssen vor jeder Nutzung fragen",
  "plan.no-creator": () => "release.creator nennt niemanden: ein Zitat der Veröffentlichung hat keinen Autor",
  "plan.exact-sums": () =>
    "Summen ohne Rauschen werden für eine einzige Liste von Standorten geöffnet: ein Standort, der nach der ersten Summe ausscheidet, beendet die Studie",
  "plan.no-noise": () => "Die Studie verlangt keines: nirgends wird Rauschen hinzugefügt.",
};
