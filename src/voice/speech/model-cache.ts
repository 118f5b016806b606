/** Loads each model once, when it is first needed. One that could not be loaded is loaded again the next time. */
export class ModelCache<Model> {
  readonly #loaded = new Map<string, Promise<Model>>();

  get(key: string, load: () => Promise<Model>): Promise<Model> {
    const known = this.#loaded.get(key);
    if (known) return known;
    const loading = load();
    this.#loaded.set(key, loading);
    loading.catch(() => this.#loaded.delete(key));
    return loading;
  }
}
