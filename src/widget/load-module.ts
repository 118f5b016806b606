/**
 * Loads a lazy module, even after an earlier attempt failed. Firefox caches a failed import and never requests its URL
 * again, so the retry adds a query.
 *
 * @param load the dynamic import
 * @throws the error of the import, if the module cannot be loaded now
 */
export async function loadModule<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    // The errors of Chrome and Firefox contain a URL; other engines request it again without this.
    const [address, file] = /https?:\/\/\S*?([^\s/]+\.[cm]?js)\b/.exec(String(error)) ?? [];
    const source = String(load);
    // In Firefox it may be that of a file which the module imports. Bundlers may load files that are not modules, or files
    // that contain more than the module, as in `import(…).then((file) => file.t)`.
    if (file === undefined || !source.includes(file) || source.includes('.then')) throw error;
    const retry = `${address}?retry=${Date.now()}`;
    return (await import(
      /* @vite-ignore */ /* webpackIgnore: true */ /* turbopackIgnore: true */ retry
    )) as Module;
  }
}
