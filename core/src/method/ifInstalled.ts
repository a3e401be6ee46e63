/** What a package exports that an installation may leave out, such as methods-paper; null where it is not installed. */
export async function ifInstalled<T>(load: () => Promise<T>): Promise<T | null> {
  try {
    return await load();
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ERR_MODULE_NOT_FOUND") return null;
    throw cause;
  }
}
