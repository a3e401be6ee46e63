export type { RandomSource } from "@consilium/secure-sum/random";
