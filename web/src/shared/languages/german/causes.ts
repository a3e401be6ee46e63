import type { ErrorCode } from "@consilium/core/errors";

/** What each error code means: `errorSummaries.ts` in German. */
export const causes: Readonly<Record<ErrorCode, string>> = {
  USAGE: "die Befehlszeile ist nicht verständlich",
  INTERRUPTED: "der Befehl wurde unterbrochen",
  CONFIG_INVALID: "eine Konfigurationsdatei oder Option ist falsch",
  STATE_MISSING: "im Zustandsordner fehlt etwas, das dafür nötig ist",
  STATE_LOCKED: "ein anderer Prozess benutzt diesen Zustandsordner",
  STORE_LOST: "die Verbindung zur Datenbank brach beim Schreiben ab, und der Prozess hat angehalten",
  STORE_FENCED:
    "ein anderer Prozess hat die Datenbank übernommen: sie nimmt von diesem nichts mehr an, und er hat angehalten",
  DISK_FULL: "der Datenträger mit dem Zustand eines Prozesses ist voll oder hat weniger als die Reserve frei",
  BACKUP_INVALID:
    "eine Sicherung ist beschädigt, unvollständig, mit anderem Passwort verschlüsselt oder keine",
  PORT_IN_USE: "die Adresse ist schon belegt",
  UNREACHABLE: "der Prozess unter der angegebenen Adresse antwortet nicht",
  AGGREGATOR_STANDBY: "dieser Aggregator steht für einen anderen bereit, der aktiv ist",
  PROXY_FAILED: "der Proxy auf dem Weg lässt die Verbindung nicht durch",
  TLS_INTERCEPTED: "etwas auf dem Weg antwortet anstelle des Servers mit einem eigenen Zertifikat",
  STUDY_INVALID: "die Studiendatei ist keine gültige Studie",
  STUDY_UNKNOWN: "diese Studie gibt es nicht",
  STUDY_STATE: "im jetzigen Zustand der Studie ist das nicht möglich",
  TABLE_UNKNOWN: "dieser Standort hat keine Tabelle dieses Namens",
  TABLE_AWAY:
    "die Datei oder Datenbank der Tabelle ist nicht erreichbar oder lehnt ab, bevor der erste Datensatz gelesen ist",
  TABLE_UNREADABLE: "die Tabelle ist nicht lesbar",
  DATABASE_LOST: "die Verbindung zur Datenbank des Krankenhauses brach beim Lesen zweimal ab",
  TABLE_CHANGED: "die Tabelle ist nicht die, die freigegeben wurde",
  OMOP_PLAN_MISSING:
    "die Tabelle ist eine OMOP-Datenbank, und die Studie sagt nicht, was daraus zu lesen ist",
  QUERY_INVALID: "die Abfrage einer Tabelle ist kein einzelnes SELECT über die Tabellen, die sie lesen darf",
  QUERY_FAILED: "die Abfrage einer Tabelle scheitert am Wert eines Datensatzes",
  VIEW_INVALID:
    "eine View-Definition von FHIR-Ressourcen ist ungültig oder verwendet etwas nicht Unterstütztes",
  TABLE_LEFT_OUT:
    "der Standort sagt dem Aggregator nichts von der Tabelle, denn die Namen ihrer Spalten können nicht gesendet werden",
  TABLE_EMPTY: "die Tabelle hat keine einzige Spalte",
  ENGINE_UNSUITABLE:
    "die Engine der Tabelle rechnet in Anteilen ihrer Zeilen, und die Methode der Studie kann das nicht",
  ENGINE_FAILED:
    "was die Zeilen einer Tabelle liest oder summiert, endete oder scheiterte bei jedem von vier Lesevorgängen einer Stufe",
  ENGINE_UNREACHABLE:
    "auf dem Cluster der Engine ließ sich keine Anwendung starten, oder sie ging zweimal verloren",
  ENGINE_INCOMPLETE:
    "dem Rechner oder einem Executor fehlt, was die Engine der Tabelle braucht: Java, Python, pyarrow, Node, der Fold-Worker",
  ENGINE_UNSAFE: "der Cluster der Engine läuft mit Einstellungen, die Datensätze nicht schützen",
  ENGINE_VERSION: "der Fold-Worker hat eine andere Version als der Agent des Standorts",
  COLUMN_MISSING: "eine deklarierte Spalte fehlt in der Tabelle",
  COLUMN_AMBIGUOUS: "eine deklarierte Spalte kommt in der Tabelle mehrfach vor",
  COLUMN_TYPE: "ein Wert hat nicht den deklarierten Typ",
  VALUE_NOT_FINITE: "ein Wert ist NaN oder unendlich",
  VALUE_MISSING: "ein Wert fehlt, und keine Regel sagt, was dann gilt",
  LEVEL_UNDECLARED: "ein kategorialer Wert ist keine der deklarierten Ausprägungen",
  ROWS_TOO_FEW: "dieser Standort hat zu wenige verwendbare Zeilen, um teilzunehmen",
  ROWS_TOO_MANY: "die Tabelle hat mehr Zeilen, als die Studie angibt",
  COLUMN_CONSTANT: "ein Merkmal hat an diesem Standort nur einen Wert",
  POLICY_INVALID:
    "die Richtliniendatei des Krankenhauses ist nicht lesbar; daher wird keine Studie beurteilt",
  POLICY_CHANGED: "die Richtliniendatei ist nicht mehr die, die bearbeitet wurde",
  POLICY_UNWRITABLE: "der Agent kann die Richtliniendatei nicht schreiben",
  POLICY_ANALYSIS: "dieser Standort nimmt an Analysen dieser Art nicht teil",
  POLICY_NO_PRIVACY: "dieser Standort nimmt ohne Datenschutz nicht teil",
  POLICY_VARIANT:
    "dieser Standort nimmt nicht an Studien teil, deren Datenschutz nur behauptet ist, oder nicht an bewiesenen",
  METHODS_MISSING: "dieser Standort hat keine Methoden der Variante dieser Studie installiert",
  POLICY_COLUMN: "die Studie nennt eine Spalte, die dieser Standort nicht für Studien öffnet",
  POLICY_EPSILON: "die Studie kostet mehr Epsilon, als dieser Standort für eine Studie erlaubt",
  POLICY_DELTA: "das Delta der Studie ist größer, als dieser Standort für eine Studie erlaubt",
  POLICY_UNIT: "die Studie schützt eine andere Einheit, als dieser Standort für die Tabelle festgelegt hat",
  POLICY_POPULATION: "die Richtlinie nennt Populationen, und die Tabelle der Studie gehört zu keiner davon",
  POLICY_SITES: "die Studie darf mit weniger Standorten laufen, als dieser verlangt",
  POLICY_REQUEST:
    "die Studie nennt nicht, was die Richtlinie verlangt: Verantwortliche, Kontakt, Zweck, Studienprotokoll, Ethikvotum, Rechtsgrundlage oder Aufbewahrung",
  POLICY_SCHEDULE:
    "das Krankenhaus antwortet zu festen Zeiten, die für die Fristen der Studie zu weit auseinander liegen",
  POLICY_COLLUDING: "die Studie widersteht weniger kolludierenden Standorten, als dieser verlangt",
  POLICY_PER_HOSPITAL: "die Studie zeigt Zahlen einzelner Krankenhäuser, was dieser Standort nicht erlaubt",
  POLICY_ROWS: "die Studie kann weniger Zeilen dieses Standorts verwenden, als die Richtlinie verlangt",
  REFUSED_BY_SITE: "ein Mensch am Standort hat die Studie abgelehnt",
  INVITATION_INVALID:
    "der Standort kann die Einladung nicht lesen: ein Feld fehlt, ist fehlerhaft oder zu groß",
  OFFERS_TOO_MANY:
    "der Standort nimmt vorerst keine Studien mehr an: zu viele wurden an einem Tag angeboten, warten auf einen Menschen oder laufen",
  APPROVAL_LATE: "die Frist zum Beitritt ist abgelaufen",
  APPROVAL_SECOND:
    "die Richtlinie verlangt zwei Personen zur Freigabe einer Studie, und dies ist keine zweite",
  APPROVAL_CHANGED:
    "was der freigebenden Person angezeigt wurde, ist nicht mehr das, was der Agent des Standorts freigeben würde",
  PREFLIGHT_FAILED: "der Standort kann an der Studie nicht teilnehmen",
  BUDGET_EXHAUSTED: "das Datenschutzbudget der Population lässt die Studie nicht zu",
  CEILING_REACHED: "ein weiterer Versuch kostet mehr, als das Krankenhaus die Studie insgesamt kosten lässt",
  LEDGER_BROKEN: "das Budgetbuch wurde verändert: ein Eintrag stimmt nicht",
  LEDGER_BEHIND: "diese Kopie des Budgetbuchs ist älter als das, was ausgegeben wurde",
  LEDGER_HEAD_INVALID: "es wurde ein Kopf des Budgetbuchs dieses Standorts gezeigt, der nicht seiner ist",
  TOKEN_INVALID: "das Einladungstoken stammt nicht von dieser Föderation",
  TOKEN_EXPIRED: "das Einladungstoken ist abgelaufen",
  TOKEN_USED: "das Einladungstoken wurde schon verwendet",
  TOKEN_WITHDRAWN: "die Einladung wurde zurückgezogen oder durch eine neuere ersetzt",
  SITE_ENROLLED: "der Standort ist schon angemeldet, und dies würde seinen Schlüssel ersetzen",
  INVITATION_OPEN: "der Standort hat schon eine offene Einladung",
  IDENTITY_REPLACED:
    "der Standort hat sich mit einem anderen Signaturschlüssel angemeldet, und der Aggregator lehnt diesen ab",
  AUTHORITY_MISMATCH: "das Zertifikat des Servers gehört nicht zur festgelegten Föderation",
  CERTIFICATE_MISSING: "für diesen Aufruf ist ein Client-Zertifikat nötig",
  CERTIFICATE_INVALID: "das Client-Zertifikat gehört nicht zu dieser Föderation oder ist abgelaufen",
  SITE_EXPELLED: "dieser Standort wurde aus der Föderation ausgeschlossen",
  REVOCATIONS_INVALID:
    "die Liste der ausgeschlossenen Standorte ist nicht von der Stelle dieser Föderation signiert",
  REVOCATIONS_STALE: "es kam eine ältere Liste der ausgeschlossenen Standorte als die schon bekannte",
  REVOCATIONS_UNCONFIRMED:
    "der Aggregator hat länger nicht bestätigt, dass die Liste der ausgeschlossenen Standorte die neueste ist",
  REVOCATIONS_EXPIRED: "die Liste der ausgeschlossenen Standorte hätte schon erneuert werden müssen",
  NOT_PERMITTED: "dieser Aufruf ist hier nicht erlaubt",
  ADDRESS_UNKNOWN: "unter dieser Adresse antwortet nichts, oder nicht auf diese Weise",
  UNAUTHENTICATED: "die Anfrage trägt keine gültige Sitzung und kein gültiges Token",
  SIGN_IN_FAILED: "Name und Passwort, oder das Token, stimmen nicht",
  SIGN_IN_BUSY: "im Augenblick melden sich mehr Menschen an, als Passwörter geprüft werden können",
  CROSS_SITE: "eine Seite anderer Herkunft hat dies angefragt, oder eine, die die Sitzung nicht kennt",
  HOST_UNKNOWN: "die Seite wurde unter einem Namen aufgerufen, der nicht ihrer ist",
  LINK_INVALID: "der Einmal-Link wurde verwendet oder ist abgelaufen",
  ACCOUNT_UNKNOWN: "dieses Konto gibt es nicht",
  ACCOUNT_EXISTS: "ein Konto dieses Namens gibt es schon",
  ACCOUNT_LAST: "dies ist das letzte Konto, das alles darf",
  API_TOKEN_UNKNOWN: "dieses Token gibt es nicht",
  OIDC_FAILED: "der Identitätsanbieter hat niemanden angemeldet",
  PROTOCOL_VERSION: "die beiden Seiten haben keine gemeinsame Protokollversion",
  PROTOCOL_DOWNGRADED:
    "der Aggregator wählte ein älteres Protokoll, als er mit diesem Standort gesprochen hat",
  FIELD_INVALID: "ein Feld einer Nachricht fehlt, ist fehlerhaft oder zu groß",
  MESSAGE_TOO_LARGE: "eine Nachricht ist zu groß",
  RATE_LIMITED: "Nachrichten oder Anfragen kommen schneller, als sie angenommen werden",
  MESSAGE_UNEXPECTED: "es kam eine Nachricht, die in diesem Zustand nicht erlaubt ist",
  UPLOAD_ORDER: "ein Teil setzt nicht fort, was empfangen wurde",
  UPLOAD_TRUNCATED: "ein Upload endete vor seiner angekündigten Länge",
  UPLOAD_HASH: "ein Upload hat nicht den angekündigten Hash",
  UPLOAD_CHANGED: "für schon Empfangenes kam ein anderer Upload",
  UPLOAD_LENGTH: "ein Upload hat nicht die geplante Länge",
  STUDY_NEWER: "der Text der Studie hat einen Schlüssel oder eine Ausgabe, die diese Version nicht kennt",
  STUDY_RETIRED: "die Studie beruht auf etwas, woran diese Software nicht mehr teilnimmt",
  STUDY_HASH: "der Text der Studie und ihr Hash passen nicht zusammen",
  PLAN_DIFFERS: "Aggregator und Standort oder zwei Versionen verstehen die Studie verschieden",
  REPLAY_DIFFERS:
    "eine neuere Version hätte die Krankenhäuser anderes gefragt, als sie beantwortet haben; die Studie ruht",
  ROSTER_INVALID: "die Liste der Standorte besteht die Prüfung nicht",
  ROSTER_UNPINNED:
    "zu wenige der teilnehmenden Standorte sind solche, deren Schlüssel dieser Standort festgelegt hat",
  ROSTER_TOO_SMALL: "zu wenige Standorte nehmen teil",
  BROADCAST_CHANGED: "der Aggregator hat für eine Stufe zwei verschiedene Verteilungen gesendet",
  BROADCAST_INVALID: "der Aggregator hat verteilt, was die Methode der Studie von keinem Standort verlangt",
  SEAL_BROKEN: "eine versiegelte Nachricht zwischen Standorten lässt sich nicht öffnen",
  COMMITMENT_BROKEN:
    "der offengelegte Anteil eines Standorts am Seed ist nicht der, auf den er sich festgelegt hat",
  KEYS_INVALID: "die Liste der Schlüssel für eine Summe ist keine, die die Standorte signiert haben",
  SHARES_INVALID:
    "Anteile an den Geheimnissen einer Summe fehlen, sind nicht signiert oder nicht die erbetenen",
  SUM_THRESHOLD:
    "es nehmen weniger Standorte teil als die Schwelle, oder die Schwelle schützt diesen Standort nicht",
  TRANSCRIPT_DIFFERS:
    "den Standorten wurden für eine Summe verschiedene Schlüssel, Teilende oder Verteilungen gezeigt",
  SURVIVORS_INVALID: "die Liste der Verbliebenen einer Summe lässt sich nicht beantworten",
  SURVIVORS_CHANGED: "eine andere Liste der Verbliebenen als die zuvor signierte oder beantwortete",
  SUM_REPLAYED: "ein Schritt einer Summe kam noch einmal oder außer der Reihe",
  UNMASK_FAILED: "die Geheimnisse des genannten Standorts lassen sich aus den Anteilen nicht zusammensetzen",
  PHASE_DEADLINE: "die Frist eines Schritts lief ab, und Standorte fehlten",
  SUM_IMPLAUSIBLE: "eine Summe ist keine, die ehrliche Standorte senden können",
  STUDY_CANCELLED: "die Studie wurde abgebrochen",
  SITE_FAILED: "ein Standort konnte die Studie nicht fortsetzen",
  RELEASE_UNKNOWN: "diese Veröffentlichung oder Datei gibt es nicht",
  RELEASE_WITHDRAWN: "die Föderation hat die Veröffentlichung zurückgezogen",
  RELEASE_SUPERSEDED: "eine andere Veröffentlichung der Föderation ersetzt diese",
  RELEASE_CORRUPT: "die Veröffentlichung ist nicht, was ihr Zertifikat sagt",
  CERTIFICATE_EPSILON: "der Datenschutz eines Zertifikats ist nicht die Summe seiner Ereignisse",
  COUNTERSIGNATURE_INVALID: "Gegenzeichnungen der Standorte sind falsch oder zu wenige",
  STATEMENT_INVALID:
    "die Erklärung, die der Aggregator signiert haben möchte, stimmt nach den Aufzeichnungen des Standorts nicht",
  DEPOSIT_INVALID: "die Hinterlegung einer Veröffentlichung ist unvollständig oder fehlerhaft",
  PUBLISHER_UNREACHABLE: "der Veröffentlichungsdienst antwortet nicht",
  METHOD_REFUSED:
    "eine Methode antwortet anders, als ihre Studie sagt; das fiel auf, bevor ein Datensatz gelesen wurde",
  RESULT_INCOMPLETE:
    "ein Teil des Ergebnisses einer Studie ließ sich nicht berechnen; der Rest steht, und ihre Summen bleiben erhalten",
  RESULT_FAILED: "das Ergebnis einer Studie ließ sich nicht berechnen; ihre Summen bleiben erhalten",
  INTERNAL: "ein Fehler von Consilium selbst",
};

/** `remedy` of each code in `errors.ts`, in German. */
export const remedies = {
  "resume the study under a version that mends it, or accept it without that part":
    "setzen Sie die Studie mit einer Version fort, die es behebt, oder nehmen Sie sie ohne diesen Teil an",
  "resume the study under a version that mends it: nothing is charged again":
    "setzen Sie die Studie mit einer Version fort, die es behebt: kein Budget wird erneut belastet",
  "see the command's --help": "siehe --help des Befehls",
  "give it again: what runs elsewhere continues without it":
    "geben Sie ihn erneut ein: was anderswo läuft, läuft ohne ihn weiter",
  "correct the key that the message names": "berichtigen Sie den Schlüssel, den die Meldung nennt",
  "run the command that makes it (init, enroll), or point --state at the right folder":
    "führen Sie den Befehl aus, der ihn anlegt (init, enroll), oder zeigen Sie mit --state auf den richtigen Ordner",
  "stop the other process, or use a folder of its own":
    "beenden Sie den anderen Prozess oder nehmen Sie einen eigenen Ordner",
  "start it again once the database answers; it continues from what is stored":
    "starten Sie ihn neu, sobald die Datenbank antwortet; er fährt mit dem Gespeicherten fort",
  "start it again: it stands by until the process that took over ends":
    "starten Sie ihn neu: er steht bereit, bis der andere Prozess endet",
  "free space there, or enlarge its disk or quota; what waits then continues by itself":
    "schaffen Sie dort Platz oder vergrößern Sie Datenträger oder Kontingent; was wartet, läuft dann von selbst weiter",
  "use another backup, or the passphrase of this one":
    "nehmen Sie eine andere Sicherung oder das Passwort dieser",
  "choose another port, or 0 for a free one": "wählen Sie einen anderen Port, oder 0 für einen freien",
  "check that it runs and that the address is right": "prüfen Sie, ob er läuft und ob die Adresse stimmt",
  "use the active aggregator's address; sites try the next one by themselves":
    "nehmen Sie die Adresse des aktiven Aggregators; Standorte versuchen die nächste von selbst",
  "check `proxy:` in config.yaml or HTTPS_PROXY; `consilium doctor` says what to ask the network team for":
    "prüfen Sie `proxy:` in config.yaml oder HTTPS_PROXY; `consilium doctor` sagt, worum Sie das Netzwerkteam bitten",
  "check the address; if it is right, have the network team let the connection pass unopened: `consilium doctor`":
    "prüfen Sie die Adresse; stimmt sie, soll das Netzwerkteam die Verbindung ungeöffnet durchlassen: `consilium doctor`",
  "correct the keys that the message lists": "berichtigen Sie die Schlüssel, die die Meldung nennt",
  "list the studies with `consilium study list`": "`consilium study list` zeigt die Studien",
  "look at it with `consilium study show`": "`consilium study show` zeigt sie",
  "name the table in the site's configuration": "nennen Sie die Tabelle in der Konfiguration des Standorts",
  "check the path, the format and the permissions of the file":
    "prüfen Sie Pfad, Format und Zugriffsrechte der Datei",
  "check that the database runs and can be reached; start the study again":
    "prüfen Sie, ob die Datenbank läuft und erreichbar ist; starten Sie die Studie neu",
  "restore the approved contents, or start the study again":
    "stellen Sie den freigegebenen Inhalt wieder her oder starten Sie die Studie neu",
  "write an `omop:` block into the study, or name a table that has its columns":
    "schreiben Sie einen Block `omop:` in die Studie oder nennen Sie eine Tabelle mit ihren Spalten",
  "correct the table's query in the site's configuration":
    "berichtigen Sie die Abfrage der Tabelle in der Konfiguration des Standorts",
  "write the table's query so that it takes any value: with TRY_CAST":
    "schreiben Sie die Abfrage so, dass sie jeden Wert annimmt: mit TRY_CAST",
  "correct the view definition at the path that the message names":
    "berichtigen Sie die View-Definition an der Stelle, die die Meldung nennt",
  "state the table's `encoding`, correct the names in its header, or name its columns with `csv.names`":
    "geben Sie das `encoding` der Tabelle an, berichtigen Sie die Namen in ihrer Kopfzeile, oder benennen Sie ihre Spalten mit `csv.names`",
  "check that the file was written completely": "prüfen Sie, ob die Datei vollständig geschrieben wurde",
  "set `engine: none` for the table in the site's configuration, or run a sound method that adds up over rows":
    "setzen Sie `engine: none` für die Tabelle in der Konfiguration des Standorts, oder nehmen Sie eine bewiesene Methode, die über Zeilen summiert",
  "see the agent's log and the machine's memory; with `engine: none` the agent computes the table itself":
    "sehen Sie in das Log des Agenten und nach dem Speicher des Rechners; mit `engine: none` rechnet der Agent selbst",
  "check that the cluster of the table's engine runs, has room and accepts the agent's sign-in; `consilium doctor` tries it":
    "prüfen Sie, ob der Cluster der Engine läuft, Platz hat und die Anmeldung des Agenten annimmt; `consilium doctor` probiert es",
  "install on the cluster what the message names; `consilium doctor` looks again":
    "installieren Sie auf dem Cluster, was die Meldung nennt; `consilium doctor` sieht noch einmal nach",
  "remove the settings that the message names from the cluster's configuration":
    "entfernen Sie die genannten Einstellungen aus der Konfiguration des Clusters",
  "run the version again that the study began with: it continues there, and nothing is charged again":
    "starten Sie die Version wieder, mit der die Studie begann: dort läuft sie weiter, und nichts wird noch einmal abgebucht",
  "install one version of the site agent, its fold worker and the door to its tables with it, and start it":
    "installieren Sie Agent, Fold-Worker und die Tür zu seinen Tabellen in derselben Version, und starten Sie ihn",
  "correct the column's name in the study or the table":
    "berichtigen Sie den Namen der Spalte in der Studie oder in der Tabelle",
  "give the table's columns names that differ": "geben Sie den Spalten der Tabelle verschiedene Namen",
  "correct the row that the message names, or declare the column categorical":
    "berichtigen Sie die genannte Zeile oder deklarieren Sie die Spalte als kategorial",
  "correct the row that the message names, or declare a rule for missing values":
    "berichtigen Sie die genannte Zeile oder deklarieren Sie eine Regel für fehlende Werte",
  "declare `missing:` for the column, or fill the value":
    "deklarieren Sie `missing:` für die Spalte oder füllen Sie den Wert",
  "declare the level in the study, or correct the row that the message names":
    "deklarieren Sie die Ausprägung in der Studie oder berichtigen Sie die genannte Zeile",
  "check `consilium site profile`; the details stay at the site":
    "sehen Sie in `consilium site profile`; die Einzelheiten bleiben am Standort",
  "raise participation.maxRowsPerSite in the study": "erhöhen Sie participation.maxRowsPerSite in der Studie",
  "leave the feature out, or widen the table; the details stay at the site":
    "lassen Sie das Merkmal weg oder erweitern Sie die Tabelle; die Einzelheiten bleiben am Standort",
  "correct the lines that the message names; the file is read again by itself":
    "berichtigen Sie die genannten Zeilen; die Datei wird von selbst neu gelesen",
  "look at what it says now, and make the change again":
    "sehen Sie nach, was sie jetzt sagt, und ändern Sie sie erneut",
  "let the user that runs the agent write the state folder, or edit the file where it comes from":
    "geben Sie dem Benutzer des Agenten Schreibrecht im Zustandsordner, oder bearbeiten Sie die Datei dort, wo sie herkommt",
  "add the analysis to analyses in the site's policy.yaml":
    "nehmen Sie die Analyse in analyses in der policy.yaml des Standorts auf",
  "set allowNoPrivacy: true in the site's configuration, for public data only":
    "setzen Sie allowNoPrivacy: true in der Konfiguration des Standorts, nur für öffentliche Daten",
  "add the variant to variants in the site's policy.yaml":
    "nehmen Sie die Variante in variants in der policy.yaml des Standorts auf",
  "install the package methods-paper at the site and allow the variant in its policy.yaml, or run a sound study":
    "installieren Sie das Paket methods-paper am Standort und erlauben Sie die Variante in seiner policy.yaml, oder starten Sie eine bewiesene Studie",
  "leave the column out, or change columns in the site's policy.yaml":
    "lassen Sie die Spalte weg oder ändern Sie columns in der policy.yaml des Standorts",
  "lower privacy.epsilon, or raise perStudy.epsilon in the site's policy.yaml":
    "senken Sie privacy.epsilon oder erhöhen Sie perStudy.epsilon in der policy.yaml des Standorts",
  "lower privacy.delta, or raise perStudy.delta in the site's policy.yaml":
    "senken Sie privacy.delta oder erhöhen Sie perStudy.delta in der policy.yaml des Standorts",
  "name the site's own patient column with at most its number of rows in the study, or declare the table's unit in the site's config.yaml":
    "nennen Sie in der Studie die Patientenspalte des Standorts mit höchstens seiner Zeilenzahl, oder deklarieren Sie die Einheit der Tabelle in der config.yaml des Standorts",
  "add the table to a population of the site's policy.yaml, or declare a default":
    "ordnen Sie die Tabelle einer Population der policy.yaml zu, oder deklarieren Sie eine Population default",
  "raise participation.minimumSites, or lower minimumSites in the site's policy.yaml":
    "erhöhen Sie participation.minimumSites oder senken Sie minimumSites in der policy.yaml des Standorts",
  "state it under request in the study, or change requires in the site's policy":
    "nennen Sie es unter request in der Studie, oder ändern Sie requires in der Richtlinie des Standorts",
  "raise the study's participation.phaseDeadline, or change the policy's answerOn":
    "erhöhen Sie participation.phaseDeadline der Studie oder ändern Sie answerOn der Richtlinie",
  "raise participation.tolerateColluding, or lower tolerateColluding in the site's policy.yaml":
    "erhöhen Sie participation.tolerateColluding oder senken Sie tolerateColluding in der policy.yaml des Standorts",
  "leave levels and conditions that are hospitals out of the study, or set figures.perHospital in the site's policy.yaml":
    "lassen Sie Ausprägungen und Bedingungen, die Krankenhäuser sind, aus der Studie weg oder setzen Sie figures.perHospital in der policy.yaml des Standorts",
  "lower minimumRows in the site's policy.yaml; the details stay at the site":
    "senken Sie minimumRows in der policy.yaml des Standorts; die Einzelheiten bleiben am Standort",
  "ask the hospital; the reason stays there": "fragen Sie das Krankenhaus; der Grund bleibt dort",
  "upgrade the older of aggregator and site, then start the study again; the site's log names the field":
    "aktualisieren Sie den älteren von Aggregator und Standort, und starten Sie die Studie neu; das Log des Standorts nennt das Feld",
  "start the study again later; the hospital can raise `offers` in its config.yaml":
    "starten Sie die Studie später neu; das Krankenhaus kann `offers` in seiner config.yaml erhöhen",
  "ask the operator to resume the study or to start it again, with a longer participation.joinDeadline":
    "bitten Sie den Betreiber, die Studie fortzusetzen oder mit längerer participation.joinDeadline neu zu starten",
  "ask the hospital to approve the study again with `consilium site approve`, then `consilium study resume`":
    "bitten Sie das Krankenhaus, die Studie mit `consilium site approve` erneut freizugeben, dann `consilium study resume`",
  "load the page again, or give the command again, with the version of the site agent: it shows the study as it is now":
    "laden Sie die Seite neu oder geben Sie den Befehl noch einmal, mit der Version des Agenten: er zeigt die Studie, wie sie jetzt ist",
  "ask another approver: this hospital's policy wants two people to approve a study":
    "bitten Sie eine andere Person um die Freigabe: die Richtlinie dieses Krankenhauses verlangt zwei Personen",
  "the hospital sees the reason in its log and with `consilium site status`":
    "das Krankenhaus sieht den Grund in seinem Log und mit `consilium site status`",
  "lower the study's epsilon, or ask the hospital's data committee for a larger budget":
    "senken Sie das Epsilon der Studie oder bitten Sie das Datenkomitee des Krankenhauses um ein größeres Budget",
  "restore a backup of the state folder; `consilium ledger verify` names the entry":
    "stellen Sie eine Sicherung des Zustandsordners wieder her; `consilium ledger verify` nennt den Eintrag",
  "restore the newest backup, or charge the difference: `consilium ledger reconcile`":
    "stellen Sie die neueste Sicherung wieder her oder verbuchen Sie den Unterschied: `consilium ledger reconcile`",
  "report it: the aggregator must return heads as it got them":
    "melden Sie es: der Aggregator muss Köpfe so zurückgeben, wie er sie bekam",
  "ask the operator for a new one: `consilium invite`":
    "bitten Sie den Betreiber um ein neues: `consilium invite`",
  "use the newest token, or ask the operator for a new one: `consilium invite`":
    "nehmen Sie das neueste Token oder bitten Sie den Betreiber um ein neues: `consilium invite`",
  "for a site that lost its key, `consilium invite <site> --replace`; for one that kept it, `--same-key`":
    "für einen Standort, der seinen Schlüssel verlor: `consilium invite <site> --replace`; für einen, der ihn noch hat: `--same-key`",
  "withdraw it with `consilium invitation withdraw <site>`, or replace it with `consilium invite <site> --replace`":
    "ziehen Sie sie mit `consilium invitation withdraw <site>` zurück, oder ersetzen Sie sie mit `consilium invite <site> --replace`",
  "if nobody at this hospital enrolled again, report it to the operator at once; to come back with this key and this ledger, ask for `consilium invite <site> --replace`, stop the agent, and run `consilium site enroll` with the new token and this state folder":
    "hat sich in diesem Krankenhaus niemand neu angemeldet, melden Sie es sofort dem Betreiber; um mit diesem Schlüssel und diesem Budgetbuch zurückzukehren, bitten Sie um `consilium invite <site> --replace`, beenden Sie den Agenten und führen Sie `consilium site enroll` mit dem neuen Token und diesem Zustandsordner aus",
  "check the address; if it is right, somebody intercepts the connection":
    "prüfen Sie die Adresse; stimmt sie, fängt jemand die Verbindung ab",
  "enrol first: `consilium site enroll`": "melden Sie den Standort zuerst an: `consilium site enroll`",
  "compare the two machines' clocks first; a site's certificate that has expired renews itself for 60 days while its agent runs, and after that the site enrols again with an invitation for the same key":
    "vergleichen Sie zuerst die Uhren beider Rechner; ein abgelaufenes Zertifikat eines Standorts erneuert sich noch 60 Tage lang selbsttätig, solange der Agent läuft; danach meldet sich der Standort mit einer Einladung für denselben Schlüssel neu an",
  "speak to the federation's operator": "sprechen Sie mit dem Betreiber der Föderation",
  "report it: the aggregator must not change the list":
    "melden Sie es: der Aggregator darf die Liste nicht ändern",
  "report it: the list only grows; an old one would readmit an expelled site":
    "melden Sie es: die Liste wächst nur; eine alte ließe einen ausgeschlossenen Standort wieder zu",
  "wait until the agent is connected; if it is, report it to the operator: the aggregator may be holding back a newer list":
    "warten Sie, bis der Agent verbunden ist; ist er es, melden Sie es dem Betreiber: der Aggregator hält vielleicht eine neuere Liste zurück",
  "ask the operator to have it signed again: `consilium expelled renew`":
    "bitten Sie den Betreiber, sie neu signieren zu lassen: `consilium expelled renew`",
  "use the identity that the call is for": "verwenden Sie die Identität, für die der Aufruf gedacht ist",
  "check the address, and that both sides have the same version":
    "prüfen Sie die Adresse, und ob beide Seiten dieselbe Version haben",
  "sign in; a program passes a token: the file that `consilium init` wrote, or one of `consilium token add`":
    "melden Sie sich an; ein Programm übergibt ein Token: die Datei von `consilium init` oder eines von `consilium token add`",
  "try again; an operator or administrator makes a link to set a new password: `consilium account link`":
    "versuchen Sie es erneut; einen Link für ein neues Passwort macht ein Betreiber oder Administrator: `consilium account link`",
  "wait a few seconds, then try again": "warten Sie einige Sekunden und versuchen Sie es erneut",
  "open the page at its own address and load it again":
    "öffnen Sie die Seite unter ihrer eigenen Adresse und laden Sie sie neu",
  "open it by localhost, or add the name to console.hosts in config.yaml":
    "öffnen Sie sie über localhost, oder nehmen Sie den Namen in console.hosts in config.yaml auf",
  "make another: `consilium account link`": "machen Sie einen neuen: `consilium account link`",
  "list them: `consilium account list`": "`consilium account list` zeigt alle",
  "choose another name": "wählen Sie einen anderen Namen",
  "make another one first: `consilium account add`":
    "legen Sie zuerst ein anderes an: `consilium account add`",
  "list them: `consilium token list`": "`consilium token list` zeigt alle",
  "try again; if it persists, look at the process's log and compare config.yaml with the provider's settings":
    "versuchen Sie es erneut; bleibt es dabei, sehen Sie in das Log des Prozesses und vergleichen Sie config.yaml mit den Einstellungen des Anbieters",
  "upgrade the side that the message names": "aktualisieren Sie die Seite, die die Meldung nennt",
  "ask the operator, by another way, whether older software runs there on purpose; if it does, `consilium site accept-protocol` with the protocol that the message names first":
    "fragen Sie den Betreiber auf anderem Weg, ob dort absichtlich ältere Software läuft; wenn ja, `consilium site accept-protocol` mit dem Protokoll, das die Meldung zuerst nennt",
  "upgrade the side that refuses it, or start the study without that key":
    "aktualisieren Sie die Seite, die sie ablehnt, oder starten Sie die Studie ohne diesen Schlüssel",
  "start the study anew with what current software writes; the message says what is retired, and why":
    "starten Sie die Studie neu mit dem, was aktuelle Software schreibt; die Meldung sagt, was zurückgezogen ist und warum",
  "upgrade the sender; if it persists, report it":
    "aktualisieren Sie den Absender; bleibt es dabei, melden Sie es",
  "wait a minute, then continue; a program that asks should ask less often":
    "warten Sie eine Minute und machen Sie dann weiter; ein Programm soll seltener anfragen",
  "nothing: it was ignored; if it persists, report it":
    "nichts: es wurde ignoriert; bleibt es dabei, melden Sie es",
  "nothing: the sender resumes from the acknowledged offset":
    "nichts: der Absender fährt ab der bestätigten Stelle fort",
  "nothing: the sender resumes": "nichts: der Absender fährt fort",
  "nothing: the sender starts it again": "nichts: der Absender beginnt erneut",
  "report it: a site must never answer the same request twice differently":
    "melden Sie es: ein Standort darf dieselbe Anfrage nie zweimal verschieden beantworten",
  "report it: the aggregator must not change a study":
    "melden Sie es: der Aggregator darf eine Studie nicht ändern",
  "run the same version on both sides; if they are the same, report it":
    "verwenden Sie auf beiden Seiten dieselbe Version; ist sie gleich, melden Sie es",
  "report it: the aggregator must not change a roster":
    "melden Sie es: der Aggregator darf eine Liste der Standorte nicht ändern",
  "invite the pinned members too, or add the others under members in the site's policy.yaml":
    "laden Sie auch die festgelegten Mitglieder ein, oder nehmen Sie die anderen unter members in der policy.yaml des Standorts auf",
  "invite more sites, or wait until they are online":
    "laden Sie mehr Standorte ein, oder warten Sie, bis sie online sind",
  "report it: a stage has one broadcast": "melden Sie es: eine Stufe hat eine Verteilung",
  "report it: the site has answered nothing": "melden Sie es: der Standort hat nichts beantwortet",
  "report it: it was changed on the way, or meant for another":
    "melden Sie es: sie wurde unterwegs verändert oder war für jemand anderen bestimmt",
  "report it: start the study again without that site":
    "melden Sie es: starten Sie die Studie ohne diesen Standort neu",
  "report it: somebody changed keys on the way": "melden Sie es: jemand hat unterwegs Schlüssel verändert",
  "report it: the software of the named site or of the aggregator is at fault":
    "melden Sie es: die Software des genannten Standorts oder des Aggregators ist fehlerhaft",
  "bring back more sites and try again, or lower participation.tolerateColluding":
    "bringen Sie mehr Standorte zurück und versuchen Sie es erneut, oder senken Sie participation.tolerateColluding",
  "report it: nothing was revealed": "melden Sie es: nichts wurde offengelegt",
  "report it: the aggregator's software is at fault; nothing was revealed":
    "melden Sie es: die Software des Aggregators ist fehlerhaft; nichts wurde offengelegt",
  "report it: two lists would show the difference; start another attempt or study":
    "melden Sie es: zwei Listen zeigten den Unterschied; beginnen Sie einen neuen Versuch oder eine neue Studie",
  "nothing, if the sum continued; otherwise start another attempt":
    "nichts, wenn die Summe weiterlief; sonst beginnen Sie einen neuen Versuch",
  "start another attempt; leave the named site out if it happens again":
    "beginnen Sie einen neuen Versuch; geschieht es wieder, lassen Sie den genannten Standort weg",
  "bring the named sites back, then `consilium study resume`":
    "bringen Sie die genannten Standorte zurück, dann `consilium study resume`",
  "raise participation.maxRowsPerSite if a hospital may have more rows; else ask the sites to check their software":
    "erhöhen Sie participation.maxRowsPerSite, wenn ein Krankenhaus mehr Zeilen haben kann; sonst bitten Sie die Standorte, ihre Software zu prüfen",
  "start it again when you wish": "starten Sie sie neu, wann Sie möchten",
  "ask the named site to look at its log; then `consilium study resume`":
    "bitten Sie den genannten Standort, in sein Log zu sehen; dann `consilium study resume`",
  "list the releases with `consilium release list`": "`consilium release list` zeigt die Veröffentlichungen",
  "do not use it; its page in the catalogue says why":
    "verwenden Sie sie nicht; ihre Seite im Katalog sagt den Grund",
  "use the release that supersedes it; its page in the catalogue names it":
    "verwenden Sie die, die sie ersetzt; ihre Seite im Katalog nennt sie",
  "do not use it; get it again, and report it if it persists":
    "verwenden Sie sie nicht; laden Sie sie erneut, und melden Sie es, wenn es dabei bleibt",
  "do not rely on it, and report it: the aggregator and the sites signed something false":
    "verlassen Sie sich nicht darauf, und melden Sie es: Aggregator und Standorte haben Falsches signiert",
  "do not rely on it, and report it: the sites did not say what the certificate says":
    "verlassen Sie sich nicht darauf, und melden Sie es: die Standorte haben nicht erklärt, was das Zertifikat sagt",
  "report it: the aggregator must not misstate a study; `consilium ledger show` has what was charged":
    "melden Sie es: der Aggregator darf eine Studie nicht falsch darstellen; `consilium ledger show` zeigt, was verbucht wurde",
  "nothing: the aggregator deposits again": "nichts: der Aggregator hinterlegt erneut",
  "start it; the aggregator deposits again by itself":
    "starten Sie ihn; der Aggregator hinterlegt von selbst erneut",
  "report it with the study: nothing was charged for the step":
    "melden Sie es mit der Studie: für den Schritt wurde nichts verbucht",
  "report it with the process's log": "melden Sie es mit dem Log des Prozesses",
} as const;
