/** The version of this software: what peers are told, and what a study is pinned to. Same as package.json's. */
export const softwareVersion = "0.1.0";
