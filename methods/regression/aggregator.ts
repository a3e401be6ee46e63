import type { AggregatorSide } from "@consilium/core/method/aggregatorSide";
export const aggregator: AggregatorSide = async () => {
  throw new Error();
};
