import type { Words } from "../said.js";
import type { SiteStudySays } from "../says/siteStudies.js";

/** Status of a study at a hospital, as its pages name it. */
const states: Readonly<Record<string, string>> = {
  "waiting for approval": "wartet auf Freigabe",
  refused: "abgelehnt",
  joined: "beigetreten",
  waiting: "wartet",
  released: "veröffentlicht",
  cancelled: "abgebrochen",
  failed: "fehlgeschlagen",
};
const stateOf = (state: string): string => states[state] ?? state;

export const siteStudies: Words<SiteStudySays> = {
  "work.unknown-study": ({ study }) => `diesem Krankenhaus wurde keine Studie ${study} angeboten`,
  "work.list-studies": () => "`consilium site studies` zeigt die angebotenen",
  "work.questions-over": ({ study, status }) =>
    `die Studie ${study} hat den Stand „${stateOf(status)}“: Fragen dazu sind vorbei`,
  "work.question-text": () => "Text: leer oder mit Steuerzeichen",
  "work.question-long": ({ bytes, max }, { number }) =>
    `Text: ${number(bytes)} Bytes, erlaubt sind höchstens ${number(max)}`,
  "work.questions-many": ({ study, max }) => `zur Studie ${study} wurden ${max} Fragen gestellt`,
  "work.write-to-contact": () => "schreiben Sie dem Kontakt, den die Studie nennt",
  "work.questions-often": ({ max }) => `in einer Stunde wurden ${max} Fragen gestellt`,
  "work.ask-later": () => "fragen Sie später noch einmal",
  "work.unread": () => "Name, Variante oder Datenschutz der Studie ist nicht lesbar",
  "work.offered-many": ({ studies, max }) =>
    `${studies} Studien wurden an einem Tag angeboten, offers.perDay erlaubt ${max}`,
  "work.waiting-many": ({ studies, max }) =>
    `${studies} Studien warten auf Freigabe, offers.waiting erlaubt ${max}`,
  "work.joined-many": ({ studies, max }) =>
    `dieser Standort nimmt an ${studies} Studien teil, offers.joined erlaubt ${max}`,
  "work.not-waiting": ({ study, status }) =>
    `die Studie ${study} wartet nicht auf Freigabe: sie hat den Stand „${stateOf(status)}“`,
  "work.show-it": () => "`consilium site show` zeigt sie",
  "work.approval-late": ({ study, until, now }) =>
    `der Studie ${study} konnte man bis ${until} beitreten, jetzt ist ${now}; es wurde nichts gesendet`,
  "work.token-approves": ({ study }) => `die Studie ${study} braucht zwei Personen: ein API-Token ist keine`,
  "work.same-person": ({ study, name, before }) =>
    `Studie ${study}: ${name} ist nach ${before} keine zweite Person`,
  "work.lists-differ": ({ number }) =>
    `Liste der ausgeschlossenen Standorte: zwei verschiedene Listen haben die Nummer ${number}`,
  "work.list-unconfirmed": ({ list }, { say }) =>
    `Liste der ausgeschlossenen Standorte (${say(list)}): der Aggregator hat sie nicht bestätigt`,
  "work.list-stale": ({ list, age, max }, { say }) =>
    `Liste der ausgeschlossenen Standorte (${say(list)}): zuletzt vor ${age} bestätigt, die Grenze ist ${max}`,
  "work.list-expired": ({ list, until }, { say }) =>
    `Liste der ausgeschlossenen Standorte (${say(list)}): die Stelle hätte sie bis ${until} neu signieren müssen`,
  "work.list-none": () => "keine",
  "work.list-number": ({ number }) => `Nummer ${number}`,
  "work.roster-invalid": ({ study, what }, { say }) => `Studie ${study}: ${say(what)}`,
  "work.certificate": ({ site, code, why }, { list }) =>
    `das Zertifikat des Standorts ${site} lässt sich nicht bestätigen (${code}, ${list([why])})`,
  "work.certificate-other": ({ site }) => `das Zertifikat des Standorts ${site} nennt einen anderen Standort`,
  "work.not-itself": () => "die Liste der Standorte enthält diesen nicht mit seinen eigenen Schlüsseln",
  "work.roster-other": () => "die Liste der Standorte ist nicht die zuvor gezeigte",
  "work.not-invited": ({ site }) => `der Standort ${site} war nicht eingeladen`,
  "work.pinned-few": ({ study, pinned, sites, minimum }) =>
    `Studie ${study}: ${pinned} der ${sites} Standorte sind dieses Krankenhaus selbst oder von ihm festgelegt, ${minimum} sind das Mindeste`,
  "work.dealer-unpinned": ({ study, distrusted, sites }) =>
    `Studie ${study}: ein Standort teilt alle Masken aus, und dieses Krankenhaus hat ${distrusted} der ${sites} Standorte nicht festgelegt`,
  "work.plan-differs": ({ study, software, at }) =>
    `Studie ${study}: der Aggregator plant sie anders als Version ${software} dieses Standorts${at === null ? "" : `, zuerst bei ${at}`}`,
  "work.plan-changed": ({ study, software, at }) =>
    `Studie ${study}: Version ${software} dieses Standorts plant sie anders als die Software, mit der sie begann${at === null ? "" : `, zuerst bei ${at}`}`,
  "work.run-older": () =>
    "betreiben Sie wieder die Software, die dieser Standort beim Beginn der Studie hatte, oder lassen Sie die Studie abbrechen",
  "work.broadcast-changed": ({ study, what }, { say }) => `Studie ${study}: ${say(what)}`,
  "work.listed-twice": () => "eine Verteilung ist zweimal aufgeführt",
  "work.was-changed": ({ name, stage }) => `„${name}“ der Stufe ${stage} wurde geändert`,
  "work.broadcast-missing": () => "eine frühere Verteilung fehlt",
  "work.not-there-before": ({ name, stage }) => `„${name}“ der Stufe ${stage} gab es zuvor nicht`,
  "work.before-its-turn": ({ stage }) => `die Stufe ${stage} wurde verteilt, bevor sie an der Reihe war`,
  "work.other-broadcasts": ({ study, stage, planned }, { names }) =>
    `Studie ${study}: die Stufe ${stage} kam mit anderen Verteilungen, als ihr Plan sagt (${planned.length === 0 ? "keine" : names(planned, 0)})`,
  "work.planned": ({ name, length }) => `${name} mit ${length}`,
  "work.vector-length": ({ stage, length, planned }) =>
    `Stufe ${stage}: ${length} Einträge, wo der Plan ${planned} sagt`,
  "work.stored-damaged": ({ study }) => `Studie ${study}: eine gespeicherte Verteilung ist beschädigt`,
  "work.fetched-other": ({ study, name, stage }) =>
    `Studie ${study}: „${name}“ der Stufe ${stage}: die SHA-256 stimmt nicht`,
  "work.ended": ({ study }) => `Studie ${study}: sie endete während eines Schritts`,
  "work.no-statement": ({ study, step, attempt }) =>
    `Studie ${study}: bei ${step}, Versuch ${attempt}, gibt es nichts zu signieren`,
  "work.step": ({ study, step, what }, { say }) => `Studie ${study}, Schritt ${step}: ${say(what)}`,
  "work.exchange-once": () => "ein Austausch hat einen Versuch",
  "work.dealt-once": () => "ausgeteilte Masken haben einen Versuch",
  "work.unmasked-once": () => "unmaskierte Daten haben einen Versuch",
  "work.other-roster": () => "zuvor wurde für eine andere Liste der Standorte geantwortet",
  "work.other-broadcast": () => "zuvor wurde für eine andere Verteilung geantwortet",
  "work.no-rows-stage": () => "ihr Plan hat keine Zeilenstufe dieses Namens",
  "work.no-keys": () => "ihre Masken werden ausgeteilt, es gibt keine Schlüssel anzukündigen",
  "work.no-roster": () => "noch wurde keine Liste der Standorte gezeigt",
  "work.no-sum-stage": ({ study, stage }) => `Studie ${study}: ihr Plan hat keine Summenstufe ${stage}`,
  "work.no-step": ({ study, kind, step }) =>
    `Studie ${study}: ihr Plan hat keinen Schritt ${step} der Art ${kind}`,
  "work.too-early": ({ study, stage, before }) => `Studie ${study}: die Stufe ${stage} kam vor ${before}`,
  "work.before-setup": ({ study, stage }) =>
    `Studie ${study}: die Stufe ${stage} kam vor dem Ende der Einrichtung`,
  "work.setup-not-begun": ({ study }) => `Studie ${study}: ein Schritt kam vor dem Beginn der Einrichtung`,
  "work.no-exchange": ({ study, step }) => `die Studie ${study} hat keinen Austausch ${step}`,
  "work.nothing-to-post": ({ study, step }) => `Studie ${study}: bei ${step} ist nichts zu senden`,
  "work.attempt": ({ study, stage, attempt, what }, { say }) =>
    `Studie ${study}, Stufe ${stage}, Versuch ${attempt}: ${say(what)}`,
  "work.attempt-since": ({ attempt }) => `Versuch ${attempt} hat inzwischen begonnen`,
  "work.not-begun": () => "der Versuch begann nicht mit Schlüsseln",
  "work.attempt-over": () => "der Versuch ist zu Ende",
  "work.no-sum": () => "der Plan hat keine solche Summe",
  "work.other-request": () => "zuvor wurde für eine andere Anfrage geantwortet",
  "work.phase-otherwise": ({ phase }) => `auf „${phase}“ wurde zuvor für eine andere Anfrage geantwortet`,
  "work.other-survivors": () => "zuvor wurde für eine andere Liste der Verbliebenen geantwortet",
  "work.survivors-unpinned": ({ trusted, minimum }) =>
    `${trusted} der Verbliebenen sind Mitglieder, die dieses Krankenhaus festgelegt hat, ${minimum} sind das Mindeste`,
};
