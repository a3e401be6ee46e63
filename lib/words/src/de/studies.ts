import type { Words } from "../said.js";
import type { StudySays } from "../says/studies.js";

export const studies: Words<StudySays> = {
  "study.other-plan": ({ began, software, at }) =>
    `Version ${began} hat die Studie begonnen, und Version ${software} plant sie anders, zuerst bei ${at}: sie ruht`,
  "study.finish-with": () =>
    "installieren Sie jene Version wieder: dort läuft die Studie von selbst weiter, und nichts wird noch einmal abgebucht; oder brechen Sie sie ab",
  "study.edition": ({ method, edition, newest }, { number }) =>
    edition === newest
      ? `die Studie ist eine der Ausgabe ${number(edition)} von ${method}, der neuesten`
      : `die Studie ist eine der Ausgabe ${number(edition)} von ${method}; die neueste hier ist Ausgabe ${number(newest)}`,
  "study.edition-unspoken": ({ method, edition, sites, more }, { number, list }) =>
    `die Software von ${more === 0 ? list(sites) : `${sites.join(", ")} und ${number(more)} weiteren`} kennt Ausgabe ${number(edition)} von ${method} nicht`,
  "study.replay-differs": ({ stage, at }) =>
    `die Krankenhäuser haben Stufe ${stage} beantwortet, und diese Version hätte sie anderes gefragt, zuerst bei ${at}: die Studie ruht`,
  "study.correct-and-clone": () =>
    "berichtigen Sie, was die Standorte ablehnen, in einer Kopie der Studie (`consilium study clone`), senken Sie dort participation.minimumSites oder laden Sie mehr Standorte ein, und starten Sie diese",
  "study.unreachable": ({ invited, minimum, left, refused }, { count, list }) =>
    `von ${count(invited, "eingeladenen Standort", "eingeladenen Standorten")} können höchstens ${left} teilnehmen, und die Studie braucht ${minimum}; abgelehnt von ${list(refused)}; niemand wird mehr gefragt`,
  "study.plan-warns": ({ warning }, { list }) => `Der Plan warnt: ${list([warning])}.`,
  "study.refused-by": ({ site, why }) => `${site} [${why}]`,
  "study.refused-there": ({ why }) =>
    `der Aggregator hat eine Nachricht dieses Krankenhauses zur Studie abgewiesen (${why}); was er dazu sagt, steht im Log des Agenten`,
  "study.over-undecided": () =>
    "die Studie endete, bevor dieses Krankenhaus entschieden hat; nimmt der Betreiber sie wieder auf, wartet sie erneut auf eine Entscheidung",
  "study.ask-undecided": () =>
    "bitten Sie die Standorte, die nicht geantwortet haben, zuzustimmen oder online zu gehen, dann `consilium study resume`; ein längeres participation.joinDeadline gibt ihnen mehr Zeit",
  "study.too-many-attempts": ({ stage, max }, { number }) =>
    `Stufe ${stage} wurde ${number(max)}-mal versucht, und öfter wird sie nicht bezahlt: woran jeder Versuch scheiterte, steht im Prüfprotokoll`,
  "study.statement-too-large": ({ stages, sites, bytes, max, fits }, { number, count }) =>
    `bei ${count(stages, "Stufe", "Stufen")} und ${count(sites, "Standort", "Standorten")} könnte das, was die Standorte für das Zertifikat unterschreiben, ${number(bytes)} Bytes haben, und sie unterschreiben höchstens ${number(max)}; ${
      fits > 0
        ? `die Studie hätte Platz für ${count(fits, "Standort", "Standorte")}`
        : "weniger Standorte genügen nicht"
    }`,
  "study.plan-less": () =>
    "planen Sie weniger Stufen, etwa weniger oder flachere Bäume, oder nennen Sie unter participation.sites weniger Standorte",
  "study.ceiling-reached": () =>
    "ein weiterer Versuch würde mehr kosten, als dieses Krankenhaus die Studie insgesamt kosten lässt; hier entscheidet eine Person, ob sie weitergeht",
  "study.reads": ({ columns, makes }, { list }) =>
    `Sie liest die Spalten ${list(columns)} der Tabelle und bildet daraus ${list(makes)}.`,
  "study.budget-short": ({ needs, left, delta, population }, { number }) =>
    `sie braucht Epsilon ${number(needs)}, und vom Budget der Population ${population} sind ${number(left)} übrig (bei Delta ${delta})`,
  "study.ceiling-full": () =>
    "die Studie hat in allen Versuchen zusammen so viel gekostet, wie die Richtlinie für eine Studie zulässt",
  "study.raise-limit": () => "erhöhen Sie perStudy.epsilon in policy.yaml, oder lehnen Sie die Studie ab",
  "study.max-unanswered": ({ max }, { count }) =>
    `Eine Person entscheidet nach ${count(max, "Studie", "Studien")} zu einer Population ohne Antwort, laufende eingeschlossen.`,
  "study.unanswered": ({ studies, population, max }, { count }) =>
    `Zur Population ${population} gibt es ${count(studies, "Studie", "Studien")} ohne Antwort: laufende und solche, die so endeten, seit hier zuletzt eine Person entschieden hat. Die Richtlinie lässt ${max} zu: Eine Person entscheidet. Wie eine Studie endet, kann verraten, was keine Summe verrät.`,
  "study.lapsed": () => "niemand hatte entschieden, als die Frist zur Teilnahme ablief",
  "study.denied-without-reason": () => "ein Grund wurde nicht angegeben",
  "study.restored": () => "der Zustand dieses Krankenhauses wurde aus einer Sicherung wiederhergestellt",
  "study.older-copy": () =>
    "sie lief, als dieser Standort auf eine ältere Kopie seines Zustands zurückgesetzt wurde",
  "study.removed": ({ ms }, { duration }) =>
    `Arbeitsdaten wurden gelöscht; seit der letzten Nachricht vergingen: ${duration(ms)}`,
  "study.shown-study": () =>
    "der Text der Studie ist ein anderer als der angezeigte; es wurde nichts entschieden",
  "study.shown-plan": () =>
    "der Plan der Studie ist ein anderer als der angezeigte; es wurde nichts entschieden",
  "study.shown-policy": () =>
    "die Richtlinie hat sich geändert, seit die Studie angezeigt wurde; es wurde nichts entschieden",
  "study.shown-table": () =>
    "der Eintrag der Tabelle in config.yaml, oder wo ihre Datensätze liegen, hat sich geändert, seit die Studie angezeigt wurde; es wurde nichts entschieden",
  "study.shown-software": () =>
    "die Studie wurde von einer anderen Version oder einem anderen Build angezeigt, als der Agent des Standorts hat; es wurde nichts entschieden",
  "study.attempts": ({ epsilon }, { number }) =>
    `Alle Versuche zusammen, auch wiederholte, kosten höchstens Epsilon ${number(epsilon)} beim Delta der Population; bevor mehr ausgegeben wird, wird dieses Krankenhaus erneut gefragt.`,
  "study.other-hash": ({ hash }) => `der Text der Studie hat nicht die Prüfsumme ${hash}`,
  "study.not-canonical": () => "der Text der Studie hat nicht die kanonische Form",
  "study.not-json": () => "der Text der Studie ist kein JSON",
  "study.newer-key": ({ key }) => `diese Version weiß nicht, was der Schlüssel ${key} der Studie bedeutet`,
};
