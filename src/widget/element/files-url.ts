/* In the build as a module. `current-script.ts` replaces it in the build as a classic script. */

/** The URL of the folder of the script's files. */
// No `URL`, which throws if the script has been loaded as a blob.
export const filesUrl: string = import.meta.url.replace(/[^/]*$/, '');
