import type { Words } from "../said.js";
import type { NetworkSays } from "../says/network.js";

export const network: Words<NetworkSays> = {
  "address.invalid": () => "not an address",
  "address.write": () => "write host:port, such as aggregator.example.org:7443 or [::1]:7443",
  "grpc.other-version": () => "the installed @grpc/grpc-js is not the supported version",
  "address.in-use": ({ address }) => `gRPC cannot listen on ${address}`,
  "peer.no-tls": () => "the connection has closed, or is not TLS",
  "proxy.url": ({ file }) => `${file}: proxy.url is not an address such as http://proxy.example.org:3128`,
  "proxy.password-in-url": ({ file }) =>
    `${file}: proxy.url contains a password: put it into a file, and set passwordFile`,
  "proxy.no-username": ({ file }) => `${file}: proxy.username is missing although passwordFile is set`,
  "tls.no-certificate": ({ key, file }) => `${key}.certificate: ${file} is not a PEM certificate`,
  "tls.no-key": ({ key, file }) => `${key}.key: ${file} is not an unencrypted PEM private key`,
  "proxy.variable": ({ variable }) => `${variable} is not an address such as http://proxy:3128`,
  "proxy.correct-variable": () =>
    "correct the variable, or write `proxy:` into config.yaml, which comes first",
  "proxy.no-certificate": ({ key, file }) => `${key}: no PEM certificate in ${file}`,
  "proxy.ask-certificate": () => "ask the network team for the authority's certificate as PEM (Base64)",
  "tls.mismatch": ({ key, file, certificate }) =>
    `${key}: the key in ${file} does not match the first certificate in ${certificate}`,
  "tls.order": () =>
    "the server's own certificate comes first in the file, then those of intermediate authorities",
};
