/** Pages in `docs/embed` whose code is that of an example, which the suite `examples` compiles and runs. */
export const examplePages = [
  ...['react', 'preact', 'next', 'vue', 'nuxt', 'sveltekit', 'angular', 'solid', 'astro'],
];
