/* In the build as a module. `embed-script.ts` replaces it in the build as a classic script. */

/** A URL in the folder of the script's files. */
export const filesUrl: string = import.meta.url;
