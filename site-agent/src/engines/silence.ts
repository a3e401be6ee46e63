/** A process that says and takes nothing for so long is taken for lost: no batch of rows keeps one busy for minutes. */
export const silenceMost = 5 * 60_000;

/** Waits; calls `onLate` once where it takes longer, which should end the waiting. */
export async function within<T>(ms: number, waited: Promise<T>, onLate: () => void): Promise<T> {
  const timer = setTimeout(onLate, ms);
  try {
    return await waited;
  } finally {
    clearTimeout(timer);
  }
}
