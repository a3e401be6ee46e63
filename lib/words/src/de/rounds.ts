import type { Words } from "../said.js";
import type { RoundSays } from "../says/rounds.js";

const parts = (...all: readonly (string | false)[]): string =>
  all.filter((part) => part !== false).join("; ");
/** Status of a study, as the pages name it. */
const states: Readonly<Record<string, string>> = {
  inviting: "Einladung",
  running: "läuft",
  publishing: "wird veröffentlicht",
  failed: "fehlgeschlagen",
  cancelled: "abgebrochen",
  released: "veröffentlicht",
};
const stateOf = (state: string): string => states[state] ?? state;

export const rounds: Words<RoundSays> = {
  "round.unknown-study": ({ study }) => `unbekannte Studie ${study}`,
  "round.unknown-site": ({ site }) => `diese Föderation hat keinen Standort ${site}`,
  "round.unknown-after": () => "query.after: keine Studie hat diese ID",
  "round.study-large": ({ study, bytes, max }, { number }) =>
    `Studie ${study}: ${number(bytes)} Bytes mit den Vorgaben überschreiten die Grenze von ${number(max)}`,
  "round.fewer-columns": () => "deklarieren Sie weniger Spalten oder kürzen Sie ihre Beschreibungen",
  "round.sites-unknown": ({ sites }, { names }) =>
    `participation.sites: ${names(sites, 0)} gehört nicht zu dieser Föderation`,
  "round.choose-sites": ({ sites }, { names }) =>
    `laden Sie sie zuerst ein, oder wählen Sie aus: ${sites.length === 0 ? "(keine)" : names(sites, 0)}`,
  "round.few-enrolled": ({ study, sites, minimum }) =>
    `Studie ${study}: ${sites} Standorte sind angemeldet, participation.minimumSites ist ${minimum}`,
  "round.being-released": ({ study }) =>
    `die Studie ${study} wird gerade veröffentlicht und lässt sich nicht mehr abbrechen`,
  "round.check-again": () => "sehen Sie gleich noch einmal nach",
  "round.cannot-cancel": ({ study, status }) =>
    `die Studie ${study} hat den Stand „${stateOf(status)}“ und lässt sich nicht abbrechen`,
  "round.not-inviting": ({ study, status }) =>
    `die Studie ${study} hat den Stand „${stateOf(status)}“: sie wartet nicht mehr auf Beitritte`,
  "round.not-failed": ({ study, status }) =>
    `die Studie ${study} hat den Stand „${stateOf(status)}“: nur eine fehlgeschlagene lässt sich fortsetzen`,
  "round.runs-already": ({ study }) => `die Studie ${study} läuft schon`,
  "round.cancelled": ({ study }) => `der Betreiber hat die Studie ${study} abgebrochen`,
  "round.sites-fixed": ({ study }) => `Studie ${study}: ihre Standorte stehen schon fest`,
  "round.resume-it": () => "eine Studie, die eine Frist versäumt hat, kann fortgesetzt werden",
  "round.deadline-range": ({ study, earliest, latest, until }) =>
    `Studie ${study}: die Frist lässt sich auf ${earliest} bis ${latest} legen, nicht auf ${until}`,
  "round.time-between": () =>
    "wählen Sie einen Zeitpunkt dazwischen: keine Studie darf länger als 30 Tage einladen",
  "round.few-joined": ({ study, joined, minimum, absent }, { say }) =>
    `Studie ${study}: vor der Frist sind ${joined} von mindestens ${minimum} Standorten beigetreten; ${say(absent)}`,
  "round.few-so-far": ({ study, joined, minimum, absent }, { say }) =>
    `Studie ${study}: ${joined} von mindestens ${minimum} Standorten sind beigetreten; ${say(absent)}`,
  "round.wait-or-extend": () =>
    "warten Sie auf weitere Standorte, oder verlängern Sie die Frist mit `consilium study extend`",
  "round.absent": ({ refused, awaiting, silent }, { names }) =>
    parts(
      refused.length > 0 && `abgelehnt von ${names(refused, 0)}`,
      awaiting.length > 0 && `noch nicht freigegeben von ${names(awaiting, 0)}`,
      (silent.length > 0 || awaiting.length === 0) &&
        `keine Antwort von ${silent.length === 0 ? "niemandem" : names(silent, 0)}`,
    ),
  "round.join-invalid": ({ study, site, why }) =>
    `Studie ${study}, Standort ${site}: ungültiger Beitritt (${why})`,
  "round.expelled": ({ study, sites }, { names }) =>
    `Studie ${study}: ${names(sites, 0)} aus ihrer Liste wurde ausgeschlossen; starten Sie die Studie ohne diesen Standort neu`,
  "round.not-on-roster": ({ study, site }) =>
    `Studie ${study}: der Standort ${site} steht nicht auf ihrer Liste`,
  "round.not-resumed": ({ study }) => `die Studie ${study} ist noch nicht fortgesetzt`,
  "round.no-broadcast": ({ study }) => `die Studie ${study} hat keine Verteilung mit diesem Hash`,
  "round.no-request": ({ study }) => `die Studie ${study} hat keine offene Anfrage`,
  "round.broadcast-ends": ({ study }) => `Studie ${study}: die Verteilung endet vor dieser Stelle`,
  "round.upload": ({ study, step, site }) => `Studie ${study}, Schritt ${step}, Standort ${site}`,
  "round.upload-not-on-roster": ({ place }, { say }) =>
    `${say(place)}: der Standort steht nicht auf der Liste der Studie`,
  "round.upload-other": ({ place }, { say }) => `${say(place)}: zuvor wurde eine andere Antwort begonnen`,
  "round.upload-unexpected": ({ place }, { say }) => `${say(place)}: unerwarteter Upload`,
  "round.upload-bytes": ({ place, expected, bytes }, { say, number }) =>
    `${say(place)}: erwartet waren ${number(expected)} Bytes, es kamen ${number(bytes)}`,
  "round.upload-rows": ({ place, each, max }, { say, number }) =>
    `${say(place)}: erwartet war ein Vielfaches von ${number(each)} Bytes (Zeilen) bis ${number(max)}`,
  "round.upload-tags": ({ place, each, max }, { say, number }) =>
    `${say(place)}: erwartet war ein Vielfaches von ${number(each)} Bytes (Kennzeichen) bis ${number(max)}`,
  "round.tags-implausible": ({ study, stage, why }) =>
    `Studie ${study}, Stufe ${stage}: unglaubwürdige Kennzeichen (${why})`,
  "round.no-transcript": ({ study, stage, site }) =>
    `Studie ${study}, Stufe ${stage}, Standort ${site}: dem Upload fehlt die Signatur über das Transkript`,
  "round.post-invalid": ({ study, step, site, why }) =>
    `Studie ${study}, Schritt ${step}, Standort ${site}: ungültige Nachricht (${why})`,
  "round.unexpected-post": ({ study, stage, attempt, kind, site, phase }) =>
    `Studie ${study}, Stufe ${stage}, Versuch ${attempt}: unerwartet „${kind}“ vom Standort ${site} in der Phase „${phase}“`,
  "round.replay-refused": ({ study, stage, attempt }) =>
    `Studie ${study}, Stufe ${stage}, Versuch ${attempt}: die Wiederholung lehnte eine zuvor angenommene Nachricht ab`,
  "round.not-closable": ({ study, stage, attempt }) =>
    `Studie ${study}, Stufe ${stage}, Versuch ${attempt}: lässt sich nicht abschließen`,
  "round.could-not-answer": ({ study, site, step, why }) =>
    `Studie ${study}: der Standort ${site} konnte die Stufe ${step} nicht beantworten (${why})`,
  "round.step-late": ({ study, step, missing }, { names }) =>
    `Studie ${study}: die Frist der Stufe ${step} lief ab ohne ${missing.length === 0 ? "niemanden" : names(missing, 0)}`,
  "round.too-few-answers": ({ study, step, sites, needed }, { names }) =>
    `Studie ${study}: zur Stufe ${step} haben geantwortet: ${sites.length === 0 ? "niemand" : names(sites, 0)}; ${needed} Standorte sind nötig`,
  "round.uploads-gone": ({ study, step, needed, gone }, { say }) =>
    `Studie ${study}: die Stufe ${step} braucht Antworten von ${needed} Standorten, und weniger können noch antworten: ${say(gone)}`,
  "round.sum-gone": ({ study, step, needed, gone, resuming }, { say, names }) =>
    `Studie ${study}: die Stufe ${step} braucht ${needed} Standorte, und weniger können noch antworten${gone.length === 0 ? "" : `: ${names(gone, 0)}`}. ${say(resuming)}`,
  "round.sum-late": ({ study, step, answered, needed, late, gone, resuming }, { say, names }) =>
    `Studie ${study}: bei Ablauf der Frist der Stufe ${step} hatten ${answered} Standorte geantwortet, ${needed} sind nötig; es fehlen: ${late.length === 0 ? "niemand" : names(late, 0)}${gone.map((one) => `, ${say(one)} konnte nicht`).join("")}. ${say(resuming)}`,
  "round.survivors-changed": ({ study, step, needed, sites }, { names }) =>
    `Studie ${study}: die Stufe ${step} braucht ${needed} Standorte, und weniger können noch antworten: ${names(sites, 0)} hat zuvor für eine andere Menge der Verbliebenen geantwortet. Summen dieser Studie haben kein Rauschen; daher antworten ihre Standorte nur für eine Menge der Verbliebenen`,
  "round.reconnect": () =>
    "verbinden Sie alle Standorte der früheren Summe wieder, dann `consilium study resume`",
  "round.without": ({ site, why }) => `${site} [${why ?? "keine Antwort"}]`,
  "round.resumes": ({ attempt }) => `Beim Fortsetzen beginnt Versuch ${attempt}`,
  "round.resumes-charged": ({ attempt }) => `Beim Fortsetzen beginnt Versuch ${attempt}, mit neuen Kosten`,
  "round.resumes-noised": ({ attempt }) =>
    `Beim Fortsetzen beginnt Versuch ${attempt}, mit neuem Rauschen und neuen Kosten`,
  "round.countersigned-late": ({ study, there, needed, late }, { names }) =>
    `Studie ${study}: ${there} Standorte haben vor der Frist gegengezeichnet, ${needed} sind nötig; es fehlen: ${late.length === 0 ? "niemand" : names(late, 0)}`,
  "round.countersigners-gone": ({ study, needed, gone }, { names }) =>
    `Studie ${study}: ${needed} Gegenzeichnungen sind nötig, und weniger Standorte können noch signieren${gone.length === 0 ? "" : `: ${names(gone, 0)}`}`,
  "round.publisher-full": ({ study }) =>
    `Studie ${study}: der Datenträger des Veröffentlichungsdienstes ist voll; die Hinterlegung wird wiederholt`,
  "round.free-publisher": () =>
    "schaffen Sie Platz im Zustandsordner des Veröffentlichungsdienstes (sein Log nennt den Pfad)",
  "round.publisher-late": ({ study }) =>
    `Studie ${study}: der Veröffentlichungsdienst nahm die Veröffentlichung nicht vor der Frist an`,
  "round.start-publisher": () => "starten Sie den Veröffentlichungsdienst, dann `consilium study resume`",
  "round.mask-thread": () => "ein Thread, der Masken entfernt, ist ausgefallen",
  "round.unknown-question": ({ study }) => `die Studie ${study} hat diese Frage nicht`,
  "round.list-questions": () => "`consilium study questions` zeigt sie",
  "round.answered": () => "die Frage ist schon beantwortet",
  "round.ask-again": () => "lassen Sie das Krankenhaus noch einmal fragen, oder schreiben Sie seinem Kontakt",
  "round.answer-text": ({ max }, { number }) =>
    `Text: leer, mit Steuerzeichen oder über ${number(max)} Bytes`,
  "round.no-figures": ({ study, status }) =>
    `die Studie ${study} hat den Stand „${stateOf(status)}“: ihre Abbildungen liegen hier nicht`,
  "round.try-when-released": () =>
    "versuchen Sie es nach der Veröffentlichung erneut; die Abbildungen älterer Studien hat der Katalog",
};
