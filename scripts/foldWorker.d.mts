type Bundle = (outfile: string, options?: { readonly sources?: boolean }) => Promise<void>;

export const bundleFoldWorker: Bundle;
export const bundlePublishedWorker: Bundle;
export const bundleReader: Bundle;
export const bundleDatabaseReader: Bundle;
