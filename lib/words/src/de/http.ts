import type { Words } from "../said.js";
import type { HttpSays } from "../says/http.js";

export const http: Words<HttpSays> = {
  "http.correct": () => "berichtigen Sie die Anfrage",
  "http.timeout": () => "die Anfrage dauerte zu lange",
  "http.malformed": () => "fehlerhafte Anfrage",
  "http.content-type": () => "diese Adresse nimmt den Inhaltstyp der Anfrage nicht an",
  "http.malformed-address": () => "fehlerhafte Adresse",
  "http.headers": () => "die Kopfzeilen der Anfrage sind zu groß",
  "http.malformed-http": () => "fehlerhafte HTTP-Anfrage",
  "http.not-storable": ({ part }) =>
    `${part} der Anfrage enthält ein NUL-Zeichen oder ein halbes Surrogat-Paar`,
  "http.streams": ({ max }, { number }) => `${number(max)} Ereignisströme sind schon offen`,
  "http.close-streams": () => "schließen Sie ungenutzte Seiten oder beobachtende Befehle",
  "http.disk-full": () => "der Datenträger ist voll; das Log des Prozesses nennt den Ordner",
  "http.internal": () => "interner Fehler",
  "http.unknown": () => "unbekannte Adresse oder Methode",
  "http.too-large": () => "die Anfrage ist größer, als diese Adresse annimmt",
  "http.smaller": () => "senden Sie weniger Daten",
  "http.too-often": () => "zu viele Anfragen von dieser Adresse",
  "http.no-pages": ({ folder }) => `keine gebauten Seiten in ${folder}`,
  "http.build": () => "bauen Sie sie mit `npm run build`",
};
