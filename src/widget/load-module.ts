/**
 * Loads a lazy module, also after an earlier attempt failed. Firefox remembers that a module could not be loaded and
 * never requests its address again; another query makes it another address.
 *
 * @param load the dynamic import
 * @throws what the import threw, if the module cannot be loaded now
 */
export async function loadModule<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    // Chrome and Firefox name the address; other engines request it again by themselves.
    const [address] = /https?:\/\/\S+?\.[cm]?js\b/.exec(String(error)) ?? [];
    if (address === undefined) throw error;
    const retry = `${address}?retry=${Date.now()}`;
    return (await import(
      /* @vite-ignore */ /* webpackIgnore: true */ /* turbopackIgnore: true */ retry
    )) as Module;
  }
}
