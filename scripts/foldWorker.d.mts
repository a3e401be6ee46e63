export function bundleFoldWorker(outfile: string, options?: { readonly sources?: boolean }): Promise<void>;
