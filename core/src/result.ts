export { assertNever, err, ok, type Result, unwrap } from "@consilium/secure-sum/result";
