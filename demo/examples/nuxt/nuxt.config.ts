export default defineNuxtConfig({
  compatibilityDate: '2026-01-01',
  css: ['~/style.css'],
  app: {
    head: { title: 'Lumen · Lamps', htmlAttrs: { lang: 'en' }, link: [{ rel: 'icon', href: 'data:,' }] },
  },
  vue: { compilerOptions: { isCustomElement: (tag) => tag === 'voice-assistant-chat' } },
  hooks: {
    // Without this, every page prefetches the panel and the languages of the chat.
    'build:manifest': (manifest) => {
      const isChat = (path: string) => `${path} ${manifest[path]?.name}`.includes('voice-assistant-chat');
      for (const [path, file] of Object.entries(manifest)) {
        if (isChat(path)) file.prefetch = file.preload = false;
        file.dynamicImports = file.dynamicImports?.filter((name) => !isChat(name)) ?? [];
      }
    },
  },
  typescript: { strict: true },
});
