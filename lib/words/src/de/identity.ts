import type { Words } from "../said.js";
import type { IdentitySays } from "../says/identity.js";

const certificates: Readonly<Record<string, string>> = {
  root: "das Stammzertifikat",
  issuing: "das ausstellende Zertifikat",
  own: "das eigene Zertifikat",
};

export const identity: Words<IdentitySays> = {
  "certificate.invalid": ({ certificate, why }, { say }) =>
    `${certificates[certificate] ?? certificate} der Gegenseite: ${say(why)}`,
  "chain.missing": () => "es fehlt",
  "chain.too-long": ({ max }, { number }) => `es hat mehr als ${number(max)} Bytes`,
  "chain.foreign": () => "es ist kein X.509-Zertifikat mit P-256",
  "chain.malformed": () => "eine Erweiterung ist fehlerhaft",
  "chain.early": () => "es ist noch nicht gültig: vergleichen Sie die Uhren beider Rechner",
  "chain.expired": ({ at }) => `es lief am ${at} ab`,
  "chain.other-federation": () => "es gehört zu einer anderen Föderation als das Stammzertifikat",
  "chain.no-identity": () => "es enthält keine Identität dieser Föderation",
  "chain.unsigned": () => "sein Aussteller hat es nicht signiert",
  "chain.extension": ({ extension }) => `es hat eine unbekannte kritische Erweiterung ${extension}`,
  "chain.constraints": () => "seine Basic Constraints sind ungültig",
  "chain.not-ca": () => "es ist kein Zertifikat einer Zertifizierungsstelle",
  "chain.usage": () => "seine Schlüsselverwendung ist ungültig",
  "chain.purpose": ({ purpose }) =>
    `es gilt nicht für ${purpose === "server" ? "einen Server" : "einen Client"}`,
  "certificate.role": ({ expected, role, id }) =>
    `erwartet war ein Zertifikat der Rolle ${expected}, gezeigt wurde ${role} ${id}`,
  "certificate.other-tls-key": () => "das Zertifikat gehört zu einem anderen TLS-Schlüssel",
  "certificate.not-pem": () => "die Zertifikatskette ist kein PEM",
  "certificate.other-signing-key": () => "das Zertifikat gehört zu einem anderen Signaturschlüssel",
  "enrolment.other-site": ({ folder, site, federation, invited }) =>
    `${folder} gehört dem Standort ${site} der Föderation ${federation}, aber das Token gilt für den Standort ${invited}${site === invited ? " einer anderen Föderation" : ""}`,
  "token.too-long": () => "das Token ist zu lang",
  "token.begins": ({ prefix }) => `das Token beginnt nicht mit ${prefix}`,
  "token.characters": () => "das Token enthält ungültige Zeichen",
  "token.incomplete": () => "das Token ist unvollständig: kopieren Sie es ganz",
  "token.field": () => "das Token enthält ein fehlerhaftes Feld",
  "expelled.invalid": ({ why }, { say }) => `Liste der ausgeschlossenen Standorte: ${say(why)}`,
  "expelled.confirmation": ({ why }, { say }) =>
    `Bestätigung der Liste der ausgeschlossenen Standorte: ${say(why)}`,
  "expelled.other-list": ({ expected, got }) => `erwartet war die Liste ${expected}, es kam ${got}`,
  "expelled.future": ({ at }) => `sie trägt das Datum ${at}, das in der Zukunft liegt`,
  "signed.too-long": ({ max }, { number }) => `mehr als ${number(max)} Bytes`,
  "signed.malformed": () => "fehlerhaft",
  "signed.signature": () => "ungültige Signatur",
  "signed.other-federation": () => "sie gehört zu einer anderen Föderation",
  "request.invalid": ({ why }, { say }) => `Zertifikatsanfrage: ${say(why)}`,
  "request.signing-key": () => "der Signaturschlüssel muss 32 Bytes haben",
  "request.signature": () => "die Signatur muss 64 Bytes haben",
  "request.not-pkcs10": () => "kein PKCS#10",
  "request.not-der": () => "kein DER",
  "request.not-p256": () => "der TLS-Schlüssel ist nicht P-256",
  "request.subject": () => "der Inhaber ist nicht die eingeladene Identität",
  "request.tls-signature": () => "ungültige Signatur des TLS-Schlüssels",
  "request.own-signature": () => "ungültige Signatur des Signaturschlüssels",
  "peer.rejected": () => "OpenSSL hat das Zertifikat der Gegenseite abgelehnt",
  "authority.other": ({ address }) => `${address} zeigt kein Zertifikat der festgelegten Stelle`,
  "authority.check-address": () =>
    "es gehört zu einer anderen Föderation: prüfen Sie die Adresse und bitten Sie den Betreiber um ein neues Token",
  "authority.expired": () => "das ausstellende Zertifikat ist abgelaufen",
  "authority.certify": () =>
    "zertifizieren Sie mit der Stelle der Föderation einen neuen Ausstellungsschlüssel",
  "authority.exists": ({ folder }) => `${folder} enthält schon den Stammschlüssel einer Föderation`,
  "authority.other-folder": () =>
    "wählen Sie einen anderen Ordner: ein anderer Stammschlüssel würde jeden angemeldeten Standort abtrennen",
  "authority.no-root-key": ({ folder }) => `in ${folder} ist kein Stammschlüssel einer Föderation`,
  "authority.root-mismatch": ({ folder }) =>
    `Stammschlüssel und Stammzertifikat in ${folder} gehören nicht zusammen`,
  "authority.no-issuing-key": ({ folder }) => `in ${folder} ist kein Ausstellungsschlüssel`,
  "authority.issuing-mismatch": ({ folder }) =>
    `Ausstellungsschlüssel und Zertifikat in ${folder} gehören nicht zusammen`,
  "enrolment.empty": () => "Anmeldung: die Antwort ist leer",
  "enrolment.chain": () => "Anmeldung: erwartet war eine Kette von zwei Zertifikaten",
  "enrolment.own-folder": () =>
    "geben Sie den Zustandsordner des Standorts an, für den das Token gilt, oder einen neuen",
  "identity.none": ({ folder }) => `in ${folder} ist keine Identität`,
  "identity.damaged": ({ folder }) => `die Identität in ${folder} ist unvollständig oder beschädigt`,
  "token.expired": ({ at }) => `das Token ist am ${at} abgelaufen`,
  "expelled.stale": ({ got, known }, { number }) =>
    `Liste der ausgeschlossenen Standorte: Nummer ${number(got)} kam, Nummer ${number(known)} ist schon da`,
  "certificate.none": () => "die Gegenseite zeigte kein Zertifikat",
  "certificate.strange-root": () =>
    "das vertrauenswürdige Stammzertifikat ist kein X.509-Zertifikat mit einem P-256-Schlüssel",
  "certificate.give-root": () =>
    "geben Sie root.pem der Föderation an, wie `consilium init` sie geschrieben hat; der Betreiber oder ein angemeldeter Standort hat sie",
  "certificate.expelled": ({ role, id }) => `${role} ${id} wurde ausgeschlossen`,
  "certificate.signer": ({ certificate, why }, { say }) =>
    `das Zertifikat der signierenden Stelle: ${certificate === "own" ? "" : `${certificates[certificate] ?? certificate}: `}${say(why)}`,
  "chain.chain": () =>
    "erwartet war eine Kette von zwei X.509-Zertifikaten mit P-256: das eigene und das ausstellende",
  "chain.no-name": () => "es enthält keine Identität",
  "chain.broken": () => "es ist fehlerhaft",
};
