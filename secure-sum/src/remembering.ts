/**
 * Works out once what depends on an object that never changes: a thousand sites ask the same of one.
 * @param make - whatever else it is given is the same each time
 */
export function remembering<K extends object, V, R extends unknown[]>(make: (of: K, ...more: R) => V) {
  const known = new WeakMap<K, { readonly value: V }>();
  return (of: K, ...more: R): V => {
    const before = known.get(of) ?? { value: make(of, ...more) };
    known.set(of, before);
    return before.value;
  };
}
