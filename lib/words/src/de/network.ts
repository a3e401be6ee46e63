import type { Words } from "../said.js";
import type { NetworkSays } from "../says/network.js";

export const network: Words<NetworkSays> = {
  "address.invalid": () => "keine Adresse",
  "address.write": () => "schreiben Sie Rechner:Port, wie aggregator.example.org:7443 oder [::1]:7443",
  "grpc.other-version": () => "das installierte @grpc/grpc-js hat nicht die unterstützte Version",
  "address.in-use": ({ address }) => `gRPC kann ${address} nicht öffnen`,
  "peer.no-tls": () => "die Verbindung ist geschlossen oder kein TLS",
  "proxy.url": ({ file }) => `${file}: proxy.url ist keine Adresse wie http://proxy.example.org:3128`,
  "proxy.password-in-url": ({ file }) =>
    `${file}: proxy.url enthält ein Passwort: legen Sie es in eine Datei, und setzen Sie passwordFile`,
  "proxy.no-username": ({ file }) => `${file}: proxy.username fehlt, obwohl passwordFile gesetzt ist`,
  "tls.no-certificate": ({ key, file }) => `${key}.certificate: ${file} ist kein Zertifikat im PEM-Format`,
  "tls.no-key": ({ key, file }) =>
    `${key}.key: ${file} ist kein unverschlüsselter privater Schlüssel im PEM-Format`,
  "proxy.variable": ({ variable }) => `${variable} ist keine Adresse wie http://proxy:3128`,
  "proxy.correct-variable": () =>
    "berichtigen Sie die Variable, oder schreiben Sie `proxy:` in config.yaml, das zuerst gilt",
  "proxy.no-certificate": ({ key, file }) => `${key}: in ${file} ist kein Zertifikat im PEM-Format`,
  "proxy.ask-certificate": () => "bitten Sie das Netzwerkteam um das Zertifikat der Stelle als PEM (Base64)",
  "tls.mismatch": ({ key, file, certificate }) =>
    `${key}: der Schlüssel in ${file} passt nicht zum ersten Zertifikat in ${certificate}`,
  "tls.order": () => "zuerst steht in der Datei das Zertifikat des Servers, dann die der Zwischenstellen",
};
