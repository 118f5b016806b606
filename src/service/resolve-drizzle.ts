import { registerHooks } from 'node:module';

/*
 * Resolves imports of drizzle-orm, without which half of the time until a program of the service has loaded is spent on
 * them: to resolve an import of a package or in it, Node reads the package's package.json anew. That of drizzle-orm has
 * 179 kB, and there are 600 such imports. Must be evaluated before the other modules are imported.
 */

/** By specifier. */
const resolved = new Map<string, { url: string; shortCircuit: true }>();

registerHooks({
  resolve(specifier, context, nextResolve) {
    const { parentURL } = context;
    if (specifier.startsWith('./') || specifier.startsWith('../')) {
      return parentURL?.includes('/node_modules/drizzle-orm/') && parentURL.endsWith('.js')
        ? { url: new URL(specifier, parentURL).href, format: 'module', shortCircuit: true }
        : nextResolve(specifier, context);
    }
    if (specifier !== 'drizzle-orm' && !specifier.startsWith('drizzle-orm/'))
      return nextResolve(specifier, context);
    const known = resolved.get(specifier) ?? { ...nextResolve(specifier, context), shortCircuit: true };
    resolved.set(specifier, known);
    return known;
  },
});
